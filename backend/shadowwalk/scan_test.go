package shadowwalk

import (
	"context"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chromedp/cdproto/cdp/jsonv2"

	"kuang/backend/cdp"
)

func read(t *testing.T, w *Walker, p *fakePage, q Query) Result {
	t.Helper()
	r, err := w.read(t.Context(), p, q, enumerate)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestQuery(t *testing.T) {
	for _, tc := range []struct {
		name string
		q    Query
		want string
	}{
		{"everything", Query{}, "Button 1, Button 2, Button 3"},
		{"role", Query{Role: " BUTTON "}, "Button 1, Button 2, Button 3"},
		{"another role", Query{Role: "link"}, ""},
		{"name", Query{Name: "button  2"}, "Button 2"},
		{"a part is no name", Query{Name: "button"}, ""},
		{"contains", Query{Contains: "TON 3"}, "Button 3"},
		{"regex", Query{Regex: regexp.MustCompile(`[12]$`)}, "Button 1, Button 2"},
		{"all of them", Query{Role: "button", Contains: "button", Regex: regexp.MustCompile("3")}, "Button 3"},
		{"limit", Query{Limit: 2}, "Button 1, Button 2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := read(t, New(nil), newFakePage(t, 3), tc.q)
			var names []string
			for _, c := range r.Controls {
				names = append(names, c.Name)
			}
			if got := strings.Join(names, ", "); got != tc.want {
				t.Errorf("found %q, want %q", got, tc.want)
			}
			if r.Sealed != 3 || r.Candidates != 3 || r.Capped {
				t.Errorf("sealed %d, candidates %d, capped %v", r.Sealed, r.Candidates, r.Capped)
			}
		})
	}
}

func TestBounds(t *testing.T) {
	p := newFakePage(t, 205)
	r := read(t, New(nil), p, Query{})
	if r.Candidates != 200 || !r.Capped || r.Sealed != 200 {
		t.Errorf("candidates %d, capped %v, sealed %d; want 200 of 205, said so", r.Candidates, r.Capped, r.Sealed)
	}
	if got := p.count("Accessibility.getPartialAXTree"); got != 200 {
		t.Errorf("%d nodes were read, want 200", got)
	}
	if len(r.Controls) != 40 || r.Unmeasured != 160 || p.count("DOM.getBoxModel") != 40 {
		t.Errorf("%d controls, %d unmeasured, %d box models; want 40, 160, 40", len(r.Controls), r.Unmeasured, p.count("DOM.getBoxModel"))
	}
	p = newFakePage(t, 50)
	r = read(t, New(nil), p, Query{Contains: "button", Limit: 100})
	if len(r.Controls) != 40 || r.Unmeasured != 10 || p.count("DOM.getBoxModel") != 40 {
		t.Errorf("by name: %d controls, %d unmeasured, %d box models; want 40, 10, 40", len(r.Controls), r.Unmeasured, p.count("DOM.getBoxModel"))
	}
}

// A page without sealed controls costs no accessibility work at all.
func TestNothingSealed(t *testing.T) {
	p := newFakePage(t, 1)
	p.set("DOM.performSearch", says(`{"searchId":"s","resultCount":0}`))
	r := read(t, New(nil), p, Query{})
	if len(r.Controls) != 0 || r.Controls == nil {
		t.Errorf("controls are %v, want an empty list", r.Controls)
	}
	if p.count("Accessibility.enable")+p.count("DOM.getSearchResults") != 0 {
		t.Errorf("sent %v", p.sent)
	}
}

// A browser whose search does not look into roots is read whole: a search that finds nothing proves nothing there.
func TestOlderBrowserIsReadWhole(t *testing.T) {
	for product, whole := range map[string]bool{
		"Chrome/156.0.8078.114": false, "Chrome/200.1": false, "Edg/157.0": false,
		"Chrome/132.0.6834.83": true, "Chrome/155.9": true, "Chrome": true, "": true, "Chrome/x.1": true,
	} {
		p := newFakePage(t, 1)
		p.set("Browser.getVersion", says(`{"product":"`+product+`"}`))
		p.set("DOM.performSearch", says(`{"searchId":"s","resultCount":0}`))
		w := New(nil)
		read(t, w, p, Query{})
		read(t, w, p, Query{})
		if got := p.count("Accessibility.getFullAXTree") == 2; got != whole {
			t.Errorf("%s: read whole is %v, want %v", product, got, whole)
		}
	}
}

