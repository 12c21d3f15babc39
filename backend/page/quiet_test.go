package page_test

import (
	"strings"
	"testing"

	"kuang/backend/page"
)

// spy counts what a page can notice of a reading: changes to the document, globals, and listeners that see events.
const spy = `<script>
window.records = 0;
new MutationObserver(list => records += list.length).observe(document, {subtree:true, childList:true, attributes:true, characterData:true});
</script>`

// snapshot keeps how the page is, and changed names what of it is another since: the document, the globals that the
// page's own script can see, the style sheets, the focus, the scroll position.
const (
	snapshot = `void (window.kept = (window.keep = () => ({html: document.documentElement.outerHTML,
		globals: Object.getOwnPropertyNames(window).filter(n => n !== 'event').sort().join(), sheets: document.styleSheets.length,
		focus: document.activeElement?.tagName, scroll: [scrollX, scrollY].join()}))())`
	changed = `Object.entries(keep()).filter(([k, v]) => kept[k] !== v).map(([k]) => k).join()`
)

func TestReadingLeavesNothingAndIsNotSeen(t *testing.T) {
	r := open(t, shop+spy, map[string]string{"/child": "<button>Child</button>"})
	r.js("document.body.append(Object.assign(document.createElement('iframe'), {src: '/child'})); new Promise(done => setTimeout(done, 300))")
	r.js("records = 0")
	r.js(snapshot)
	r.js(snapshot) // Once more, so that it holds its own two names.
	r.tab.Session().Reset()
	r.observe(nil)
	r.observe(map[string]any{"include_offscreen": true, "budget": 0})
	r.observe(map[string]any{"as": "text"})
	r.observe(map[string]any{"region": "main"})
	for _, q := range []map[string]any{
		{"role": "button"}, {"name": "Save"}, {"contains": "Order"}, {"regex": "sav|pay"}, {"tag": "input"}, {"selector": "my-box button"},
	} {
		r.find(q)
	}
	do[page.PageStateOut](r, "page_state", nil)
	do[page.WaitForOut](r, "wait_for", map[string]any{"conditions": []any{map[string]any{"type": "text", "text": "Order"}}})
	do[page.ScreenshotOut](r, "screenshot", nil)
	for method, n := range r.tab.Session().Counts() {
		domain, name, _ := strings.Cut(method, ".")
		switch {
		case domain == "DOM", domain == "CSS", domain == "Accessibility", domain == "DOMSnapshot", domain == "Overlay", name == "enable":
			t.Errorf("%s was sent %d times", method, n)
		}
	}
	r.holds("records === 0")
	if what := r.js(changed); what != `""` {
		t.Errorf("the page has another %s", what)
	}
}

func TestActingLeavesNothing(t *testing.T) {
	r := open(t, form)
	r.js(snapshot)
	r.js(snapshot)
	r.act(map[string]any{"action": "click", "selector": "#dead"})
	r.act(map[string]any{"action": "hover", "selector": "#go"})
	if what := r.js(changed); what != `"focus"` {
		t.Errorf("the page has another %s", what)
	}
}
