package page_test

import (
	"testing"

	"kuang/backend/page"
	"kuang/backend/verb"
)

const form = `<!doctype html><title>Form</title><body style="margin:20px">
<p id=out>-</p>
<button id=go onclick="window.hits=(window.hits||[]).concat(event.isTrusted); out.textContent='Saved'">Save</button>
<button id=dead>Dead</button>
<button id=off disabled onclick="window.bad=1">Off</button>
<label>City <input id=city value="Oslo"></label>
<label>Key <input id=key type=password value="old"></label>
<label>Locked <input id=ro readonly value="keep"></label>
<label>Bio <textarea id=bio>one</textarea></label>
<div id=rich contenteditable style="border:1px solid">rich</div>
<input id=stubborn aria-label=Stubborn>
<script>stubborn.addEventListener('keydown', e => e.preventDefault()); stubborn.addEventListener('beforeinput', e => e.preventDefault());</script>
<a id=next href="/next">Next page</a> <a id=blank href="/next" target=_blank>New tab</a>
<div style="height:2000px"></div>
<button id=far onclick="out.textContent='far'">Far away</button>
<div style="position:fixed;right:0;top:0;width:200px;height:60px;background:#ddd" role=dialog aria-label="Cookie wall">cookies</div>
<button id=under style="position:fixed;right:20px;top:10px" onclick="window.bad=2">Under</button>
<div style="position:fixed;right:0;top:0;width:200px;height:60px;background:#ddd" role=dialog aria-label="Cookie wall">cookies</div>
</body>`

const next = `<!doctype html><title>Next</title><h1>Next</h1>`

func TestClickIsTrustedAndShowsItsEffect(t *testing.T) {
	r := open(t, form)
	got := r.act(map[string]any{"action": "click", "mark_id": r.one("button", "Save").Mark})
	if got.Verdict != page.Effect || !got.Delta.Received || got.Delta.Mutations == 0 || got.Target.Name != "Save" {
		t.Errorf("click: %s", text(t, got))
	}
	r.holds("hits.length === 1 && hits[0] === true")
}

func TestDeadButtonHasNoEffect(t *testing.T) {
	r := open(t, form)
	got := r.act(map[string]any{"action": "click", "selector": "#dead"})
	if got.Verdict != page.NoEffect || !got.Delta.Received {
		t.Errorf("click: %s", text(t, got))
	}
}

func TestRefusedBeforeAnythingIsSent(t *testing.T) {
	r := open(t, form)
	before := r.js("document.documentElement.outerHTML + city.value + ro.value")
	refused(r, "act", map[string]any{"action": "click", "selector": "#off"}, verb.NotEnabled)
	refused(r, "act", map[string]any{"action": "type", "selector": "#ro", "text": "x", "clear_first": true}, verb.NotEditable)
	refused(r, "act", map[string]any{"action": "type", "selector": "#go", "text": "x"}, verb.NotEditable)
	e := refused(r, "act", map[string]any{"action": "click", "selector": "#under"}, verb.NotClickable)
	contains(t, text(t, e), "Cookie wall")
	refused(r, "act", map[string]any{"action": "click", "selector": "#none"}, verb.NoTarget)
	refused(r, "act", map[string]any{"action": "click", "selector": "#["}, verb.BadRequest)
	refused(r, "act", map[string]any{"action": "click", "mark_id": 77}, verb.StaleRef)
	refused(r, "act", map[string]any{"action": "click", "x": 5000, "y": 5}, verb.BadRequest)
	r.holds("window.bad === undefined")
	if after := r.js("document.documentElement.outerHTML + city.value + ro.value"); after != before {
		t.Error("a refused action changed the page")
	}
}

func TestWrongInputs(t *testing.T) {
	r := open(t, form)
	for _, in := range []map[string]any{
		{"action": "click"},
		{"action": "click", "mark_id": 1, "selector": "#go"},
		{"action": "click", "x": 1},
		{"action": "click", "x": 1, "y": 1, "selector": "#go"},
		{"action": "type", "selector": "#city"},
		{"action": "click", "selector": "#city", "text": "x"},
		{"action": "press", "selector": "#city"},
		{"action": "press", "x": 1, "y": 1, "key": "a"},
		{"action": "click", "selector": "#city", "key": "a"},
		{"action": "press", "key": "NoSuchKeyAtAll"},
	} {
		if in["key"] == "NoSuchKeyAtAll" {
			if _, err := try[page.ActOut](r, "act", in); err == nil {
				t.Errorf("%v was accepted", in)
			}
			continue
		}
		refused(r, "act", in, verb.BadRequest)
	}
}

func TestTypeIsReadBack(t *testing.T) {
	r := open(t, form)
	got := r.act(map[string]any{"action": "type", "selector": "#city", "text": " 渋谷 🍜"})
	if got.Verdict != page.Effect || !got.Typing.Landed || !*got.Typing.Exact || *got.Typing.Value != "Oslo 渋谷 🍜" ||
		*got.Typing.CharsBefore != 4 || *got.Typing.CharsAfter != 9 || got.Typing.Keydowns == 0 || got.Target.Field.Tag != "input" {
		t.Errorf("append: %s", text(t, got))
	}
	got = r.act(map[string]any{"action": "type", "selector": "#city", "text": "Mira", "clear_first": true})
	if *got.Typing.Value != "Mira" || !*got.Typing.Exact || got.Warning != "" {
		t.Errorf("replace: %s", text(t, got))
	}
	got = r.act(map[string]any{"action": "type", "selector": "#bio", "text": "\ntwo"})
	if *got.Typing.Value != "one\ntwo" || !*got.Typing.Exact {
		t.Errorf("textarea: %s", text(t, got))
	}
	got = r.act(map[string]any{"action": "type", "selector": "#rich", "text": " text"})
	if *got.Typing.Value != "rich text" {
		t.Errorf("contenteditable: %s", text(t, got))
	}
	got = r.act(map[string]any{"action": "type", "selector": "#city", "clear_first": true})
	if *got.Typing.Value != "" || got.Verdict != page.Effect {
		t.Errorf("emptied: %s", text(t, got))
	}
	r.holds("city.value === '' && bio.value === 'one\\ntwo'")
}

