package panel

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kuang/backend/browser"
	"kuang/backend/ledger"
	"kuang/backend/runs"
	"kuang/settings"
)

// TestNoNulls calls every method that takes nothing: a list or a map that is null would break the script's types.
func TestNoNulls(t *testing.T) {
	w := newWorld(t)
	w.browser.restart = func(context.Context) error { return nil }
	v := reflect.ValueOf(w.Panel)
	for i := range v.NumMethod() {
		if v.Method(i).Type().NumIn() > 0 || v.Method(i).Type().NumOut() < 2 {
			continue
		}
		name := v.Type().Method(i).Name
		out := v.Method(i).Call(nil)
		if err, _ := out[1].Interface().(error); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		raw, err := json.Marshal(out[0].Interface())
		if err != nil {
			t.Fatal(err)
		}
		// A tab that is not there is the one null that the contract knows.
		for _, field := range regexp.MustCompile(`"([a-z_]+)":null`).FindAllStringSubmatch(string(raw), -1) {
			if field[1] != "tab" {
				t.Errorf("%s: %s is null", name, field[1])
			}
		}
	}
	page, err := w.Runs(1, "", "")
	if err != nil || page.Runs == nil || page.Sites == nil {
		t.Errorf("Runs: %+v, %v", page, err)
	}
	l, err := w.Ledger("")
	if err != nil || l.Actions == nil {
		t.Errorf("Ledger: %+v, %v", l, err)
	}
}

func TestHud(t *testing.T) {
	w := newWorld(t)
	w.sessions.live = []LiveSession{{ID: "qmrt"}}
	h, err := w.Hud()
	if err != nil {
		t.Fatal(err)
	}
	if h.Browser.Major != "156" || h.API.Address != "127.0.0.1:7423" || h.API.Clients != 1 || !h.Walk.On || h.Patch.Armed || len(h.Faults) != 0 {
		t.Errorf("a calm HUD is %+v", h)
	}

	if _, err := w.Arm(settings.ForceOpen, "ARM"); err != nil {
		t.Fatal(err)
	}
	w.patched = []PatchedTab{{"t6", "lab.example"}}
	w.browser.tell(browser.Event{Kind: "tab_changed", TabID: "t6"})
	if h, _ = w.Hud(); !h.Patch.Armed || len(h.Patch.Tabs) != 1 {
		t.Errorf("armed, with a patched tab: %+v", h.Patch)
	}
	if _, err := w.SetSwitch(settings.ForceOpen, false); err != nil {
		t.Fatal(err)
	}
	if h, _ = w.Hud(); h.Patch.Armed || len(h.Patch.Tabs) != 1 {
		t.Errorf("disarmed, with a tab still patched: %+v", h.Patch)
	}
}

func TestEnvironmentDecides(t *testing.T) {
	w := newWorld(t, "KUANG_SHADOW_WALK=off", "KUANG_FORCE_OPEN_SHADOW=1")
	h, err := w.Hud()
	if err != nil {
		t.Fatal(err)
	}
	if h.Walk.On || h.Walk.Locked != "KUANG_SHADOW_WALK=off" || h.Patch.Armed {
		t.Errorf("with the kill-switch: %+v, %+v", h.Walk, h.Patch)
	}
}

// TestLookingIsQuiet: the documents are asked when one of them or the policy changed, not when a person looks.
func TestLookingIsQuiet(t *testing.T) {
	w := newWorld(t)
	for range 5 {
		_, _ = w.Hud()
		_, _ = w.ShadowWalk()
	}
	w.browser.tell(browser.Event{Kind: "status"})
	_, _ = w.Hud()
	if w.asks != 1 {
		t.Errorf("the documents were asked %d times for one state", w.asks)
	}
	w.browser.tell(browser.Event{Kind: "tab_opened"})
	_, _ = w.Hud()
	if w.asks != 2 {
		t.Errorf("after a change they were asked %d times in all", w.asks)
	}
}

