package app

import (
	"strings"
	"testing"
	"time"
)

// idle is how long the quiet rule watches a tab that nobody asks anything. It is the length of an observation, not a
// wait for something to happen.
const idle = 3 * time.Second

// loud are the protocol methods that no call may cause unless it asks for sealed content.
func loud(method string) bool {
	for _, domain := range []string{"Accessibility.", "DOM.", "CSS.", "DOMSnapshot.", "Overlay."} {
		if strings.HasPrefix(method, domain) {
			return true
		}
	}
	return method == "Runtime.enable"
}

func TestQuietUntilAsked(t *testing.T) {
	k := startLive(t, nil)
	pages := serveFixtures(t)
	k.must(t, "navigate", map[string]any{"url": "about:blank"})
	k.must(t, "bridge_health", map[string]any{"reset_counters": true})

	for _, page := range []string{"/closed-root.html", "/frames.html"} {
		k.must(t, "navigate", map[string]any{"url": pages + page})
		k.must(t, "observe", map[string]any{"as": "components"})
		k.must(t, "observe", map[string]any{"as": "text"})
		k.must(t, "find", map[string]any{"role": "button"})
		k.must(t, "page_state", nil)
		k.must(t, "screenshot", nil)
	}
	opened := k.must(t, "tabs", map[string]any{"action": "create", "url": pages + "/closed-root.html"})
	k.must(t, "tabs", map[string]any{"action": "select", "id": "t1"})
	k.must(t, "find", map[string]any{"name": "Confirm order"})
	t.Logf("opened %v; idle for %v", opened.object["tab"], idle)
	<-time.After(idle)

	counts := k.protocolCounts()
	for method, n := range counts {
		if loud(method) && n > 0 {
			t.Errorf("%s was sent %d times", method, n)
		}
	}
	if counts["Page.navigate"] == 0 || counts["Runtime.callFunctionOn"] == 0 {
		t.Errorf("the counters do not count: %v", counts)
	}

	// The rule would hold in a build that can read nothing sealed, so show that an ask is counted.
	k.must(t, "find", map[string]any{"role": "button", "sealed": true})
	if counts := k.protocolCounts(); counts["DOM.performSearch"] == 0 || counts["Accessibility.getPartialAXTree"] == 0 {
		t.Errorf("a sealed read is not in the counters: %v", counts)
	}
}

func TestPageCannotTellThatItWasScanned(t *testing.T) {
	k := startLive(t, nil)
	pages := serveFixtures(t)
	k.must(t, "navigate", map[string]any{"url": pages + "/closed-root.html"})
	k.value(t, `void (window.records = 0, new MutationObserver((list) => { window.records += list.length })
		.observe(document, {subtree: true, childList: true, attributes: true, characterData: true}))`)
	before := k.value(t, `Object.getOwnPropertyNames(window).sort().join() + document.documentElement.outerHTML`)

	k.must(t, "observe", map[string]any{"as": "components"})
	k.must(t, "observe", map[string]any{"as": "text"})
	k.must(t, "find", map[string]any{"role": "button"})
	k.must(t, "find", map[string]any{"role": "button", "sealed": true})

	if got := k.value(t, `new Promise((done) => setTimeout(() => done(window.records)))`); got != float64(0) {
		t.Errorf("the page saw %v mutations", got)
	}
	if after := k.value(t, `Object.getOwnPropertyNames(window).sort().join() + document.documentElement.outerHTML`); after != before {
		t.Errorf("the page changed from\n%v to\n%v", before, after)
	}
	k.value(t, `void document.body.append("seen")`)
	if got := k.value(t, `new Promise((done) => setTimeout(() => done(window.records)))`); got == float64(0) {
		t.Error("the observer is blind, so the test shows nothing")
	}
}
