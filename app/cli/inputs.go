package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kuang/backend/tool"
)

// inputs turns flags into a verb's input.
type inputs struct {
	tool  tool.Tool
	given map[string]json.RawMessage
}

func newInputs(t tool.Tool) *inputs { return &inputs{tool: t, given: map[string]json.RawMessage{}} }

// register adds a flag for each field of the input. Both --mark_id and --mark-id are understood.
func (in *inputs) register(command *cobra.Command) {
	command.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(strings.ReplaceAll(name, "-", "_"))
	})
	for _, name := range in.tool.Fields() {
		schema := in.tool.InputSchema.Properties[name]
		if schema == nil || command.Flags().Lookup(name) != nil {
			continue
		}
		usage := schema.Description
		if in.tool.Required(name) {
			usage += " (required)"
		}
		v := &value{field: name, kind: kindOf(schema), given: in.given}
		flag := command.Flags().VarPF(v, name, "", usage)
		if v.kind == "boolean" {
			flag.NoOptDefVal = "true"
		}
	}
}

// kindOf is the JSON type that a schema asks for; empty when it takes several.
func kindOf(s *jsonschema.Schema) string {
	if s.Type != "" {
		return s.Type
	}
	var kinds []string
	for _, k := range s.Types {
		if k != "null" {
			kinds = append(kinds, k)
		}
	}
	if len(kinds) == 1 {
		return kinds[0]
	}
	return ""
}

// value is one flag. Its text becomes JSON: a string as it is, everything else as JSON already.
type value struct {
	field, kind string
	given       map[string]json.RawMessage
}

// String is the flag's default in the help, where there is none.
func (v *value) String() string { return "" }

// Type is what the help calls the value.
func (v *value) Type() string {
	switch v.kind {
	case "array", "object", "":
		return "json"
	}
	return v.kind
}

// Set takes the text of the flag.
func (v *value) Set(text string) error {
	raw := json.RawMessage(text)
	switch {
	case v.kind == "string":
		var err error
		if raw, err = json.Marshal(text); err != nil {
			return err
		}
	case !json.Valid(raw):
		return fmt.Errorf("%s wants %s as JSON", v.field, article(v.Type()))
	}
	v.given[v.field] = raw
	return nil
}

func article(kind string) string {
	if strings.ContainsAny(kind[:1], "aeiou") {
		return "an " + kind
	}
	return "a " + kind
}
