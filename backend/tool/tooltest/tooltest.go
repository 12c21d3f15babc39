// Package tooltest gives the surfaces' tests a whole pipeline over services kept in memory, and verbs that need no
// browser.
package tooltest

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
	"kuang/backend/tool"
	"kuang/backend/verb"
	"kuang/settings"
)

// Bench is a pipeline with everything that it wrote.
type Bench struct {
	*Services
	Registry *tool.Registry
	Pipeline *tool.Pipeline
	Log      *slog.Logger
	Logged   *Text
}

// New builds a pipeline over the verbs, or over Verbs when none are given.
func New(tb testing.TB, defs ...verb.Definition) *Bench {
	tb.Helper()
	if len(defs) == 0 {
		defs = Verbs()
	}
	registry, err := tool.NewRegistry(defs...)
	if err != nil {
		tb.Fatal(err)
	}
	b := &Bench{Services: &Services{}, Registry: registry, Logged: &Text{}}
	b.Log = slog.New(slog.NewTextHandler(b.Logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	b.Pipeline = tool.NewPipeline(tool.Config{
		Registry: registry, Sessions: session.New(browser.New(browser.Options{})), Browser: b.Services, Settings: b.Services,
		Runs: b.Services, Ledger: b.Ledger(), Log: b.Log,
	})
	return b
}

// Text is a log that may be read while it is written.
type Text struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

// Write satisfies io.Writer.
func (t *Text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.Write(p)
}

// String returns what was written so far.
func (t *Text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.String()
}

// Services keep what a pipeline writes, in memory.
type Services struct {
	mu          sync.Mutex // guards all below
	entries     []runs.Entry
	callers     []verb.Caller
	actions     []ledger.Action
	runWatch    []func(runs.Run, runs.Entry)
	actionWatch []func(ledger.Action)
	watch       []func(browser.Event)
}

// Record keeps an entry in the one run, run1.
func (s *Services) Record(_ context.Context, _, client, surface string, e runs.Entry) (runs.Entry, error) {
	s.mu.Lock()
	e.RunID = "run1"
	s.entries = append(s.entries, e)
	s.callers = append(s.callers, verb.Caller{Client: client, Surface: surface})
	run, watch := s.run(), s.runWatch
	s.mu.Unlock()
	for _, fn := range watch {
		fn(run, e)
	}
	return e, nil
}

func (s *Services) run() runs.Run {
	return runs.Run{ID: "run1", Calls: len(s.entries), Sites: []string{}}
}

// Entries returns what was recorded, oldest first.
func (s *Services) Entries() []runs.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]runs.Entry(nil), s.entries...)
}

// Callers returns who made the calls of Entries.
func (s *Services) Callers() []verb.Caller {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]verb.Caller(nil), s.callers...)
}

// Runs lists the one run.
func (s *Services) Runs(context.Context, runs.Filter) (runs.Page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return runs.Page{Runs: []runs.Run{s.run()}, Total: 1}, nil
}

// Run shows the one run.
func (s *Services) Run(_ context.Context, id string, _ int) (runs.Detail, error) {
	if id != "run1" {
		return runs.Detail{}, runs.ErrUnknownRun
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return runs.Detail{Run: s.run(), Entries: s.entries, Total: len(s.entries)}, nil
}

// Subscribe tells of entries.
func (s *Services) Subscribe(fn func(runs.Run, runs.Entry)) (cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runWatch = append(s.runWatch, fn)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.runWatch = nil
	}
}

// Policy is the shipped one.
func (s *Services) Policy() settings.Policy { return settings.Defaults() }

// Ready says that there is no browser.
func (s *Services) Ready(context.Context) error {
	return &browser.UnavailableError{Problem: browser.Problem{What: "There is no browser in this test.", Fix: "Use a verb without a tab."}}
}

// Status is a browser that is down.
func (s *Services) Status() browser.Status { return browser.Status{State: browser.Down} }

// Actions is the ledger's face of Services; runs, ledger and browser each have a Subscribe of their own.
type Actions Services

// Ledger returns the ledger.
func (s *Services) Ledger() *Actions { return (*Actions)(s) }

// Add keeps an action.
func (a *Actions) Add(_ context.Context, action ledger.Action) (ledger.Action, error) {
	a.mu.Lock()
	a.actions = append(a.actions, action)
	watch := a.actionWatch
	a.mu.Unlock()
	for _, fn := range watch {
		fn(action)
	}
	return action, nil
}

// Subscribe tells of actions.
func (a *Actions) Subscribe(fn func(ledger.Action)) (cancel func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.actionWatch = append(a.actionWatch, fn)
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.actionWatch = nil
	}
}

// Tabs is the browser's face of Services.
type Tabs Services

// Browser returns the browser.
func (s *Services) Browser() *Tabs { return (*Tabs)(s) }

// Status is a browser that is down.
func (b *Tabs) Status() browser.Status { return (*Services)(b).Status() }

