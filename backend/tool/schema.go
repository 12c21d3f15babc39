package tool

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"kuang/backend/verb"
)

// tabField is the optional input field that the pipeline adds to every verb that works on a tab, and resolves.
const tabField = "tab"

// tabSchema describes tabField to agents.
func tabSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type:        "string",
		Description: "Tab to work on, such as t1: one that your session opened. Default: the session's active tab.",
	}
}

// inputSchema infers what a verb accepts from its In type: an object without further properties, in the few keywords
// that every MCP client reads.
func inputSchema(d verb.Definition) (*jsonschema.Schema, error) {
	if d.In == nil || d.In.Kind() != reflect.Struct {
		return nil, fmt.Errorf("the input of %s is not a struct", d.Name)
	}
	s, err := jsonschema.ForType(d.In, &jsonschema.ForOptions{})
	if err != nil {
		return nil, fmt.Errorf("inferring the input schema of %s: %w", d.Name, err)
	}
	if err := narrow(s, d.In); err != nil {
		return nil, fmt.Errorf("reading the tags of %s: %w", d.Name, err)
	}
	flatten(s)
	if err := described(s, ""); err != nil {
		return nil, fmt.Errorf("the input of %s: %w", d.Name, err)
	}
	if s.Properties == nil {
		s.Properties = map[string]*jsonschema.Schema{}
	}
	if d.Target == verb.NoTab {
		return s, nil
	}
	if s.Properties[tabField] != nil {
		return nil, fmt.Errorf("the input of %s has a field %q, which the pipeline adds itself", d.Name, tabField)
	}
	s.Properties[tabField] = tabSchema()
	s.PropertyOrder = append(s.PropertyOrder, tabField)
	return s, nil
}

// outputSchema infers what a verb answers besides the envelope. It is nil for types that a schema cannot hold, such as
// trees.
func outputSchema(d verb.Definition) *jsonschema.Schema {
	s, err := jsonschema.ForType(d.Out, &jsonschema.ForOptions{})
	if err != nil {
		return nil
	}
	flatten(s)
	return s
}

// flatten replaces ["null", T] with T everywhere. An optional field that is null counts as absent, which needs no word
// in the schema, and lists of types are what some MCP clients refuse.
func flatten(s *jsonschema.Schema) {
	walk(s, func(s *jsonschema.Schema) {
		if len(s.Types) == 2 && s.Types[0] == "null" {
			s.Type, s.Types = s.Types[1], nil
		}
	})
}

// walk visits s and every schema below it.
func walk(s *jsonschema.Schema, visit func(*jsonschema.Schema)) {
	if s == nil {
		return
	}
	visit(s)
	for _, p := range s.Properties {
		walk(p, visit)
	}
	walk(s.Items, visit)
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not == nil {
		walk(s.AdditionalProperties, visit)
	}
}

// narrow puts the enum, min and max tags of t's fields into s, which was inferred from t.
func narrow(s *jsonschema.Schema, t reflect.Type) error {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map {
		switch t.Kind() {
		case reflect.Slice, reflect.Array:
			s = s.Items
		case reflect.Map:
			s = s.AdditionalProperties
		}
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || s == nil || s.Properties == nil {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			name = f.Name
		}
		p := s.Properties[name]
		if f.Anonymous || !f.IsExported() || p == nil {
			continue
		}
		if err := narrowField(p, f); err != nil {
			return fmt.Errorf("field %s: %w", f.Name, err)
		}
		if err := narrow(p, f.Type); err != nil {
			return fmt.Errorf("field %s: %w", f.Name, err)
		}
	}
	return nil
}

func narrowField(p *jsonschema.Schema, f reflect.StructField) error {
	if tag, ok := f.Tag.Lookup("enum"); ok {
		target := p
		if p.Items != nil {
			target = p.Items
		}
		if target.Type != "string" && !slices.Contains(target.Types, "string") {
			return fmt.Errorf("enum is for strings")
		}
		for _, v := range strings.Split(tag, ",") {
			if v == "" {
				return fmt.Errorf("enum %q has an empty choice", tag)
			}
			target.Enum = append(target.Enum, v)
		}
	}
	for tag, bound := range map[string]**float64{"min": &p.Minimum, "max": &p.Maximum} {
		text, ok := f.Tag.Lookup(tag)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("reading %s: %w", tag, err)
		}
		*bound = &n
	}
	return nil
}

// described refuses a field that tells agents nothing: without a description an agent can only guess.
func described(s *jsonschema.Schema, path string) error {
	if s == nil {
		return nil
	}
	for _, name := range fieldNames(s) {
		p := s.Properties[name]
		if p.Description == "" {
			return fmt.Errorf("the field %s has no description", join(path, name))
		}
		if !nameShape.MatchString(name) {
			return fmt.Errorf("the field %s is not snake_case", join(path, name))
		}
		if err := described(p, join(path, name)); err != nil {
			return err
		}
		if err := described(p.Items, join(path, name)+"[]"); err != nil {
			return err
		}
	}
	return nil
}

// fieldNames lists the properties of an object schema in the order of the Go type.
func fieldNames(s *jsonschema.Schema) []string { return s.PropertyOrder }

// choices lists the words an enum allows.
func choices(s *jsonschema.Schema) []string {
	out := make([]string, 0, len(s.Enum))
	for _, v := range s.Enum {
		if text, ok := v.(string); ok {
			out = append(out, text)
		}
	}
	return out
}

// closed reports whether an object schema refuses fields it does not name.
func closed(s *jsonschema.Schema) bool {
	return s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil
}

// example is a value of the kind that s wants, for the hint of a refusal.
func example(s *jsonschema.Schema) string {
	if len(s.Enum) > 0 {
		b, err := json.Marshal(s.Enum[0])
		if err == nil {
			return string(b)
		}
	}
	switch s.Type {
	case "integer":
		if s.Minimum != nil && *s.Minimum > 10 {
			return strconv.FormatFloat(*s.Minimum, 'f', -1, 64)
		}
		return "10"
	case "number":
		return "12.5"
	case "boolean":
		return "true"
	case "array":
		if s.Items != nil && s.Items.Type != "" {
			return "[" + example(s.Items) + "]"
		}
		return "[]"
	case "object":
		return "{…}"
	default:
		return `"text"`
	}
}