// What goes away during the read is left out; it is no error.
func TestNodesThatGoAway(t *testing.T) {
	p := newFakePage(t, 3)
	whole := p.answers["Accessibility.getPartialAXTree"]
	p.set("Accessibility.getPartialAXTree", func(params jsonv2.Value) answer {
		if strings.Contains(string(params), "1101") {
			return answer{err: "No node found for given backend id"}
		}
		return whole(params)
	})
	p.set("DOM.getBoxModel", func(params jsonv2.Value) answer {
		if strings.Contains(string(params), "1102") {
			return answer{err: "Could not compute box model."}
		}
		return answer{result: `{"content":[0,0,9,0,9,9,0,9],"border":[0,0,10,0,10,10,0,10]}`} // the bare form
	})
	r := read(t, New(nil), p, Query{})
	if len(r.Controls) != 1 || r.Controls[0].Name != "Button 1" || r.Controls[0].Rect.W != 10 {
		t.Errorf("controls are %+v", r.Controls)
	}
}

func TestNavigationDuringRead(t *testing.T) {
	for name, navigate := range map[string]func(p *fakePage) answer{
		"the document is replaced": func(*fakePage) answer {
			return answer{err: "Could not find node with given id", events: []event{{"DOM.documentUpdated", `{}`}}}
		},
		"another process takes over": func(p *fakePage) answer {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.loader = "L2"
			return answer{}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newFakePage(t, 3)
			w := New(nil)
			whole := p.answers["Accessibility.getPartialAXTree"]
			p.set("Accessibility.getPartialAXTree", func(jsonv2.Value) answer { return navigate(p) })
			_, err := w.read(t.Context(), p, Query{}, enumerate)
			if !errors.Is(err, ErrNavigated) {
				t.Fatalf("the read ended with %v, want ErrNavigated", err)
			}
			p.set("Accessibility.getPartialAXTree", whole)
			if r := read(t, w, p, Query{}); len(r.Controls) != 3 {
				t.Errorf("the next read found %d controls, want 3", len(r.Controls))
			}
		})
	}
}

func TestLostConnectionDuringRead(t *testing.T) {
	p := newFakePage(t, 3)
	p.set("Accessibility.getPartialAXTree", func(jsonv2.Value) answer {
		go p.conn.Close()
		return answer{wait: make(chan struct{})}
	})
	w := New(nil)
	if _, err := w.read(t.Context(), p, Query{}, enumerate); !errors.Is(err, cdp.ErrClosed) {
		t.Errorf("the read ended with %v, want cdp.ErrClosed", err)
	}
	if w.Reading() {
		t.Error("the walker still reads")
	}
}

func TestCancelledRead(t *testing.T) {
	p := newFakePage(t, 3)
	whole := p.answers["DOM.performSearch"]
	ctx, cancel := context.WithCancel(t.Context())
	p.set("DOM.performSearch", func(jsonv2.Value) answer {
		cancel()
		return answer{wait: make(chan struct{})}
	})
	w := New(nil)
	if _, err := w.read(ctx, p, Query{}, enumerate); !errors.Is(err, context.Canceled) {
		t.Errorf("the read ended with %v, want context.Canceled", err)
	}
	p.set("DOM.performSearch", whole)
	if r := read(t, w, p, Query{}); len(r.Controls) != 3 {
		t.Errorf("the next read found %d controls, want 3", len(r.Controls))
	}
}

