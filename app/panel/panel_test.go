package panel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"kuang/backend/api"
	"kuang/backend/browser"
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

func TestTakenPortIsSaid(t *testing.T) {
	f := startFault(fmt.Errorf("starting: %w", &api.PortTakenError{Port: 7423, Cause: errors.New("bind: address already in use")}))
	if f.Code != "PORT_TAKEN" || !strings.Contains(f.What, "port 7423") || strings.Contains(f.What+f.Do, "bind") {
		t.Errorf("the fault is %+v", f)
	}
}
