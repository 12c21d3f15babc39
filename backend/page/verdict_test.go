package page_test

import (
	"strings"
	"testing"

	"kuang/backend/page"
)

func TestVerdictOnARestlessPage(t *testing.T) {
	r := open(t, `<!doctype html><p id=clock>0</p><div id=spin>x</div><button id=dead>Dead</button>
<button id=late onclick="setTimeout(() => out.textContent = 'late', 120)">Late</button><button id=now onclick="out.textContent = 'now'">Now</button><p id=out></p>
<script>
setInterval(() => clock.textContent = +clock.textContent + 1, 150);
(function turn() { spin.style.transform = 'rotate(' + performance.now() + 'deg)'; requestAnimationFrame(turn) })();
</script>`)
	for _, c := range []struct {
		selector string
		want     page.Verdict
	}{{"#dead", page.NoEffect}, {"#late", page.Effect}, {"#now", page.Effect}} {
		got := r.act(map[string]any{"action": "click", "selector": c.selector})
		if got.Verdict != c.want {
			t.Errorf("%s: %s", c.selector, text(t, got))
		}
		if c.want == page.Effect && !strings.HasPrefix(got.Delta.Changes[0], "text of <p#out>") {
			t.Errorf("%s: changes %q", c.selector, got.Delta.Changes)
		}
	}
}

func TestDialogsAreTold(t *testing.T) {
	r := open(t, `<!doctype html><button id=a onclick="alert('Heads up')">Alert</button><button id=c onclick="window.answer = confirm('Sure?')">Confirm</button>`)
	got := r.act(map[string]any{"action": "click", "selector": "#a"})
	if got.Verdict != page.Effect || len(got.Delta.Dialogs) != 1 || got.Delta.Dialogs[0].Message != "Heads up" {
		t.Errorf("alert: %s", text(t, got))
	}
	got = r.act(map[string]any{"action": "click", "selector": "#c"})
	if len(got.Delta.Dialogs) != 1 || got.Delta.Dialogs[0].Answer != "dismissed" {
		t.Errorf("confirm: %s", text(t, got))
	}
	r.holds("answer === false")
}

func TestEffectsThatAreNoMutation(t *testing.T) {
	r := open(t, `<!doctype html><label><input type=checkbox id=tick> Tick</label><button popovertarget=pop>Pop</button><div popover id=pop>Popover</div>
<a href="#down">Down</a><div style="height:3000px"></div><p id=down>Here</p><script>navigator.sendBeacon</script>`)
	for _, c := range []struct{ role, name string }{{"checkbox", "Tick"}, {"button", "Pop"}, {"link", "Down"}} {
		got := r.act(map[string]any{"action": "click", "mark_id": r.one(c.role, c.name).Mark})
		if got.Verdict != page.Effect {
			t.Errorf("%s: %s", c.name, text(t, got))
		}
	}
	got := r.act(map[string]any{"action": "scroll_into_view", "selector": "input"})
	if got.Verdict != page.Effect || got.Delta.Scrolled == nil {
		t.Errorf("scroll: %s", text(t, got))
	}
	if got = r.act(map[string]any{"action": "scroll_into_view", "selector": "input"}); got.Verdict != page.NoEffect {
		t.Errorf("scroll again: %s", text(t, got))
	}
}

func TestFetchedEffectIsWaitedFor(t *testing.T) {
	r := open(t, `<!doctype html><button onclick="fetch('/data').then(r => r.text()).then(s => out.textContent = s)">Load</button><p id=out></p>`,
		map[string]string{"/data": "loaded"})
	got := r.act(map[string]any{"action": "click", "selector": "button"})
	if got.Verdict != page.Effect || got.Delta.Requests != 1 {
		t.Errorf("fetch: %s", text(t, got))
	}
}

func TestSubmitByKeyNavigates(t *testing.T) {
	r := open(t, `<!doctype html><title>Search</title><form action="/next"><input name=q aria-label=Query></form>`, map[string]string{"/next": next})
	r.act(map[string]any{"action": "type", "selector": "input", "text": "kuang"})
	got := r.act(map[string]any{"action": "press", "key": "Enter"})
	if got.Verdict != page.Navigated || got.Delta.Title == nil || got.Delta.Title.From != "Search" || got.Delta.Title.To != "Next" {
		t.Errorf("enter: %s", text(t, got))
	}
	got = r.act(map[string]any{"action": "press", "key": "Tab"})
	if got.Verdict == page.Navigated {
		t.Errorf("tab: %s", text(t, got))
	}
}