func TestSecretsNeverComeBack(t *testing.T) {
	r := open(t, form)
	got := r.act(map[string]any{"action": "type", "selector": "#key", "text": "s3cret-A", "clear_first": true})
	lacks(t, text(t, got), "s3cret-A")
	if !got.Typing.Landed || *got.Typing.CharsAfter != 8 || got.Typing.Value != nil {
		t.Errorf("password: %s", text(t, got))
	}
	got = r.act(map[string]any{"action": "type", "selector": "#city", "text": "s3cret-B", "clear_first": true, "secret": true})
	lacks(t, text(t, got), "s3cret-B")
	if !*got.Typing.Exact {
		t.Errorf("secret: %s", text(t, got))
	}
	lacks(t, text(t, r.observe(map[string]any{"include_offscreen": true})), "s3cret")
	lacks(t, text(t, r.observe(map[string]any{"as": "text"})), "s3cret")
	lacks(t, text(t, r.find(map[string]any{"tag": "input"})), "s3cret")
	lacks(t, text(t, do[page.PageStateOut](r, "page_state", nil)), "s3cret")
	r.holds("key.value === 's3cret-A' && city.value === 's3cret-B'")
}

func TestTypingThatThePageRejects(t *testing.T) {
	r := open(t, form)
	e := refused(r, "act", map[string]any{"action": "type", "selector": "#stubborn", "text": "abc"}, verb.TypeNoEffect)
	if e.Evidence["keydowns"].(int) < 3 {
		t.Errorf("evidence: %s", text(t, e))
	}
}

func TestFarTargetIsScrolledTo(t *testing.T) {
	r := open(t, form)
	got := r.act(map[string]any{"action": "click", "selector": "#far"})
	if got.Verdict != page.Effect {
		t.Errorf("far: %s", text(t, got))
	}
	r.holds("out.textContent === 'far'")
}

func TestClickThatNavigates(t *testing.T) {
	r := open(t, form, map[string]string{"/next": next})
	link := r.one("link", "Next page")
	got := r.act(map[string]any{"action": "click", "mark_id": link.Mark})
	if got.Verdict != page.Navigated || got.Delta.URL == nil || got.Delta.Title.To != "Next" {
		t.Errorf("navigate: %s", text(t, got))
	}
	refused(r, "act", map[string]any{"action": "click", "mark_id": link.Mark}, verb.StaleRef)
	heading := r.one("heading", "Next")
	if heading.Mark == link.Mark {
		t.Error("a mark was given twice")
	}
	// The number stays the old element's even though another document is here.
	refused(r, "act", map[string]any{"action": "click", "mark_id": link.Mark}, verb.StaleRef)
}

func TestClickThatOpensATab(t *testing.T) {
	r := open(t, form, map[string]string{"/next": next})
	got := r.act(map[string]any{"action": "click", "selector": "#blank"})
	if got.Verdict != page.Effect || len(got.Delta.NewTabs) != 1 {
		t.Fatalf("new tab: %s", text(t, got))
	}
	r.closeTab(got.Delta.NewTabs[0].ID)
}

func TestPressGoesToTheFocusOrTheTarget(t *testing.T) {
	r := open(t, form)
	r.act(map[string]any{"action": "focus", "selector": "#go"})
	r.holds("document.activeElement === go")
	got := r.act(map[string]any{"action": "press", "key": "Enter"})
	if got.Verdict != page.Effect {
		t.Errorf("press: %s", text(t, got))
	}
	r.act(map[string]any{"action": "press", "selector": "#city", "key": "Control+A"})
	r.act(map[string]any{"action": "press", "key": "x"})
	r.holds("city.value === 'x' && hits.length === 1")
}

func TestDryRunSendsNothing(t *testing.T) {
	r := open(t, form)
	got := r.act(map[string]any{"action": "click", "selector": "#go", "dry_run": true})
	if got.Verdict != "" || got.Target.Point == nil || got.Refused != nil {
		t.Errorf("dry run: %s", text(t, got))
	}
	got = r.act(map[string]any{"action": "click", "selector": "#off", "dry_run": true})
	if got.Refused == nil || got.Refused.Code != string(verb.NotEnabled) {
		t.Errorf("dry run of a disabled button: %s", text(t, got))
	}
	r.holds("window.hits === undefined && scrollY === 0")
}

func TestCoordinatesAndHover(t *testing.T) {
	r := open(t, form)
	m := r.one("button", "Save")
	x, y := m.Rect.X+m.Rect.W/2, m.Rect.Y+m.Rect.H/2
	got := r.act(map[string]any{"action": "click", "x": x, "y": y})
	if got.Verdict != page.Effect || got.Target.Name != "Save" {
		t.Errorf("x and y: %s", text(t, got))
	}
	r.js("go.onmouseenter = () => out.textContent = 'over'")
	r.act(map[string]any{"action": "hover", "selector": "#dead"})
	got = r.act(map[string]any{"action": "hover", "selector": "#go"})
	if got.Verdict != page.Effect {
		t.Errorf("hover: %s", text(t, got))
	}
	r.js("go.ondblclick = () => window.twice = 1")
	r.act(map[string]any{"action": "double_click", "selector": "#go"})
	r.holds("out.textContent === 'Saved' && window.twice === 1")
}
