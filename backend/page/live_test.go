package page_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"kuang/backend/browser"
	"kuang/backend/browser/browsertest"
	"kuang/backend/page"
	"kuang/backend/session"
	"kuang/backend/shadowwalk"
	"kuang/backend/verb"
	"kuang/settings"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Main(m)) }

// patience bounds one verb in a test; it is not what any of them should take.
const patience = 60 * time.Second

// rig is the verbs over one tab of a real browser.
type rig struct {
	t      testing.TB
	verbs  map[string]verb.Definition
	tab    *browser.Tab
	policy settings.Policy
	sess   *session.Session
	ip     string
	local  string
}

// open serves html at / (and what else there is) and opens it.
func open(t testing.TB, html string, more ...map[string]string) *rig {
	t.Helper()
	files := map[string]string{"/": html}
	for _, m := range more {
		for path, body := range m {
			files[path] = body
		}
	}
	ip, local := browsertest.Serve(t, files)
	b := browsertest.Browser(t)
	sessions := session.New(b)
	r := &rig{t: t, verbs: map[string]verb.Definition{}, policy: settings.Defaults(), ip: ip, local: local, sess: sessions.For(t.Name(), "test")}
	for _, d := range page.Verbs(page.Deps{
		Browser: b, Sessions: sessions, Walker: shadowwalk.New(nil), Version: "test", Shots: t.TempDir(),
	}) {
		r.verbs[d.Name] = d
	}
	r.tab = browsertest.Open(t, ip+"/")
	return r
}

// try runs a verb and decodes its reply into a T, or gives the error.
func try[T any](r *rig, name string, in map[string]any) (T, error) {
	r.t.Helper()
	var out T
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	raw, err := json.Marshal(in)
	if err != nil {
		r.t.Fatal(err)
	}
	call := &verb.Call{
		Caller: verb.Caller{Client: "test", Surface: "test"}, Session: r.sess, Tab: r.tab, Policy: r.policy, Log: slog.New(slog.DiscardHandler),
	}
	_, got, err := r.verbs[name].Run(ctx, call, raw)
	if err != nil {
		return out, err
	}
	out, ok := got.(T)
	if !ok {
		r.t.Fatalf("%s answered a %T", name, got)
	}
	return out, nil
}

// do runs a verb that must succeed.
func do[T any](r *rig, name string, in map[string]any) T {
	r.t.Helper()
	out, err := try[T](r, name, in)
	if err != nil {
		r.t.Fatalf("%s %v: %v", name, in, err)
	}
	return out
}

// refused runs a verb that must fail with the code.
func refused(r *rig, name string, in map[string]any, code verb.Code) *verb.Error {
	r.t.Helper()
	_, err := try[any](r, name, in)
	var e *verb.Error
	if !errors.As(err, &e) || e.Code != code {
		r.t.Fatalf("%s %v: got %v, want %s", name, in, err, code)
	}
	return e
}

func (r *rig) observe(in map[string]any) page.ObserveOut {
	r.t.Helper()
	return do[page.ObserveOut](r, "observe", in)
}

func (r *rig) find(in map[string]any) page.FindOut {
	r.t.Helper()
	return do[page.FindOut](r, "find", in)
}

func (r *rig) act(in map[string]any) page.ActOut {
	r.t.Helper()
	return do[page.ActOut](r, "act", in)
}

// one finds the only element with a role and name.
func (r *rig) one(role, name string) page.Match {
	r.t.Helper()
	out := r.find(map[string]any{"role": role, "name": name})
	if len(out.Marks) != 1 {
		r.t.Fatalf("%s %q: %d matches: %+v", role, name, len(out.Marks), out.Marks)
	}
	return out.Marks[0]
}

// js evaluates in the page's own world and returns the JSON of the value.
func (r *rig) js(expression string) string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	frame, err := r.tab.MainFrame(ctx)
	if err != nil {
		r.t.Fatal(err)
	}
	e, err := r.tab.Evaluate(ctx, frame, true, expression)
	if err != nil || e.Exception != "" {
		r.t.Fatalf("evaluating %s: %v %s", expression, err, e.Exception)
	}
	return string(e.Value)
}

// holds asserts expressions that must be true in the page.
func (r *rig) holds(expressions ...string) {
	r.t.Helper()
	for _, e := range expressions {
		if got := r.js("!!(" + e + ")"); got != "true" {
			r.t.Errorf("in the page: %s is %s", e, got)
		}
	}
}

// text is a whole reply as the bytes an agent would get.
func text(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func contains(t testing.TB, s string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(s, p) {
			t.Errorf("%q is not in\n%s", p, s)
		}
	}
}

func lacks(t testing.TB, s string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if strings.Contains(s, p) {
			t.Errorf("%q is in\n%s", p, s)
		}
	}
}

// closeTab closes a tab that the page opened.
func (r *rig) closeTab(id string) {
	r.t.Helper()
	t, ok := browsertest.Browser(r.t).Tab(id)
	if !ok {
		r.t.Errorf("there is no tab %s", id)
		return
	}
	if err := t.Close(context.Background()); err != nil {
		r.t.Error(err)
	}
}

// said runs an acting verb and returns its sentence for the ledger.
func said(r *rig, name string, in map[string]any) string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	raw, err := json.Marshal(in)
	if err != nil {
		r.t.Fatal(err)
	}
	call := &verb.Call{Session: r.sess, Tab: r.tab, Policy: r.policy, Log: slog.New(slog.DiscardHandler)}
	decoded, out, err := r.verbs[name].Run(ctx, call, raw)
	if err != nil {
		r.t.Fatalf("%s %v: %v", name, in, err)
	}
	return r.verbs[name].Sentence(decoded, out)
}
