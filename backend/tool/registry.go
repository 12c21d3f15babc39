// Package tool keeps the verbs in one registry and runs every call of them through one pipeline. It knows no verb by
// name and no surface.
package tool

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"kuang/backend/verb"
)

// Tool is a verb with what was derived from its types.
type Tool struct {
	verb.Definition
	// InputSchema is what the verb accepts on every surface, the common field tab included.
	InputSchema *jsonschema.Schema
	// OutputSchema is what the verb answers besides ok, tab, revision and untrusted; nil where a schema cannot say it.
	OutputSchema *jsonschema.Schema
}

// ReadOnly reports whether the verb only looks.
func (t Tool) ReadOnly() bool { return t.Effect == verb.Read }

// Destructive reports whether a call may do what must not be repeated lightly: one click can buy something, and that
// some calls of a verb can be undone does not make the others harmless.
func (t Tool) Destructive() bool { return t.Effect == verb.Act && !t.Idempotent }

// Fields lists the input fields in the order of the verb's type.
func (t Tool) Fields() []string { return fieldNames(t.InputSchema) }

// Required reports whether a call must carry the field.
func (t Tool) Required(field string) bool { return slices.Contains(t.InputSchema.Required, field) }

// Registry is the fixed set of verbs, in the order in which they were given.
type Registry struct {
	tools []Tool
	names []string
	// index finds a tool by name or alias.
	index map[string]int
}

// nameShape is what a verb and its aliases look like on every surface, also as an MCP tool.
var nameShape = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// NewRegistry checks the definitions and infers their schemas once. It refuses a name that is taken or not snake_case,
// a verb without words for its readers, and types that the envelope or the schema cannot hold.
func NewRegistry(defs ...verb.Definition) (*Registry, error) {
	r := &Registry{index: map[string]int{}}
	for _, d := range defs {
		t, err := newTool(d)
		if err != nil {
			return nil, err
		}
		for _, name := range append([]string{d.Name}, d.Aliases...) {
			if !nameShape.MatchString(name) {
				return nil, fmt.Errorf("the verb name %q is not snake_case", name)
			}
			if _, taken := r.index[name]; taken {
				return nil, fmt.Errorf("the verb name %q is used twice", name)
			}
			r.index[name] = len(r.tools)
		}
		r.tools = append(r.tools, t)
		r.names = append(r.names, d.Name)
	}
	return r, nil
}

func newTool(d verb.Definition) (Tool, error) {
	switch {
	case d.Title == "" || d.Summary == "" || d.Description == "":
		return Tool{}, fmt.Errorf("the verb %q lacks a title, a summary or a description", d.Name)
	case d.Tier < 1 || d.Tier > 3:
		return Tool{}, fmt.Errorf("the verb %q has the tier %d", d.Name, d.Tier)
	case d.Effect != verb.Read && d.Effect != verb.Act:
		return Tool{}, fmt.Errorf("the verb %q has the effect %q", d.Name, d.Effect)
	case d.Target != verb.NoTab && d.Target != verb.OpenTab && d.Target != verb.OwnTab:
		return Tool{}, fmt.Errorf("the verb %q has the target %q", d.Name, d.Target)
	case d.Effect == verb.Act && d.Sentence == nil:
		return Tool{}, fmt.Errorf("the acting verb %q has no ledger sentence", d.Name)
	}
	in, err := inputSchema(d)
	if err != nil {
		return Tool{}, err
	}
	if err := checkOutput(d); err != nil {
		return Tool{}, err
	}
	return Tool{Definition: d, InputSchema: in, OutputSchema: outputSchema(d)}, nil
}

// checkOutput keeps a verb's answer from replacing the envelope around it.
func checkOutput(d verb.Definition) error {
	for field := range jsonFields(d.Out) {
		if slices.Contains([]string{fieldOK, fieldError, fieldUntrusted}, field) {
			return fmt.Errorf("the output of %s has the field %q, which belongs to the envelope", d.Name, field)
		}
	}
	return nil
}

// List returns the verbs in order. The schemas are shared and must not be changed.
func (r *Registry) List() []Tool { return slices.Clone(r.tools) }

// Names lists the verbs in order, without aliases.
func (r *Registry) Names() []string { return slices.Clone(r.names) }

// Lookup finds a verb by its name or an alias.
func (r *Registry) Lookup(name string) (Tool, bool) {
	i, ok := r.index[name]
	if !ok {
		return Tool{}, false
	}
	return r.tools[i], true
}

// Nearest returns the verb that was most likely meant by a name that does not exist, or "".
func (r *Registry) Nearest(name string) string {
	if near := nearest(name, r.names); near != "" {
		return near
	}
	var aliases []string
	for _, t := range r.tools {
		aliases = append(aliases, t.Aliases...)
	}
	if near := nearest(name, aliases); near != "" {
		return r.tools[r.index[near]].Name
	}
	return ""
}

// Unknown is the refusal of a verb that does not exist.
func (r *Registry) Unknown(name string) *verb.Error {
	err := &verb.Error{
		Code: verb.UnknownVerb, Message: "There is no verb " + quote(clip(name)) + ".",
		Hint: "List the verbs with GET /v1/openapi.json or kuang docs.", Evidence: map[string]any{"verb": clip(name)},
	}
	if near := r.Nearest(name); near != "" {
		err.Hint = "Did you mean " + near + "? " + err.Hint
		err.Evidence["nearest"] = near
	}
	return err
}
