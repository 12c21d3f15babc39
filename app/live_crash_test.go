package app

import (
	"net/http"
	"os"
	"testing"
)

// A browser that is killed under a call fails that call in words, and the next one works; the log keeps both.
func TestBrowserKilledDuringCall(t *testing.T) {
	k := startLive(t, nil)
	pages := serveFixtures(t)
	k.must(t, "navigate", map[string]any{"url": pages + "/closed-root.html"})

	hanging := make(chan reply, 1)
	go func() {
		hanging <- k.call(t, "evaluate_javascript", map[string]any{"expression": `document.body.append("hanging"), new Promise(() => {})`})
	}()
	k.must(t, "wait_for", map[string]any{"conditions": []any{map[string]any{"type": "text", "text": "hanging"}}})
	process, err := os.FindProcess(k.browser.Status().PID)
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	r := <-hanging
	if r.status != http.StatusServiceUnavailable || r.code() != "BROWSER_UNAVAILABLE" {
		t.Errorf("the interrupted call answered %d %s", r.status, r.raw)
	}
	k.must(t, "navigate", map[string]any{"url": pages + "/closed-root.html"})
	if s := k.browser.Status(); s.Restarts != 1 {
		t.Errorf("restarted %d times, want 1", s.Restarts)
	}

	runs := k.do(t, http.MethodGet, "/v1/runs", nil)
	id, _ := runs.get("runs.0.id").(string)
	run := k.do(t, http.MethodGet, "/v1/runs/"+id, nil)
	entries, _ := run.object["entries"].([]any)
	failed := 0
	for _, e := range entries {
		if e.(map[string]any)["code"] == "BROWSER_UNAVAILABLE" {
			failed++
		}
	}
	first, _ := entries[len(entries)-1].(map[string]any)
	if failed != 1 || first["verb"] != "navigate" || run.get("entries.0.verb") != "navigate" {
		t.Errorf("the log lost something: %s", run.raw)
	}
}
