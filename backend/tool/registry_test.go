package tool

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"kuang/backend/verb"
)

func TestRegistryFindsByNameAndAlias(t *testing.T) {
	r := mustRegistry(t, handlers{})
	for _, name := range []string{"look", "peek_at"} {
		if tool, ok := r.Lookup(name); !ok || tool.Name != "look" {
			t.Errorf("Lookup(%q) = %q, %v", name, tool.Name, ok)
		}
	}
	if got := strings.Join(r.Names(), " "); got != "look type_in picture count press" {
		t.Errorf("names %q", got)
	}
	for word, want := range map[string]string{"lok": "look", "peekat": "look", "typein": "type_in", "LOOK_AROUND": "", "": ""} {
		if got := r.Nearest(word); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestHints(t *testing.T) {
	r := mustRegistry(t, handlers{})
	want := map[string][2]bool{"look": {true, false}, "type_in": {false, true}, "picture": {true, false}, "count": {true, false}, "press": {false, false}}
	for _, tool := range r.List() {
		if got := [2]bool{tool.ReadOnly(), tool.Destructive()}; got != want[tool.Name] {
			t.Errorf("%s: read-only and destructive are %v, want %v", tool.Name, got, want[tool.Name])
		}
	}
}

func TestRegistryRefusesBadDefinitions(t *testing.T) {
	type silent struct {
		Field string `json:"field"`
	}
	type camel struct {
		Field string `json:"aField" jsonschema:"A field."`
	}
	type withTab struct {
		Tab string `json:"tab" jsonschema:"A tab."`
	}
	type badEnum struct {
		N int `json:"n" enum:"1,2" jsonschema:"A number."`
	}
	type badMin struct {
		N int `json:"n" min:"low" jsonschema:"A number."`
	}
	type envelope struct {
		OK bool `json:"ok"`
	}
	good := verb.Definition{Name: "one", Title: "T", Summary: "S.", Description: "D.", Effect: verb.Read, Target: verb.NoTab}
	with := func(change func(*verb.Definition)) verb.Definition {
		d := good
		change(&d)
		return verb.Define(d, func(context.Context, *verb.Call, none) (none, error) { return none{}, nil })
	}
	cases := map[string]verb.Definition{
		"is not snake_case":             with(func(d *verb.Definition) { d.Name = "oneTwo" }),
		`"a-b" is not snake_case`:       with(func(d *verb.Definition) { d.Aliases = []string{"a-b"} }),
		`"one" is used twice`:           with(func(d *verb.Definition) { d.Aliases = []string{"one"} }),
		"lacks a title":                 with(func(d *verb.Definition) { d.Description = "" }),
		`the effect "look"`:             with(func(d *verb.Definition) { d.Effect = "look" }),
		`the target ""`:                 with(func(d *verb.Definition) { d.Target = "" }),
		"has no ledger sentence":        with(func(d *verb.Definition) { d.Effect = verb.Act }),
		"the tier 4":                    with(func(d *verb.Definition) { d.Tier = 4 }),
		"has no description":            define[silent, none](good),
		"aField is not snake_case":      define[camel, none](good),
		"enum is for strings":           define[badEnum, none](good),
		"reading min":                   define[badMin, none](good),
		"belongs to the envelope":       define[none, envelope](good),
		"is not a struct":               define[string, none](good),
		"which the pipeline adds itsel": define[withTab, none](func() verb.Definition { d := good; d.Target = verb.OwnTab; return d }()),
	}
	for want, d := range cases {
		if _, err := NewRegistry(d); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	if _, err := NewRegistry(define[withTab, none](good)); err != nil {
		t.Errorf("a verb without a target tab may have a field tab: %v", err)
	}
}

func define[In, Out any](d verb.Definition) verb.Definition {
	return verb.Define(d, func(context.Context, *verb.Call, In) (out Out, err error) { return out, nil })
}

// portable are the keywords that MCP clients of every make read.
var portable = map[string]bool{
	"type": true, "properties": true, "required": true, "items": true, "enum": true, "description": true,
	"additionalProperties": true, "minimum": true, "maximum": true,
}

func TestSchemasArePortable(t *testing.T) {
	for _, tool := range mustRegistry(t, handlers{}).List() {
		raw, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var s map[string]any
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatal(err)
		}
		if s["type"] != "object" || s["additionalProperties"] != false {
			t.Errorf("%s takes %s", tool.Name, raw)
		}
		checkPortable(t, tool.Name, s)
	}
}

func checkPortable(t *testing.T, path string, s map[string]any) {
	for key, v := range s {
		if !portable[key] {
			t.Errorf("%s uses %q", path, key)
		}
		if _, text := v.(string); key == "type" && !text {
			t.Errorf("%s has the type %v", path, v)
		}
	}
	properties, _ := s["properties"].(map[string]any)
	for name, p := range properties {
		sub := p.(map[string]any)
		if sub["description"] == nil {
			t.Errorf("%s.%s has no description", path, name)
		}
		checkPortable(t, path+"."+name, sub)
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if sub, ok := s[key].(map[string]any); ok {
			checkPortable(t, path+"."+key, sub)
		}
	}
}

func TestMarkdown(t *testing.T) {
	const golden = "testdata/verbs.md"
	got := Markdown(mustRegistry(t, handlers{}))
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the rendering changed; UPDATE_GOLDEN=1 go test ./backend/tool rewrites it. Got:\n%s", got)
	}
}
