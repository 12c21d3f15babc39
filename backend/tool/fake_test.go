package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"

	"kuang/backend/browser"
	"kuang/backend/ledger"
	"kuang/backend/runs"
	"kuang/backend/session"
	"kuang/backend/verb"
	"kuang/settings"
)

// lookIn has a field of every kind that verbs use.
type lookIn struct {
	Name    string         `json:"name" jsonschema:"Accessible name."`
	Limit   int            `json:"limit,omitempty" min:"1" max:"40" jsonschema:"Most rows to return. Default 10."`
	Ratio   *float64       `json:"ratio,omitempty" jsonschema:"Share of the page, 0 to 1."`
	Sealed  bool           `json:"sealed,omitempty" jsonschema:"Also look into closed roots. Default false."`
	As      string         `json:"as,omitempty" enum:"text,components" jsonschema:"Projection. Default text."`
	Roles   []string       `json:"roles,omitempty" enum:"button,link" jsonschema:"Roles to keep."`
	Where   *place2        `json:"where,omitempty" jsonschema:"Point to look at."`
	Ways    []place2       `json:"ways,omitempty" jsonschema:"Points on the way."`
	Anyhow  any            `json:"anyhow,omitempty" jsonschema:"Any value."`
	Headers map[string]int `json:"headers,omitempty" jsonschema:"Numbers by name."`
}

type place2 struct {
	X float64 `json:"x" jsonschema:"CSS px from the left."`
	Y float64 `json:"y" jsonschema:"CSS px from the top."`
}

type lookOut struct {
	Seen string `json:"seen"`
	Rows int    `json:"rows"`
}

type typeIn struct {
	Text   string `json:"text" jsonschema:"Text to type."`
	Secret bool   `json:"secret,omitempty" jsonschema:"Keep the text out of every log. Default false."`
}

// Secrets satisfies verb.Secretive, with a pointer receiver on purpose.
func (in *typeIn) Secrets() []string {
	if in.Secret {
		return []string{in.Text}
	}
	return nil
}

type typeOut struct {
	Echo   string `json:"echo"`
	Number int    `json:"number,omitempty"`
}

type pictureOut struct {
	Width int `json:"width"`
	image *verb.Image
}

// Picture satisfies verb.Pictured.
func (o pictureOut) Picture() *verb.Image { return o.image }

type none struct{}

type countIn struct {
	N int64 `json:"n" jsonschema:"A whole number without bounds."`
}

// handlers replaces what the fake verbs do; nil keeps the default.
type handlers struct {
	look func(context.Context, *verb.Call, lookIn) (lookOut, error)
	typ  func(context.Context, *verb.Call, typeIn) (typeOut, error)
}

func fakeVerbs(h handlers) []verb.Definition {
	if h.look == nil {
		h.look = func(_ context.Context, _ *verb.Call, in lookIn) (lookOut, error) {
			return lookOut{Seen: in.Name, Rows: in.Limit}, nil
		}
	}
	if h.typ == nil {
		h.typ = func(_ context.Context, _ *verb.Call, in typeIn) (typeOut, error) { return typeOut{Echo: in.Text}, nil }
	}
	return []verb.Definition{
		verb.Define(verb.Definition{
			Name: "look", Aliases: []string{"peek_at"}, Title: "Look", Summary: "Looks.", Description: "Looks at things.",
			Domain: "inspect.look", Effect: verb.Read, Target: verb.NoTab, Untrusted: true, Levers: []string{"shadow.axSealed"},
		}, h.look),
		verb.Define(verb.Definition{
			Name: "type_in", Title: "Type", Summary: "Types.", Description: "Types text.", Effect: verb.Act, Target: verb.NoTab,
			Sentence: func(in, _ any) string { return "Typed " + ledger.Quote(in.(typeIn).Text) },
			Undo:     func(any, any) string { return "erase" },
		}, h.typ),
		verb.Define(verb.Definition{
			Name: "picture", Title: "Picture", Summary: "Takes a picture.", Description: "Takes a picture.",
			Effect: verb.Read, Target: verb.NoTab,
		}, func(context.Context, *verb.Call, none) (pictureOut, error) {
			return pictureOut{Width: 3, image: &verb.Image{MIME: "image/png", Data: []byte("png")}}, nil
		}),
		define[countIn, none](verb.Definition{
			Name: "count", Title: "Count", Summary: "Counts.", Description: "Counts.", Effect: verb.Read, Target: verb.NoTab,
		}),
		verb.Define(verb.Definition{
			Name: "press", Title: "Press", Summary: "Presses.", Description: "Presses a key.", Effect: verb.Act, Target: verb.OwnTab,
			Idempotent: true, Sentence: func(any, any) string { return "Pressed" },
		}, func(context.Context, *verb.Call, none) (none, error) { return none{}, nil }),
	}
}

func mustRegistry(t testing.TB, h handlers) *Registry {
	t.Helper()
	r, err := NewRegistry(fakeVerbs(h)...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// recorder stands for the run log, the ledger, the settings and the browser.
type recorder struct {
	mu      sync.Mutex
	entries []runs.Entry
	actions []ledger.Action
	clients []string
	policy  settings.Policy
	ready   error
	fail    error
	ctxErr  error // of the context that Record got
}

func (r *recorder) Record(ctx context.Context, _, client, surface string, e runs.Entry) (runs.Entry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ctxErr = ctx.Err()
	e.RunID = "run1"
	r.entries, r.clients = append(r.entries, e), append(r.clients, surface+":"+client)
	return e, r.fail
}

func (r *recorder) Add(_ context.Context, a ledger.Action) (ledger.Action, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.actions = append(r.actions, a)
	return a, r.fail
}

func (r *recorder) Policy() settings.Policy     { return r.policy }
func (r *recorder) Ready(context.Context) error { return r.ready }
func (r *recorder) Status() browser.Status      { return browser.Status{} }

// bench is a pipeline over fakes, with everything it wrote.
type bench struct {
	*Pipeline
	*recorder
	log *bytes.Buffer
}

func newBench(t testing.TB, h handlers) *bench {
	t.Helper()
	b := &bench{recorder: &recorder{policy: settings.Defaults()}, log: &bytes.Buffer{}}
	b.Pipeline = NewPipeline(Config{
		Registry: mustRegistry(t, h), Sessions: session.New(browser.New(browser.Options{})), Browser: b.recorder,
		Settings: b.recorder, Runs: b.recorder, Ledger: b.recorder, Log: slog.New(slog.NewTextHandler(b.log, nil)),
	})
	return b
}

// call runs a verb and decodes the body.
func (b *bench) call(t testing.TB, name, input string) (Reply, map[string]any) {
	t.Helper()
	reply := b.Call(t.Context(), verb.Caller{Client: "tester", Surface: "http"}, name, []byte(input))
	var body map[string]any
	if err := json.Unmarshal(reply.Body, &body); err != nil {
		t.Fatalf("%s answered %s: %v", name, reply.Body, err)
	}
	return reply, body
}

func (b *bench) last(t testing.TB) runs.Entry {
	t.Helper()
	if len(b.entries) == 0 {
		t.Fatal("nothing was recorded")
	}
	return b.entries[len(b.entries)-1]
}
