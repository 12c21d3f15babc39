package shadowwalk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"kuang/backend/browser"
	"kuang/backend/browser/browsertest"
)

// A page whose fields hold secrets, in every kind of control and in names that repeat them: nothing of it may leave,
// in the result or in any log, whatever is asked.
func TestValuesNeverLeave(t *testing.T) {
	browsertest.Require(t)
	base := fixtures(t)
	log := &buffer{}
	logger := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	b := browser.New(browser.Options{Profile: t.TempDir(), Headless: true, Log: logger})
	if err := b.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer b.Close(t.Context())
	w := New(logger)
	for _, page := range []string{"controls.html", "closed-root.html", "slotted.html", "frame-in-closed.html", "declarative.html"} {
		tab, err := b.Open(t.Context(), browser.OpenOptions{URL: base + "/" + page})
		if err != nil {
			t.Fatal(err)
		}
		secrets := []string{"secret"}
		if page == "controls.html" {
			if err := json.Unmarshal([]byte(browsertest.Eval(t, tab, `document.querySelector("all-controls").values`)), &secrets); err != nil {
				t.Fatal(err)
			}
		}
		if page == "closed-root.html" {
			secrets = append(secrets, "7731")
		}
		// Roles one by one, since one call returns 40 controls at most; and names that would have to be known to match.
		queries := []Query{{}, {Contains: "secret"}, {Regex: regexp.MustCompile(`secret`)}, {Contains: "428317"}, {Name: "secret-referenced"}}
		for role := range operations() {
			queries = append(queries, Query{Role: role})
		}
		for i, q := range queries {
			ways := []method{enumerate, enumerateAll}
			for _, read := range ways[:1+max(0, 1-i)] { // The whole tree is read once a page.
				r, err := w.read(t.Context(), tab, q, read)
				if err != nil {
					t.Fatal(err)
				}
				if (q.Contains != "" || q.Regex != nil || q.Name != "") && len(r.Controls) > 0 {
					t.Errorf("%s: a query for a value found %v", page, labels(r.Controls))
				}
				encoded, err := json.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range secrets {
					if all := string(encoded) + fmt.Sprintf("%+v", r); strings.Contains(all, s) {
						t.Errorf("%s, asked for %+v: %q is in %s", page, q, s, encoded)
					}
					if strings.Contains(log.String(), s) {
						t.Errorf("%s: %q is in the log", page, s)
					}
				}
			}
		}
	}
	if log.String() == "" {
		t.Error("nothing was logged, so the log proves nothing")
	}
}

// buffer is a log that goroutines share.
type buffer struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.out.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.out.String()
}

// The names that a control has of its own are told, also where they stand beside a field.
func TestNames(t *testing.T) {
	tab := browsertest.Open(t, fixtures(t)+"/controls.html")
	w := New(nil)
	for _, tc := range []struct {
		q    Query
		want string
	}{
		{Query{Contains: "day"}, "date Day"},
		{Query{Name: "Colour"}, "color Colour"},
		{Query{Name: "File"}, "button File"},
		{Query{Name: "Choice"}, "combobox Choice"},
		{Query{Name: "Editor"}, "textbox Editor"},
		{Query{Name: "More"}, "button More"},
		{Query{Name: "Send"}, "button Send"},
		{Query{Name: "Off"}, "textbox Off (disabled)"},
	} {
		if got := strings.Join(labels(find(t, w, tab, tc.q).Controls), ", "); got != tc.want {
			t.Errorf("%+v found %q, want %q", tc.q, got, tc.want)
		}
	}
	withheld := 0
	for role := range operations() {
		r := find(t, w, tab, Query{Role: role})
		whole, err := w.Reference(t.Context(), tab, Query{Role: role})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := labels(r.Controls), labels(whole.Controls); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("role %s: the fast way found %v, the reference %v", role, got, want)
		}
		for _, c := range r.Controls {
			if c.NameWithheld {
				withheld++
			}
		}
	}
	// The link in the editor, and the six names that repeat a field: of a label, a button, a link, three referenced
	// texts (a select's label, a field, a hidden text), the field that names itself, and the mirrored title.
	if withheld != 9 {
		t.Errorf("%d names are withheld, want 9", withheld)
	}
}

// The page sees nothing of a read: its probe stays null, nothing in the document changes, and no domain is on before
// or stays on after.
func TestPageCannotTell(t *testing.T) {
	tab := browsertest.Open(t, fixtures(t)+"/closed-root.html")
	browsertest.Eval(t, tab, `void (globalThis.seen = 0, new MutationObserver((list) => { seen += list.length }).observe(document,
		{ subtree: true, childList: true, attributes: true, characterData: true }))`)
	for method, n := range tab.Session().Counts() {
		if n > 0 && watched(method) {
			t.Errorf("before the read %s was sent", method)
		}
	}
	w := New(nil)
	find(t, w, tab, Query{})
	find(t, w, tab, Query{Role: "button"})
	if got := browsertest.Eval(t, tab, `[document.querySelector("order-card").shadowRoot === null, seen]`); got != "[true,0]" {
		t.Errorf("the page sees %s, want [true,0]", got)
	}
	waitFor(t, "the release of the domains", func() bool {
		c := tab.Session().Counts()
		return c["DOM.disable"] == 1 && c["Accessibility.disable"] == 1
	})
	if c := tab.Session().Counts(); c["DOM.enable"] != 1 || c["Accessibility.enable"] != 1 {
		t.Errorf("the domains were enabled %d and %d times, want once", c["DOM.enable"], c["Accessibility.enable"])
	}
	if r := find(t, w, tab, Query{Name: "Confirm order"}); len(r.Controls) != 1 {
		t.Errorf("after the release a read found %v", labels(r.Controls))
	}
}

func watched(method string) bool {
	for _, domain := range []string{"Accessibility.", "DOM.", "CSS.", "DOMSnapshot.", "Overlay.", "Runtime.enable"} {
		if strings.HasPrefix(method, domain) {
			return true
		}
	}
	return false
}

// waitFor waits until a condition that nothing announces holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	timeout := time.After(20 * time.Second)
	for !holds() {
		select {
		case <-tick.C:
		case <-timeout:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
