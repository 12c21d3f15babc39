package panel

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"kuang/backend/ledger"
	"kuang/backend/runs"
)

func TestDeck(t *testing.T) {
	w := newWorld(t)
	d, err := w.Deck()
	if err != nil || !d.Fresh || len(d.Commands) != 3 {
		t.Fatalf("a fresh Deck: %+v, %v", d, err)
	}
	if want := "curl http://127.0.0.1:7423/v1/"; !strings.HasPrefix(d.Commands[0].Text, want) || !strings.Contains(d.Commands[0].Text, "$(cat '/home/ada/my data/token')") {
		t.Errorf("HTTP: %s", d.Commands[0].Text)
	}
	if !json.Valid([]byte(d.Commands[1].Text)) {
		t.Errorf("MCP: %s", d.Commands[1].Text)
	}

	early, late := time.Unix(100, 0), time.Unix(200, 0)
	w.tabs.tabs["t1"] = TabRef{"t1", "a.example", "A"}
	w.sessions.live = []LiveSession{{ID: "aaaa", Client: "one", Active: "t1", Owned: []string{"t1", "t2"}}, {ID: "bbbb", Client: "two"}}
	w.called("aaaa", "one", runs.Entry{At: early, Verb: "navigate", Site: "a.example"})
	w.called("bbbb", "two", runs.Entry{At: late, Verb: "find"})
	d, _ = w.Deck()
	if d.Fresh || len(d.Sessions) != 2 || d.Sessions[0].ID != "bbbb" || d.Sessions[1].Tab == nil || d.Sessions[1].Tabs != 2 || d.Sessions[1].LastVerb != "navigate" || d.Sessions[0].Tab != nil {
		t.Errorf("two sessions, the latest call first: %+v", d.Sessions)
	}
	a, _ := w.API()
	if len(a.Clients) != 2 || a.Clients[0].Name != "two" || a.Clients[0].Calls != 1 {
		t.Errorf("clients: %+v", a.Clients)
	}
}

func TestOverview(t *testing.T) {
	w := newWorld(t)
	o, err := w.Overview()
	if err != nil || o.Tab != nil {
		t.Fatalf("without a tab: %+v, %v", o, err)
	}
	w.sessions.live = []LiveSession{{ID: "aaaa", Active: "t1"}, {ID: "bbbb", Active: "t2"}}
	w.tabs.tabs["t1"], w.tabs.tabs["t2"] = TabRef{"t1", "a.example", "A"}, TabRef{"t2", "b.example", "B"}
	w.tabs.frames, w.tabs.other = 3, 1
	w.tabs.counts[""] = map[string]int64{"DOM.enable": 2, "DOM.performSearch": 1, "Page.navigate": 4, "Runtime.enable": 1, "Runtime.evaluate": 5}
	w.tabs.counts["t2"] = map[string]int64{"Page.navigate": 3}
	w.walker.controls, w.walker.at = 7, time.Unix(50, 0)
	w.called("bbbb", "two", runs.Entry{At: time.Unix(200, 0)})
	o, _ = w.Overview()
	if o.Tab == nil || o.Tab.Tab.ID != "t2" || o.Tab.Sealed != 7 || !o.Tab.Framed || o.Tab.Frames != 3 || o.Tab.OtherSite != 1 {
		t.Errorf("the tab of the latest call: %+v", o.Tab)
	}
	rows := map[string]Counter{}
	for _, c := range append(o.Counters.Quiet, o.Counters.Driving...) {
		rows[c.Name] = c
	}
	want := map[string]Counter{
		"DOM": {"DOM", 0, 3}, "Accessibility": {"Accessibility", 0, 0}, "Runtime.enable": {"Runtime.enable", 0, 1},
		"Runtime": {"Runtime", 0, 5}, "Page": {"Page", 3, 4},
	}
	for name, c := range want {
		if rows[name] != c {
			t.Errorf("%s: %+v, not %+v", name, rows[name], c)
		}
	}

	w.tabs.framesErr = context.DeadlineExceeded
	if o, _ = w.CountFromNow(); o.Tab.Framed || len(o.Counters.Driving) != 0 {
		t.Errorf("a tab that does not answer, counters begun anew: %+v", o)
	}
}

