package panel

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"kuang/backend/browser"
	"kuang/backend/ledger"
	"kuang/backend/runs"
	"kuang/settings"
)

// world is everything that a panel looks at, in memory; the settings are real files.
type world struct {
	*Panel
	dir      string
	policy   *settings.Store
	browser  *fakeBrowser
	tabs     *fakeTabs
	sessions *fakeSessions
	runs     *fakeRuns
	ledger   *fakeLedger
	walker   *fakeWalker
	token    *fakeToken
	database fakeDatabase
	api      *fakeAPI
	// patched is what the documents say, asks how often they were asked.
	patched []PatchedTab
	asks    int
}

func newWorld(t *testing.T, env ...string) *world {
	t.Helper()
	w := &world{
		dir:      t.TempDir(),
		browser:  &fakeBrowser{status: browser.Status{State: browser.Running, Product: "Chromium", Version: "156.0.8078.114", Transport: "pipe"}},
		tabs:     &fakeTabs{tabs: map[string]TabRef{}, counts: map[string]map[string]int64{}},
		sessions: &fakeSessions{}, runs: &fakeRuns{}, ledger: &fakeLedger{}, walker: &fakeWalker{},
		token: &fakeToken{value: strings.Repeat("a", 64)}, api: &fakeAPI{url: "http://127.0.0.1:7423"},
	}
	var err error
	w.policy, err = settings.Open(w.dir, func(name string) string {
		for _, pair := range env {
			if value, ok := strings.CutPrefix(pair, name+"="); ok {
				return value
			}
		}
		return ""
	})
	if err != nil {
		t.Fatal(err)
	}
	prefs, err := settings.OpenPreferences(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	w.Panel = New(Config{
		Browser: w.browser, Tabs: w.tabs, Sessions: w.sessions, Policy: w.policy, Preferences: prefs, Runs: w.runs, Ledger: w.ledger,
		Walker: w.walker, Database: &w.database, API: w.api, Token: w.token, Version: "0.1.0",
		Program: "/opt/kuang", TokenPath: "/home/ada/my data/token",
		Patched: func(context.Context) []PatchedTab { w.asks++; return w.patched },
	})
	t.Cleanup(func() { Close(w.Panel) })
	return w
}

// called makes the log tell of a call.
func (w *world) called(session, client string, e runs.Entry) {
	w.runs.tell(runs.Run{ID: "R-" + session, Session: session, Client: client, Surface: "http"}, e)
}

type fakeBrowser struct {
	status  browser.Status
	listed  []browser.Listing
	tell    func(browser.Event)
	restart func(context.Context) error
}

func (b *fakeBrowser) Status() browser.Status            { return b.status }
func (b *fakeBrowser) Listed() []browser.Listing         { return b.listed }
func (b *fakeBrowser) Restart(ctx context.Context) error { return b.restart(ctx) }
func (b *fakeBrowser) Subscribe(f func(browser.Event)) func() {
	b.tell = f
	return func() { b.tell = nil }
}

type fakeTabs struct {
	tabs          map[string]TabRef
	frames, other int
	framesErr     error
	reloaded      []string
	counts        map[string]map[string]int64
}

func (t *fakeTabs) Tab(id string) (TabRef, bool) { r, ok := t.tabs[id]; return r, ok }
func (t *fakeTabs) Frames(context.Context, string) (int, int, error) {
	return t.frames, t.other, t.framesErr
}
func (t *fakeTabs) Reload(_ context.Context, id string) error {
	if _, ok := t.tabs[id]; !ok {
		return errNoTab
	}
	t.reloaded = append(t.reloaded, id)
	return nil
}
func (t *fakeTabs) Counts(id string) map[string]int64 { return t.counts[id] }
func (t *fakeTabs) ResetCounts()                      { clear(t.counts) }

type fakeSessions struct{ live []LiveSession }

func (s *fakeSessions) Live() []LiveSession { return s.live }
func (s *fakeSessions) Clients() int        { return len(s.live) }

type fakeRuns struct {
	tell   func(runs.Run, runs.Entry)
	page   runs.Page
	asked  runs.Filter
	detail runs.Detail
	err    error
	export string
}

func (r *fakeRuns) Runs(_ context.Context, f runs.Filter) (runs.Page, error) {
	r.asked = f
	return r.page, r.err
}
func (r *fakeRuns) Run(_ context.Context, id string, limit int) (runs.Detail, error) {
	if r.err == nil && id != r.detail.Run.ID {
		return runs.Detail{}, runs.ErrUnknownRun
	}
	d := r.detail
	d.Entries = slices.Clone(d.Entries[:min(limit, len(d.Entries))])
	return d, r.err
}
func (r *fakeRuns) Sites(context.Context) ([]string, error) { return nil, nil }
func (r *fakeRuns) Export(_ context.Context, _ string, w io.Writer) error {
	if r.export == "" {
		return errors.New("the disk is full")
	}
	_, err := io.WriteString(w, r.export)
	return err
}
func (r *fakeRuns) Subscribe(f func(runs.Run, runs.Entry)) func() { r.tell = f; return func() {} }

type fakeLedger struct{ actions []ledger.Action }

func (l *fakeLedger) List(_ context.Context, before string, limit int) ([]ledger.Action, error) {
	from := 0
	if before != "" {
		from = 1 + slices.IndexFunc(l.actions, func(a ledger.Action) bool { return a.ID == before })
	}
	rest := l.actions[from:]
	return rest[:min(limit, len(rest))], nil
}
func (l *fakeLedger) Subscribe(func(ledger.Action)) func() { return func() {} }

type fakeWalker struct {
	reading  bool
	tell     func(bool)
	controls int
	at       time.Time
}

func (w *fakeWalker) Reading() bool { return w.reading }
func (w *fakeWalker) LastRead(string) (int, time.Time, bool) {
	return w.controls, w.at, !w.at.IsZero()
}
func (w *fakeWalker) Subscribe(f func(bool)) func() { w.tell = f; return func() {} }

type fakeToken struct {
	value string
	err   error
}

func (t *fakeToken) Value() string { return t.value }
func (t *fakeToken) Rotate() error {
	if t.err == nil {
		t.value = strings.Repeat("b", 64)
	}
	return t.err
}

type fakeDatabase struct{ broken string }

func (d *fakeDatabase) Broken() string { return d.broken }

type fakeAPI struct{ url string }

func (a *fakeAPI) URL() string { return a.url }
