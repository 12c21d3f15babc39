package shadowwalk

import (
	"fmt"
	"math"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"kuang/assets"
	"kuang/backend/browser"
	"kuang/backend/browser/browsertest"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Main(m)) }

// fixtures serves the bundled pages and returns their address.
func fixtures(tb testing.TB) string {
	tb.Helper()
	ip, _ := browsertest.Handle(tb, http.FileServerFS(assets.Fixtures()))
	return ip
}

func find(tb testing.TB, w *Walker, tab *browser.Tab, q Query) Result {
	tb.Helper()
	r, err := w.Find(tb.Context(), tab, q)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// labels are the controls as "role name", in order, with what is off screen marked.
func labels(controls []Control) []string {
	var list []string
	for _, c := range controls {
		s := strings.TrimSpace(c.Role + " " + c.Name)
		if c.NameWithheld {
			s += "(withheld)"
		}
		if c.Disabled {
			s += " (disabled)"
		}
		if !c.InViewport {
			s += " (out of view)"
		}
		list = append(list, s)
	}
	return list
}

// Every nesting of roots and frames: what must be found, in document order, and by the reference as well.
func TestFixtures(t *testing.T) {
	base := fixtures(t)
	for _, tc := range []struct {
		page string
		want []string
	}{
		{"closed-root.html", []string{"textbox Gift note", "textbox Gift card PIN", "button Apply gift card (disabled)", "button Confirm order"}},
		{"closed-in-open.html", []string{"button Closed in open", "button Closed", "link Open in closed", "checkbox Closed in open in closed"}},
		{"declarative.html", []string{"button Declared", "textbox Declared deeper"}},
		{"slotted.html", []string{
			"button Beside the slot", "button Closed inside what is slotted", "button Beside the slot", "button Fallback", "button(withheld)",
		}},
		{"plain-hosts.html", []string{"button On a div", "button On a heading"}},
		{"on-body.html", []string{"button On body"}},
		{"frames.html", []string{
			"button In a frame", "button Two frames down", "button In a srcdoc frame", "button In a scaled frame",
			"button Scrolled out of its frame (out of view)",
		}},
		{"frame-in-closed.html", []string{
			"button Beside the frame", "button Light in a sealed frame", "textbox Field in a sealed frame",
			"button Open root in a sealed frame", "button Frame in an open root in a sealed frame", "link Frame in a sealed frame",
		}},
		{"hidden.html", []string{"button Plain", "button Above (out of view)", "button To the left (out of view)", "button Far below (out of view)"}},
		{"duplicates.html", []string{"button Buy", "button Buy"}},
		{"places.html", []string{"button Scrolled", "button In a popover", "button Delegated", "button Turned"}},
		{"places.html#modal", []string{"button In a modal dialog"}},
	} {
		t.Run(tc.page, func(t *testing.T) {
			tab := browsertest.Open(t, base+"/"+tc.page)
			w := New(nil)
			fast := find(t, w, tab, Query{})
			if got := labels(fast.Controls); !slices.Equal(got, tc.want) {
				t.Errorf("found\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(tc.want, "\n  "))
			}
			same(t, w, tab, fast)
		})
	}
}

// same compares a result with what the reference gives for the same page.
func same(t *testing.T, w *Walker, tab *browser.Tab, fast Result) {
	t.Helper()
	whole, err := w.Reference(t.Context(), tab, Query{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := labels(fast.Controls), labels(whole.Controls); !slices.Equal(got, want) {
		t.Fatalf("the fast way found\n  %s\nthe reference\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
	if fast.Sealed != whole.Sealed {
		t.Errorf("the fast way counted %d sealed controls, the reference %d", fast.Sealed, whole.Sealed)
	}
	for i, a := range fast.Controls {
		b := whole.Controls[i]
		if !near(a.Rect, b.Rect) {
			t.Errorf("%s %q is at %v, by the reference at %v", a.Role, a.Name, a.Rect, b.Rect)
		}
		a.Rect, b.Rect = browser.Rect{}, browser.Rect{}
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("the fast way says\n  %v\nthe reference\n  %v", a, b)
		}
	}
}

// near tells rects apart that differ by a pixel or more.
func near(a, b browser.Rect) bool {
	for _, d := range []float64{a.X - b.X, a.Y - b.Y, a.W - b.W, a.H - b.H} {
		if math.Abs(d) >= 1 {
			return false
		}
	}
	return true
}