// TestCountersBeginWithTheBrowser: a browser that was restarted brings counters of its own, and says so.
func TestCountersBeginWithTheBrowser(t *testing.T) {
	w := newWorld(t)
	w.browser.status.Since = time.Now().Add(time.Hour)
	if o, _ := w.Overview(); !o.Counters.Since.Equal(w.browser.status.Since) {
		t.Errorf("counted since %v", o.Counters.Since)
	}
}

func TestLedgerPages(t *testing.T) {
	w := newWorld(t)
	for i := range ledgerPerPage + 3 {
		w.ledger.actions = append(w.ledger.actions, ledger.Action{ID: string(rune('A' + i))})
	}
	first, _ := w.Ledger("")
	second, _ := w.Ledger(first.Older)
	if len(first.Actions) != ledgerPerPage || first.Older == "" || len(second.Actions) != 3 || second.Older != "" {
		t.Errorf("pages of %d (older %q) and %d (older %q)", len(first.Actions), first.Older, len(second.Actions), second.Older)
	}
}

func TestRunsAsksForOnePage(t *testing.T) {
	w := newWorld(t)
	w.runs.page = runs.Page{Runs: []runs.Run{{ID: "R1"}}, Total: 11}
	page, err := w.Runs(0, runs.Failed, "a.example")
	if err != nil || page.Page != 1 || page.Total != 11 || page.Runs[0].Sites == nil {
		t.Errorf("%+v, %v", page, err)
	}
	if w.runs.asked != (runs.Filter{Outcome: runs.Failed, Site: "a.example", Page: 1, PerPage: 10}) {
		t.Errorf("it asked for %+v", w.runs.asked)
	}
}

func TestRunLog(t *testing.T) {
	w := newWorld(t)
	w.runs.detail = runs.Detail{Run: runs.Run{ID: "R1"}, Total: 312, Entries: []runs.Entry{
		{ID: "E1", Verb: "act", Input: json.RawMessage(`{"selector":"#pay"}`), Output: json.RawMessage(`{"ok":true,"verdict":"no_effect"}`)},
	}}
	l, err := w.Run("R1")
	if err != nil || l.Total != 312 || l.Calls[0].Say != "selector #pay" || l.Calls[0].Verdict != "no_effect" {
		t.Errorf("%+v, %v", l, err)
	}
	e, err := w.Call("R1", "E1")
	if err != nil || string(e.Input) != `{"selector":"#pay"}` || e.Protocol == nil {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := w.Call("R1", "E9"); err == nil {
		t.Error("a call that is not there was returned")
	}
}

func TestExport(t *testing.T) {
	w := newWorld(t)
	w.runs.detail = runs.Detail{Run: runs.Run{ID: "R1", Client: "../shop & co", StartedAt: time.Unix(0, 0)}}
	w.runs.export = "{\"verb\":\"find\"}\n"
	path := filepath.Join(t.TempDir(), "run.jsonl")
	var suggested string
	Attach(w.Panel, func(string, any) {}, func(name string) (string, error) { suggested = name; return path, nil })
	got, err := w.ExportRun("R1")
	if err != nil || got.Path != path {
		t.Fatalf("%+v, %v", got, err)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != w.runs.export {
		t.Errorf("the file holds %q, %v", raw, err)
	}
	if !regexp.MustCompile(`^shop---co-[0-9]{8}-[0-9]{6}\.jsonl$`).MatchString(suggested) {
		t.Errorf("it suggests %q", suggested)
	}

	w.runs.export = "" // The export fails in the middle: what was there stays.
	if _, err := w.ExportRun("R1"); err == nil {
		t.Error("a failed export was reported as done")
	}
	if raw, _ := os.ReadFile(path); len(raw) == 0 {
		t.Error("a failed export took the old file with it")
	}
	Attach(w.Panel, func(string, any) {}, func(string) (string, error) { return "", nil })
	if got, err := w.ExportRun("R1"); err != nil || got.Path != "" {
		t.Errorf("no place chosen: %+v, %v", got, err)
	}
}

func TestHost(t *testing.T) {
	for raw, want := range map[string]string{
		"https://shop.example/a?b": "shop.example", "http://127.0.0.1:81/": "127.0.0.1:81", "about:blank": "about:blank",
		"data:text/html,x": "data", "chrome://newtab/": "newtab", "": "", "http://[::1]:9/": "[::1]:9", "http://%zz": "http://%zz",
	} {
		if got := Host(raw); got != want {
			t.Errorf("Host(%q) is %q, not %q", raw, got, want)
		}
	}
}