// Reads of one tab do not overlap: the second's document ask would take the node ids from the first.
func TestReadsOfOneTabTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newFakePage(t, 3)
		w := New(nil)
		whole := p.answers["DOM.performSearch"]
		gate := make(chan struct{})
		p.set("DOM.performSearch", func(params jsonv2.Value) answer {
			a := whole(params)
			a.wait = gate
			return a
		})
		done := make(chan error, 3)
		for range cap(done) {
			go func() {
				r, err := w.read(t.Context(), p, Query{}, enumerate)
				if err == nil && len(r.Controls) != 3 {
					err = errors.New("a read found something else")
				}
				done <- err
			}()
		}
		synctest.Wait()
		if got := p.count("DOM.getDocument"); got != 1 {
			t.Errorf("%d reads run at once", got)
		}
		if !w.Reading() {
			t.Error("the walker says that it does not read")
		}
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := w.read(impatient, p, Query{}, enumerate); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a read that waits for its turn ended with %v", err)
		}
		close(gate)
		for range cap(done) {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if got := p.count("DOM.enable"); got != 1 {
			t.Errorf("DOM was enabled %d times, want once", got)
		}
		finish(p)
	})
}

// finish ends the page, and with it what a bubble must not leave running.
func finish(p *fakePage) {
	close(p.closed)
	p.conn.Close()
	synctest.Wait()
}

func TestDomainsAreReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newFakePage(t, 1)
		w := New(nil)
		released := func() int {
			synctest.Wait()
			return p.count("DOM.disable") + p.count("Accessibility.disable")
		}
		read(t, w, p, Query{})
		time.Sleep(time.Second) // the bubble's clock
		read(t, w, p, Query{})
		time.Sleep(releaseAfter - time.Millisecond)
		if got := released(); got != 0 {
			t.Errorf("%d domains were released within 1.5 s of the last read", got)
		}
		time.Sleep(2 * time.Millisecond)
		if got := released(); got != 2 {
			t.Errorf("%d domains were released after 1.5 s, want both", got)
		}
		time.Sleep(time.Minute)
		if got := released(); got != 2 {
			t.Errorf("%d releases, want one of each", got)
		}
		read(t, w, p, Query{})
		if got := p.count("DOM.enable"); got != 2 {
			t.Errorf("DOM was enabled %d times, want again after the release", got)
		}
		finish(p)
		time.Sleep(time.Minute)
		if got := released(); got != 2 {
			t.Error("a closed tab's domains were released")
		}
		if len(w.tabs) != 0 {
			t.Error("the closed tab is still held")
		}
		if _, _, ok := w.LastRead("t1"); ok {
			t.Error("the closed tab's read is still told")
		}
	})
}

// A failed read releases what it had turned on.
func TestDomainsAreReleasedAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newFakePage(t, 1)
		p.set("DOM.performSearch", func(jsonv2.Value) answer { return answer{err: "no"} })
		w := New(nil)
		if _, err := w.read(t.Context(), p, Query{}, enumerate); !errors.As(err, new(*cdp.Error)) {
			t.Errorf("the read ended with %v", err)
		}
		time.Sleep(releaseAfter + time.Millisecond)
		synctest.Wait()
		if p.count("DOM.disable") != 1 || p.count("Accessibility.disable") != 0 {
			t.Errorf("sent %v", p.sent)
		}
		finish(p)
	})
}

func TestActivity(t *testing.T) {
	var log strings.Builder
	w := New(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	var told []bool
	cancel := w.Subscribe(func(reading bool) { told = append(told, reading) })
	p := newFakePage(t, 3)
	if _, _, ok := w.LastRead("t1"); ok || w.Reading() {
		t.Error("something is told before the first read")
	}
	read(t, w, p, Query{Name: "Button 2"})
	if len(told) != 2 || !told[0] || told[1] {
		t.Errorf("told %v, want true and false", told)
	}
	controls, at, ok := w.LastRead("t1")
	if controls != 3 || at.IsZero() || !ok {
		t.Errorf("the last read is %d %v %v, want the 3 sealed controls", controls, at, ok)
	}
	cancel()
	read(t, w, p, Query{})
	if len(told) != 2 {
		t.Error("a cancelled subscriber was told")
	}
	if strings.Contains(log.String(), "secret") || strings.Contains(log.String(), "Button") {
		t.Errorf("the log holds page content: %s", log.String())
	}
}
