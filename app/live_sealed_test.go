package app

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An agent that has nothing but HTTP finishes a job inside a closed shadow root, and the person can read all of it.
func TestJobInsideClosedRoot(t *testing.T) {
	k := startLive(t, nil)
	pages := serveFixtures(t)
	const secret = "kuang-secret-5b0e7f"

	k.must(t, "navigate", map[string]any{"url": pages + "/closed-root.html"})
	if got := k.value(t, `document.querySelector("order-card").shadowRoot === null`); got != true {
		t.Fatalf("the page's probe sees %v before", got)
	}
	confirm := map[string]any{"role": "button", "name": "Confirm order", "sealed": true}
	found := k.must(t, "find", confirm)
	sealed, _ := found.object["sealed"].([]any)
	if len(sealed) != 1 {
		t.Fatalf("found %d sealed controls, want 1: %s", len(sealed), found.raw)
	}
	if found.get("sealed.0.role") != "button" || found.get("sealed.0.name") != "Confirm order" || found.get("sealed.0.source") != "ax" {
		t.Errorf("the control is %s", found.raw)
	}
	if bytes.Contains(found.raw, []byte(`"value"`)) {
		t.Errorf("a sealed read speaks of a value: %s", found.raw)
	}
	if got := k.value(t, `document.querySelector("order-card").shadowRoot === null`); got != true {
		t.Errorf("the page's probe sees %v after the read", got)
	}

	x, y := centre(t, found, "sealed.0.rect")
	clicked := k.must(t, "act", map[string]any{"action": "click", "x": x, "y": y})
	if got := k.value(t, `document.querySelector("order-card").clicks`); got != float64(1) {
		t.Errorf("the component counted %v trusted clicks, want 1; the click answered %s", got, clicked.raw)
	}

	field := k.must(t, "find", map[string]any{"role": "textbox", "name": "Gift note", "sealed": true})
	x, y = centre(t, field, "sealed.0.rect")
	typed := k.must(t, "act", map[string]any{"action": "type", "x": x, "y": y, "text": secret, "secret": true})
	if bytes.Contains(typed.raw, []byte(secret)) {
		t.Errorf("the answer holds the secret: %s", typed.raw)
	}
	if got := k.value(t, `document.querySelector("order-card").noteLength`); got != float64(len(secret)) {
		t.Errorf("the sealed field holds %v characters, want %d: %s", got, len(secret), typed.raw)
	}
	again := k.must(t, "find", map[string]any{"role": "textbox", "name": "Gift note", "sealed": true})
	if bytes.Contains(again.raw, []byte(secret)) {
		t.Errorf("a sealed read holds what was typed: %s", again.raw)
	}

	if err := k.settings.Set("shadow.axSealed", false); err != nil {
		t.Fatal(err)
	}
	refused := k.call(t, "find", confirm)
	if refused.status != http.StatusBadRequest || refused.code() != "SEALED_DISABLED" ||
		refused.get("error.setting") != "shadow.axSealed" || refused.get("error.where") != "Settings → Shadow Walk → Shadow DOM" {
		t.Errorf("the refusal is %d %s", refused.status, refused.raw)
	}

	checkLog(t, k, secret)
	searchFiles(t, string(k.home), secret)
	if strings.Contains(k.log.String(), secret) {
		t.Error("the program's log holds the secret")
	}
}

// checkLog reads the run over HTTP: every call in it, the refusal too, nothing secret.
func checkLog(t *testing.T, k *live, secret string) {
	t.Helper()
	runs := k.do(t, http.MethodGet, "/v1/runs", nil)
	id, _ := runs.get("runs.0.id").(string)
	run := k.do(t, http.MethodGet, "/v1/runs/"+id, nil)
	entries, _ := run.object["entries"].([]any)
	var verbs []string
	outcomes := map[string]int{}
	for _, e := range entries {
		entry := e.(map[string]any)
		verbs = append([]string{entry["verb"].(string)}, verbs...)
		outcomes[entry["outcome"].(string)]++
	}
	want := "navigate evaluate_javascript find evaluate_javascript act evaluate_javascript find act evaluate_javascript find find"
	if got := strings.Join(verbs, " "); got != want {
		t.Errorf("the run holds\n%s, want\n%s", got, want)
	}
	if outcomes["refused"] != 1 || outcomes["failed"] != 0 {
		t.Errorf("outcomes %v", outcomes)
	}
	if bytes.Contains(run.raw, []byte(secret)) {
		t.Error("the run log holds the secret")
	}
	if !bytes.Contains(run.raw, []byte("[redacted]")) {
		t.Error("the run log does not show that something was redacted")
	}
}

// centre is the middle of the rect at path.
func centre(t *testing.T, r reply, path string) (x, y float64) {
	t.Helper()
	raw, err := json.Marshal(r.get(path))
	if err != nil {
		t.Fatal(err)
	}
	var rect struct{ X, Y, W, H float64 }
	if err := json.Unmarshal(raw, &rect); err != nil || rect.W <= 0 || rect.H <= 0 {
		t.Fatalf("no rect at %s in %s", path, r.raw)
	}
	return rect.X + rect.W/2, rect.Y + rect.H/2
}

// searchFiles reads every file that Kuang itself keeps, raw; the browser's own profile is the page's business.
func searchFiles(t *testing.T, dir, secret string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "profile" {
				return filepath.SkipDir
			}
			return nil
		}
		raw, err := os.ReadFile(path)
		if err == nil && bytes.Contains(raw, []byte(secret)) {
			t.Errorf("%s holds the secret", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