func TestFaults(t *testing.T) {
	w := newWorld(t)
	w.browser.status = browser.Status{State: browser.Down, Problem: &browser.Problem{What: "Another Chromium holds the profile.", Fix: "Close it."}}
	w.database.broken = "kuang.db.broken-1"
	Report(w.Panel, errors.New("port 7423 is taken"))
	h, err := w.Hud()
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, f := range h.Faults {
		codes = append(codes, f.Code)
		if f.What == "" || f.Do == "" || !strings.HasSuffix(f.What, ".") || !strings.HasSuffix(f.Do, ".") {
			t.Errorf("%s is not two sentences: %q %q", f.Code, f.What, f.Do)
		}
		if (f.Route == "") != (f.Label == "") {
			t.Errorf("%s leads to %q by %q", f.Code, f.Route, f.Label)
		}
	}
	if got := strings.Join(codes, " "); got != "START_FAILED BROWSER_DOWN DATABASE_SET_ASIDE" {
		t.Errorf("faults: %s", got)
	}
	b, _ := w.Browser()
	if len(b.Faults) != 1 || b.Faults[0].What != "Another Chromium holds the profile." || b.Faults[0].Remedy != RemedyRestartBrowser {
		t.Errorf("the browser's own faults: %+v", b.Faults)
	}
}

func TestDamagedPolicyIsSaid(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "shadow-walk.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := settings.Open(dir, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.cfg.Policy = store
	walk, _ := w.ShadowWalk()
	if len(walk.Faults) != 1 || walk.Faults[0].Code != "FILE_SET_ASIDE" || !strings.Contains(walk.Faults[0].Do, "shadow-walk.json.broken-") {
		t.Errorf("faults: %+v", walk.Faults)
	}
}

func TestLeversAreWhole(t *testing.T) {
	w := newWorld(t)
	walk, err := w.ShadowWalk()
	if err != nil {
		t.Fatal(err)
	}
	if len(walk.Levers) != len(settings.Levers()) {
		t.Fatalf("%d levers of %d", len(walk.Levers), len(settings.Levers()))
	}
	for _, l := range walk.Levers {
		if !l.Default {
			t.Errorf("%s is not at its default at first", l.Key)
		}
	}
	walk, err = w.SetSwitch("shadow.axSealed", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range walk.Levers {
		if l.Key == "shadow.axSealed" && (l.On || l.Default) {
			t.Errorf("turned off it is %+v", l)
		}
	}
	if walk.SavedAt.IsZero() {
		t.Error("a saved change has no time")
	}
	if walk, err = w.ResetShadowWalk(); err != nil || !walk.Levers[1].On {
		t.Errorf("reset: %+v, %v", walk.Levers[1], err)
	}
}

func TestRefusedChanges(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]struct {
		change func() error
		code   ErrorCode
	}{
		"risky without its confirm": {func() error { _, err := w.SetSwitch(settings.ForceOpen, true); return err }, CodeNeedsArm},
		"the wrong word":            {func() error { _, err := w.Arm(settings.ForceOpen, "arm"); return err }, CodeInvalid},
		"an unknown lever":          {func() error { _, err := w.SetSwitch("nothing", true); return err }, CodeInvalid},
		"a lever of another build":  {func() error { _, err := w.SetNumber("frames.maxFrames", 7); return err }, CodeInvalid},
		"an unknown theme":          {func() error { _, err := w.SetTheme("plaid"); return err }, CodeInvalid},
		"a closed tab":              {func() error { return w.ReloadTab("t9") }, CodeUnknownTab},
		"an unknown run":            {func() error { _, err := w.Run("R9"); return err }, CodeUnknownRun},
	} {
		t.Run(name, func(t *testing.T) {
			got := bridged(t, c.change())
			if got.Code != c.code || got.What == "" {
				t.Errorf("it answered %+v", got)
			}
		})
	}
}

func TestAFailedSaveKeepsThePolicyAndSaysWhy(t *testing.T) {
	w := newWorld(t)
	w.cfg.Policy = failingPolicy{w.policy}
	_, err := w.SetSwitch("shadow.axSealed", false)
	if got := bridged(t, err); got.Code != CodeSaveFailed || !strings.Contains(got.What, "no space") || got.Do == "" {
		t.Errorf("it answered %+v", got)
	}
}

