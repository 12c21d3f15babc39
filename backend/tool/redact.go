package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Redacted stands where a secret stood.
const Redacted = "[redacted]"

// shortSecret is the length in characters under which a secret is only blacked out where it stands alone. One digit of
// a code typed box by box would otherwise tear holes into every number and address of an answer.
const shortSecret = 4

// scrubber blacks secrets out of text and JSON. The zero value changes nothing.
type scrubber struct {
	whole []string
	parts []string // longest first, so that a secret that contains another goes as one
}

// newScrubber knows each secret as it is and as JSON, HTML and addresses spell it.
func newScrubber(secrets []string) scrubber {
	var s scrubber
	for _, secret := range secrets {
		if secret == "" {
			continue
		}
		if utf8.RuneCountInString(secret) < shortSecret {
			s.whole = append(s.whole, secret)
			continue
		}
		s.parts = append(s.parts, secret, escaped(secret, true), escaped(secret, false), html.EscapeString(secret),
			url.QueryEscape(secret), url.PathEscape(secret))
	}
	slices.SortFunc(s.parts, func(a, b string) int { return len(b) - len(a) })
	s.parts = slices.Compact(s.parts)
	return s
}

// escaped is text inside a JSON string, without the quotes.
func escaped(text string, forHTML bool) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(forHTML)
	if err := enc.Encode(text); err != nil {
		return text // Strings always encode.
	}
	return strings.Trim(strings.TrimSuffix(b.String(), "\n"), `"`)
}

func (s scrubber) idle() bool { return len(s.whole) == 0 && len(s.parts) == 0 }

// text blacks out one string.
func (s scrubber) text(in string) string {
	if slices.Contains(s.whole, strings.TrimSpace(in)) {
		return Redacted
	}
	for _, p := range s.parts {
		in = strings.ReplaceAll(in, p, Redacted)
	}
	return in
}

// json blacks out every string and name of a JSON value and keeps its order. A number that is a secret, such as a code
// read back from a numeric field, becomes the redacted string.
func (s scrubber) json(raw []byte) ([]byte, error) {
	if s.idle() {
		return raw, nil
	}
	return rewrite(raw, func(tok jsontext.Token, _ bool) jsontext.Token {
		switch {
		case tok.Kind() == '"':
			return jsontext.String(s.text(tok.String()))
		case tok.Kind() == '0' && slices.Contains(s.parts, tok.String()):
			return jsontext.String(Redacted)
		default:
			return tok
		}
	})
}

// shape is what the log keeps of an input that never met its verb's type: names and kinds. Which of its values is a
// secret is not known, so none is kept.
func shape(body []byte) []byte {
	if CheckJSON(body) == nil {
		out, err := rewrite(body, func(tok jsontext.Token, name bool) jsontext.Token {
			switch {
			case name:
				return jsontext.String(clip(tok.String()))
			case tok.Kind() == '"', tok.Kind() == '0':
				return jsontext.String(Redacted)
			default:
				return tok
			}
		})
		if err == nil && len(out) > 0 {
			return out
		}
	}
	return fmt.Appendf(nil, `{"unreadable_bytes":%d}`, len(body))
}

// rewrite copies a JSON value, replacing its strings, names, numbers and literals by what replace returns.
func rewrite(raw []byte, replace func(tok jsontext.Token, name bool) jsontext.Token) ([]byte, error) {
	var out bytes.Buffer
	// Two names may become equal once they are blacked out.
	enc := jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true))
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true))
	for {
		tok, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSpace(out.Bytes()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading JSON to redact it: %w", err)
		}
		// In an object names and values alternate, so an odd count means that a name was just read.
		kind, count := dec.StackIndex(dec.StackDepth())
		if err := enc.WriteToken(replace(tok, kind == '{' && count%2 == 1 && tok.Kind() == '"')); err != nil {
			return nil, fmt.Errorf("writing redacted JSON: %w", err)
		}
	}
}
