package page_test

import (
	"testing"

	"kuang/backend/page"
	"kuang/backend/verb"
)

func TestHealthSaysWhatIsAllowedAndWhatWasAsked(t *testing.T) {
	r := open(t, shop)
	do[page.HealthOut](r, "bridge_health", map[string]any{"reset_counters": true})
	r.observe(nil)
	got := do[page.HealthOut](r, "bridge_health", nil)
	if got.Status != "ok" || got.App != "kuang" || got.Version != "test" || got.Input.Transport != "cdp" || got.Browser.Version == "" {
		t.Errorf("health: %s", text(t, got))
	}
	if !got.ShadowWalk.Enabled || got.ShadowWalk.Levers["shadow.axSealed"] != true || got.ShadowWalk.Levers["shadow.forceOpen"] != false || got.ShadowWalk.ForceOpen {
		t.Errorf("shadow walk: %s", text(t, got.ShadowWalk))
	}
	for _, c := range got.Counters {
		if c.Tab == r.tab.ID() && (c.Commands["Runtime.callFunctionOn"] == 0 || c.Commands["Page.navigate"] != 0) {
			t.Errorf("counters: %s", text(t, c))
		}
	}
	contains(t, text(t, got.Capabilities), "observe:components,text", "find:sealed", "screenshot")
	r.policy = without(t, "enabled")
	got = do[page.HealthOut](r, "bridge_health", nil)
	if got.ShadowWalk.Enabled || got.ShadowWalk.Levers["shadow.axSealed"] != false {
		t.Errorf("master off: %s", text(t, got.ShadowWalk))
	}
	if got.LastActionAt != nil {
		t.Error("there was no action yet")
	}
	r.act(map[string]any{"action": "hover", "selector": "button:not([disabled])"})
	if got = do[page.HealthOut](r, "bridge_health", nil); got.LastActionAt == nil {
		t.Error("the action is not told")
	}
}

func TestTabs(t *testing.T) {
	r := open(t, shop, map[string]string{"/next": next})
	list := do[page.TabsOut](r, "tabs", map[string]any{"action": "list"})
	for _, row := range list.Tabs {
		if row.Owner == "you" || row.URL != "" {
			t.Errorf("a tab that is not the session's: %s", text(t, row))
		}
	}
	first := do[page.TabsOut](r, "tabs", map[string]any{"action": "create", "url": r.ip + "/next"})
	second := do[page.TabsOut](r, "tabs", map[string]any{"action": "create", "active": false})
	active := func(o page.TabsOut) (id string, mine int) {
		for _, row := range o.Tabs {
			if row.Active {
				id = row.ID
			}
			if row.Owner == "you" {
				mine++
			}
		}
		return id, mine
	}
	if id, mine := active(second); id != first.ID || mine != 2 {
		t.Errorf("after two: %s", text(t, second))
	}
	if id, _ := active(do[page.TabsOut](r, "tabs", map[string]any{"action": "select", "id": second.ID})); id != second.ID {
		t.Errorf("selected %s, active is %s", second.ID, id)
	}
	for _, id := range []string{second.ID, first.ID} {
		if got := do[page.TabsOut](r, "tabs", map[string]any{"action": "close", "id": id}); got.ID != id {
			t.Errorf("closed %s", text(t, got))
		}
	}
	if _, err := try[page.TabsOut](r, "tabs", map[string]any{"action": "select", "id": r.tab.ID()}); err == nil {
		t.Error("a tab of somebody else was selected")
	}
	refused(r, "tabs", map[string]any{"action": "select"}, verb.BadRequest)
	refused(r, "tabs", map[string]any{"action": "list", "url": "x"}, verb.BadRequest)
}

func TestSentences(t *testing.T) {
	r := open(t, form, map[string]string{"/next": next})
	sentence := func(name string, in map[string]any) string {
		t.Helper()
		return said(r, name, in)
	}
	for _, c := range []struct {
		name, want string
		in         map[string]any
	}{
		{"act", "Clicked “Save” on ", map[string]any{"action": "click", "selector": "#go"}},
		{"act", "Typed 3 characters into “City” on ", map[string]any{"action": "type", "selector": "#city", "text": "abc"}},
		{"act", "Typed a secret into “Key” on ", map[string]any{"action": "type", "selector": "#key", "text": "zzz", "secret": true}},
		{"act", "Emptied “City” on ", map[string]any{"action": "type", "selector": "#city", "clear_first": true}},
		{"act", "Pressed “Control+A” on ", map[string]any{"action": "press", "key": "Control+A"}},
		{"act", "", map[string]any{"action": "click", "selector": "#go", "dry_run": true}},
		{"navigate", "Opened “Next” on ", map[string]any{"url": r.ip + "/next"}},
	} {
		got := sentence(c.name, c.in)
		if c.want == "" && got != "" || c.want != "" && (len(got) <= len(c.want) || got[:len(c.want)] != c.want) {
			t.Errorf("%v: %q, want %q…", c.in, got, c.want)
		}
		lacks(t, got, "zzz", "abc")
	}
}