type failingPolicy struct{ *settings.Store }

func (failingPolicy) Set(string, any) error { return errors.New("no space left on device") }

// bridged sends err over the bridge and back.
func bridged(t *testing.T, err error) BridgeError {
	t.Helper()
	if err == nil {
		t.Fatal("it did not fail")
	}
	text, ok := FormatError(err).(string)
	if !ok {
		t.Fatal("an error crosses as text")
	}
	var b BridgeError
	if err := json.Unmarshal([]byte(text), &b); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return b
}

func TestAnyErrorCrosses(t *testing.T) {
	if got := bridged(t, errors.New("surprise")); got.Code != CodeInternal || !strings.Contains(got.What, "surprise") {
		t.Errorf("it answered %+v", got)
	}
}

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

func TestToken(t *testing.T) {
	w := newWorld(t)
	if got, err := w.RotateToken(); err != nil || got.Value != strings.Repeat("b", 64) {
		t.Errorf("%+v, %v", got, err)
	}
	w.token.err = errors.New("read-only")
	_, err := w.RotateToken()
	if got := bridged(t, err); got.Code != CodeTokenFailed || !strings.Contains(got.Do, "old one still works") {
		t.Errorf("%+v", got)
	}
}

func TestThemeIsKept(t *testing.T) {
	w := newWorld(t)
	if _, err := w.SetTheme(ThemeNeon); err != nil {
		t.Fatal(err)
	}
	again, err := settings.OpenPreferences(w.dir)
	if err != nil || again.Get().Appearance.Theme != "neon" {
		t.Errorf("the next start reads %q, %v", again.Get().Appearance.Theme, err)
	}
}

// TestRestartDoesNotWait: a browser takes its time, and the panel must not stand still for it.
func TestRestartDoesNotWait(t *testing.T) {
	w := newWorld(t)
	began, end := make(chan struct{}), make(chan struct{})
	w.browser.restart = func(context.Context) error { close(began); <-end; return errors.New("no browser") }
	if err := w.RestartBrowser(); err != nil {
		t.Fatal(err)
	}
	<-began
	close(end)
}

func TestAnnouncements(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.browser.tell(browser.Event{Kind: "status"}) // Before there is a window, nobody is told.
		told := make(chan Topic, 1000)
		Attach(w.Panel, func(event string, data any) {
			if event != Event {
				t.Errorf("event %s", event)
			}
			told <- data.(Changed).Topic
		}, nil)
		count := func(topic Topic) (n int) {
			synctest.Wait()
			for {
				select {
				case got := <-told:
					if got == topic {
						n++
					}
				default:
					return n
				}
			}
		}
		for range 300 {
			w.called("aaaa", "one", runs.Entry{})
		}
		if n := count(TopicRuns); n != 1 {
			t.Errorf("a burst was told of %d times at once", n)
		}
		time.Sleep(announceGap + time.Millisecond) // The bubble's clock, not a wait.
		if n := count(TopicRuns); n != 1 {
			t.Errorf("the end of a burst was told of %d times", n)
		}
		time.Sleep(time.Hour)
		if n := count(TopicRuns); n != 0 {
			t.Errorf("silence was told of %d times", n)
		}
		w.walker.tell(true)
		w.walker.tell(false)
		if n := count(TopicHud); n != 1 {
			t.Errorf("a sealed read was told of %d times", n)
		}
		if h, _ := w.Hud(); h.Sealed.Reads != 1 {
			t.Errorf("%d reads", h.Sealed.Reads)
		}
		Close(w.Panel)
		time.Sleep(time.Hour)
	})
}

func TestActivityIsBounded(t *testing.T) {
	a := newActivity()
	for i := range activityKept + 50 {
		a.record(runs.Run{Session: string(rune(0x4e00 + i))}, runs.Entry{At: time.Unix(int64(i), 0)})
	}
	all := a.all()
	if len(all) != activityKept || all[0].last.Unix() != activityKept+49 || all[len(all)-1].last.Unix() != 50 {
		t.Errorf("%d kept, from %v to %v", len(all), all[len(all)-1].last.Unix(), all[0].last.Unix())
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
