package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-json-experiment/json/jsontext"
)

// field is a member of an answer, in the order in which it came.
type field struct {
	name string
	raw  json.RawMessage
}

// report prints an answer. As JSON it goes to standard output whole, a failure's too; for a person a failure goes to
// standard error. The error of a failed verb counts as reported.
func report(cmd *cobra.Command, raw json.RawMessage, asJSON bool) error {
	var reply struct {
		OK    bool         `json:"ok"`
		Error *FailedError `json:"error"`
	}
	if err := json.Unmarshal(raw, &reply); err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	switch {
	case asJSON:
		fmt.Fprintln(cmd.OutOrStdout(), harmless(bytes.TrimSpace(raw)))
	case reply.Error != nil:
		fmt.Fprintln(cmd.ErrOrStderr(), "kuang:", clean(reply.Error.Error()))
	default:
		fields, err := members(raw)
		if err != nil {
			return fmt.Errorf("reading the answer: %w", err)
		}
		fmt.Fprint(cmd.OutOrStdout(), sketch(fields))
	}
	if reply.Error != nil {
		return reply.Error
	}
	return nil
}

// members lists an object's members in order.
func members(raw json.RawMessage) ([]field, error) {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	var fields []field
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		v, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		fields = append(fields, field{key, slices.Clone(json.RawMessage(v))})
	}
	return fields, nil
}

// sketch is an answer for a person: short facts on one line, then each list row by row, then longer text as it is.
func sketch(fields []field) string {
	var facts, rest []string
	for _, f := range fields {
		var text string
		switch {
		case f.name == "ok":
		case f.raw[0] == '[':
			rest = append(rest, rows(f)...)
		case json.Unmarshal(f.raw, &text) == nil && strings.Contains(text, "\n"):
			rest = append(rest, clean(text))
		case f.raw[0] == '"':
			facts = append(facts, f.name+"="+clean(text))
		default:
			facts = append(facts, f.name+"="+harmless(f.raw))
		}
	}
	return strings.TrimSpace(strings.Join(append([]string{"ok " + strings.Join(facts, " ")}, rest...), "\n")) + "\n"
}

func rows(f field) []string {
	var list []json.RawMessage
	if err := json.Unmarshal(f.raw, &list); err != nil || len(list) == 0 {
		return []string{f.name + ": none"}
	}
	lines := []string{fmt.Sprintf("%s: %d", f.name, len(list))}
	for _, row := range list {
		lines = append(lines, "  "+harmless(row))
	}
	return lines
}

// clean keeps a page's text from steering the terminal.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (r < ' ' || r >= 0x7f && r < 0xa0) {
			return '�'
		}
		return r
	}, text)
}

// harmless spells the control characters that JSON may hold as they are, U+007F to U+009F, as escapes. The object stays
// the same.
func harmless(raw []byte) string {
	var b strings.Builder
	for _, r := range string(raw) {
		if r >= 0x7f && r < 0xa0 {
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