// Subscribe tells of what Emit emits.
func (b *Tabs) Subscribe(fn func(browser.Event)) (cancel func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.watch = append(b.watch, fn)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.watch = nil
	}
}

// Emit reports an event of the browser.
func (s *Services) Emit(e browser.Event) {
	s.mu.Lock()
	watch := s.watch
	s.mu.Unlock()
	for _, fn := range watch {
		fn(e)
	}
}

// LookIn is the input of look.
type LookIn struct {
	Name   string   `json:"name" jsonschema:"Accessible name."`
	Limit  int      `json:"limit,omitempty" min:"1" max:"40" jsonschema:"Most rows. Default 10."`
	Ratio  float64  `json:"ratio,omitempty" jsonschema:"Share of the page, 0 to 1."`
	Sealed bool     `json:"sealed,omitempty" jsonschema:"Also look into closed roots. Default false."`
	As     string   `json:"as,omitempty" enum:"text,components" jsonschema:"Projection. Default text."`
	Roles  []string `json:"roles,omitempty" jsonschema:"Roles to keep."`
	At     *Point   `json:"at,omitempty" jsonschema:"Point to look at."`
}

// Point is a place in CSS pixels.
type Point struct {
	X float64 `json:"x" jsonschema:"From the left."`
	Y float64 `json:"y" jsonschema:"From the top."`
}

// LookOut echoes what was understood.
type LookOut struct {
	Seen LookIn `json:"seen"`
	Text string `json:"text"`
}

// TypeIn is the input of type_in.
type TypeIn struct {
	Text   string `json:"text" jsonschema:"Text to type."`
	Secret bool   `json:"secret,omitempty" jsonschema:"Keep the text out of every log. Default false."`
}

// Secrets satisfies verb.Secretive.
func (in TypeIn) Secrets() []string {
	if in.Secret {
		return []string{in.Text}
	}
	return nil
}

// TypeOut echoes the text.
type TypeOut struct {
	Echo string `json:"echo"`
}

// FailIn is the input of fail.
type FailIn struct {
	Code       string `json:"code" jsonschema:"Code to fail with."`
	RetryAfter int    `json:"retry_after,omitempty" jsonschema:"Seconds to wait. Default none."`
}

// PictureOut is a picture of one pixel.
type PictureOut struct {
	Width int `json:"width"`
}

// Picture satisfies verb.Pictured.
func (PictureOut) Picture() *verb.Image {
	return &verb.Image{MIME: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}
}

// None is an empty input or output.
type None struct{}

// Health is what bridge_health answers here.
type Health struct {
	Status string `json:"status"`
}

// Verbs are bridge_health, look (untrusted), type_in, picture, fail and press, which wants a
// tab.
func Verbs() []verb.Definition {
	read := func(name string) verb.Definition {
		return verb.Definition{Name: name, Title: name, Summary: name + " it.", Description: "To " + name + " it.", Effect: verb.Read, Target: verb.NoTab}
	}
	look := read("look")
	look.Untrusted, look.Aliases = true, []string{"peek"}
	act := read("type_in")
	act.Effect, act.Sentence = verb.Act, func(in, _ any) string { return "Typed " + ledger.Quote(in.(TypeIn).Text) }
	press := read("press")
	press.Effect, press.Target, press.Idempotent, press.Sentence = verb.Act, verb.OwnTab, true, func(any, any) string { return "Pressed" }
	return []verb.Definition{
		verb.Define(read("bridge_health"), func(context.Context, *verb.Call, None) (Health, error) { return Health{"ok"}, nil }),
		verb.Define(look, func(_ context.Context, _ *verb.Call, in LookIn) (LookOut, error) {
			return LookOut{Seen: in, Text: "<p>" + in.Name}, nil
		}),
		verb.Define(act, func(_ context.Context, _ *verb.Call, in TypeIn) (TypeOut, error) { return TypeOut{Echo: in.Text}, nil }),
		verb.Define(read("picture"), func(context.Context, *verb.Call, None) (PictureOut, error) { return PictureOut{1}, nil }),
		verb.Define(read("fail"), func(_ context.Context, _ *verb.Call, in FailIn) (None, error) {
			e := &verb.Error{Code: verb.Code(in.Code), Message: "It failed.", Hint: "Stop it.", Evidence: map[string]any{"seen": "x"}}
			if in.RetryAfter > 0 {
				e.Evidence["retry_after"] = in.RetryAfter
			}
			return None{}, e
		}),
		verb.Define(press, func(context.Context, *verb.Call, None) (None, error) { return None{}, nil }),
	}
}

// Decode reads an answer for comparison.
func Decode(tb testing.TB, raw []byte) map[string]any {
	tb.Helper()
	var v map[string]any
	if err := json.Unmarshal(raw, &v); err != nil {
		tb.Fatalf("decoding %q: %v", raw, err)
	}
	return v
}
