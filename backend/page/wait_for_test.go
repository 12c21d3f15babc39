package page_test

import (
	"encoding/json"
	"testing"
	"time"

	"kuang/backend/page"
	"kuang/backend/verb"
)

const slow = `<!doctype html><title>Slow</title><body>
<div id=spin class=spinner>Loading</div><p hidden>Never shown</p><x-open></x-open>
<script>
customElements.define('x-open', class extends HTMLElement { connectedCallback() { this.attachShadow({mode:'open'}) } });
setTimeout(() => {
  spin.remove();
  document.querySelector('x-open').shadowRoot.innerHTML = '<p class=late>Total: <b>£</b>12</p>';
  history.pushState(0, '', '/results?q=1');
}, 250);
</script></body>`

func wait(r *rig, in map[string]any) page.WaitForOut {
	r.t.Helper()
	return do[page.WaitForOut](r, "wait_for", in)
}

func cond(pairs ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

func TestWaitForAll(t *testing.T) {
	r := open(t, slow)
	got := wait(r, map[string]any{"require": "all", "conditions": []any{
		cond("type", "gone", "selector", ".spinner"), cond("type", "selector", "selector", ".late"),
		cond("type", "text", "text", "total: £12"), cond("type", "text", "regex", "Total: £\\d+"),
		cond("type", "url", "pattern", "/results?q"), cond("type", "url", "regex", "q=\\d$"),
	}})
	if len(got.Results) != 6 {
		t.Fatalf("results: %s", text(t, got))
	}
	for _, res := range got.Results {
		if !res.Met {
			t.Errorf("not met: %s", text(t, res))
		}
	}
}

func TestWaitForTimesOutWithWhatWasSeen(t *testing.T) {
	r := open(t, slow)
	e := refused(r, "wait_for", map[string]any{"timeout_ms": 150, "poll_ms": 30, "conditions": []any{
		cond("type", "text", "text", "Never shown"), cond("type", "selector", "selector", ".none"),
	}}, verb.Timeout)
	var got page.WaitForOut
	raw, err := json.Marshal(e.Evidence)
	if err != nil || json.Unmarshal(raw, &got) != nil {
		t.Fatal(err)
	}
	if len(got.Results) != 2 || got.Results[0].Met || *got.Results[1].Count != 0 || got.WaitedMS < 150 || got.Attempts < 1 {
		t.Errorf("evidence: %s", raw)
	}
}

func TestWaitForGoesOnInTheNextDocument(t *testing.T) {
	r := open(t, `<title>First</title><script>setTimeout(() => location = '/second', 200)</script>`,
		map[string]string{"/second": `<title>Second</title><script>setTimeout(() => document.body.append('Here it is'), 200)</script><body></body>`})
	got := wait(r, map[string]any{"conditions": []any{cond("type", "text", "text", "here it is")}})
	contains(t, got.URL, "/second")
}

func TestWaitForEndsInTimeOnABusyPage(t *testing.T) {
	r := open(t, `<title>Busy</title><script>onload = () => setTimeout(() => { for (;;); })</script>`)
	began := time.Now()
	e := refused(r, "wait_for", map[string]any{"timeout_ms": 200, "conditions": []any{cond("type", "selector", "selector", ".none")}}, verb.Timeout)
	contains(t, e.Message, "did not answer within 200 ms")
	// Without a bound of its own the call would last until the protocol gives up.
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("it took %s", took)
	}
}

func TestWaitForRefusesWhatItDoesNotUnderstand(t *testing.T) {
	r := open(t, slow)
	for _, c := range []map[string]any{
		cond("type", "selector"), cond("type", "text"), cond("type", "url"), cond("type", "gone", "text", "x"),
		cond("type", "text", "regex", "("), cond("type", "selector", "selector", "a["),
	} {
		refused(r, "wait_for", map[string]any{"conditions": []any{c}}, verb.BadRequest)
	}
	refused(r, "wait_for", map[string]any{"conditions": []any{}}, verb.BadRequest)
}
