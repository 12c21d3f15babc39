// Package verb says what a verb is: a definition that is plain data, the call it is handed, and the structured error
// it may answer with. The groups of verbs build on it from above, the browser stands below it, and no surface is
// known here.
package verb

import (
	"context"
	"encoding/json"
	"reflect"
)

// Effect says whether a verb only looks or also changes something.
type Effect string

// The effects. Acting verbs on one tab run one at a time, leave a ledger sentence and raise the tab's revision.
const (
	Read Effect = "read"
	Act  Effect = "act"
)

// Target says what tab a verb works on.
type Target string

// The targets.
const (
	// NoTab verbs need no tab and no browser.
	NoTab Target = "none"
	// OpenTab verbs act on the session's tab and open one when the session has none.
	OpenTab Target = "open"
	// OwnTab verbs act on the named or active tab of the session and fail without one.
	OwnTab Target = "tab"
)

// Definition is one verb, whole: every surface, the docs, the run log and the ledger read it and nothing else.
type Definition struct {
	// Name is the verb on every surface, in snake_case.
	Name string
	// Aliases are accepted and never listed.
	Aliases []string
	// Title is two or three words for a person; Summary is one line; Description tells an agent when to use the
	// verb, what to call before it and what to do after it.
	Title, Summary, Description string
	// Domain is the place in the six-tool surface, such as "inspect.observe".
	Domain string
	// Effect and Target steer the pipeline.
	Effect Effect
	Target Target
	// Idempotent acting verbs may be repeated without harm.
	Idempotent bool
	// Tier is 1 (prefer), 2 (fallback) or 3 (deliberately).
	Tier int
	// Untrusted marks answers that carry text of a page.
	Untrusted bool
	// Levers are the settings keys that can refuse this verb, for the docs.
	Levers []string
	// In and Out are the struct types of input and output.
	In, Out reflect.Type
	// Sentence is the ledger sentence of an acting verb, in the past tense, from the decoded input and the output.
	// The output is nil when the verb failed after it may have acted. Empty means nothing worth a sentence happened.
	Sentence func(in, out any) string
	// Undo names the exact inverse of what happened, or is empty where there is none.
	Undo func(in, out any) string

	decode func(input []byte) (in any, secrets []string, err error)
	run    func(ctx context.Context, call *Call, input []byte) (in, out any, err error)
}

// Define completes d with the verb's typed handler. In and Out are structs with json tags. Fields of In without
// omitempty are required; their jsonschema tags are the descriptions that agents read, with unit and default. Three
// more tags narrow a field, in the schema and in the validation: enum:"load,none" on strings and lists of strings,
// min:"1" and max:"200" on numbers. The optional field "tab" of OpenTab and OwnTab verbs is added and resolved by the
// pipeline; In must not have one.
//
// The reply is Out's fields between the envelope's: ok, tab, revision and untrusted. Out must not have ok, error or
// untrusted; a tab or revision of its own replaces the envelope's.
func Define[In, Out any](d Definition, handle func(ctx context.Context, call *Call, in In) (Out, error)) Definition {
	d.In = reflect.TypeFor[In]()
	d.Out = reflect.TypeFor[Out]()
	if d.Tier == 0 {
		d.Tier = 1
	}
	read := func(input []byte) (in In, err error) {
		if err := json.Unmarshal(input, &in); err != nil {
			return in, &Error{Code: BadRequest, Message: "The input does not fit the verb: " + err.Error() + ".", Cause: err}
		}
		return in, nil
	}
	d.decode = func(input []byte) (any, []string, error) {
		in, err := read(input)
		if err != nil {
			return nil, nil, err
		}
		// The pointer has the methods of both receivers.
		if s, ok := any(&in).(Secretive); ok {
			return in, s.Secrets(), nil
		}
		return in, nil, nil
	}
	d.run = func(ctx context.Context, call *Call, input []byte) (any, any, error) {
		in, err := read(input)
		if err != nil {
			return nil, nil, err
		}
		out, err := handle(ctx, call, in)
		if err != nil {
			return in, nil, err
		}
		return in, out, nil
	}
	return d
}

// Decode reads input as the verb would and returns it with the secrets it carries.
func (d Definition) Decode(input []byte) (in any, secrets []string, err error) {
	return d.decode(input)
}

// Run decodes input, which the pipeline has validated against the schema of In, and runs the verb. It returns the
// decoded input also when the verb fails, so that the log can redact it.
func (d Definition) Run(ctx context.Context, call *Call, input []byte) (in, out any, err error) {
	return d.run(ctx, call, input)
}

// Secretive is an input that carries secrets. The pipeline blacks the strings out of everything it stores or answers.
type Secretive interface{ Secrets() []string }

// Pictured is an output that has a picture besides its JSON, such as a screenshot.
type Pictured interface{ Picture() *Image }

// Image is an encoded picture.
type Image struct {
	MIME string // such as image/png
	Data []byte
}
