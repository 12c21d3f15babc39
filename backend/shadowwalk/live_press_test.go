package shadowwalk

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	proto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"

	"kuang/backend/browser"
	"kuang/backend/browser/browsertest"
	"kuang/backend/cdp"
)

// pressable is a page with sealed buttons behind borders, paddings, scrolling and transforms of frames in frames. Each
// button reports its own trusted click to the top page.
var pressable = map[string]string{
	"/": `<!doctype html><body style="margin:10px">
		<div id=h></div><div style="height:40px"></div>
		<iframe src="/one" style="border:7px solid;padding:5px;width:420px;height:300px;transform:scale(.8);transform-origin:20px 30px"></iframe>
		<div style="height:1500px"></div>
		<script>hits = []; h.attachShadow({mode: "closed"}).innerHTML =
			"<button onclick='if (event.isTrusted) top.hits.push(textContent)'>Top</button>"; scrollTo(0, 9)</script>`,
	"/one": `<!doctype html><body style="margin:0"><div style="height:90px"></div><div id=h></div>
		<iframe src="/two" style="margin-left:33px;border:3px solid;width:260px;height:120px;zoom:1.25"></iframe><div style="height:900px"></div>
		<script>h.attachShadow({mode: "closed"}).innerHTML =
			"<button onclick='if (event.isTrusted) top.hits.push(textContent)'>One down</button>"; scrollTo(0, 60)</script>`,
	"/two": `<!doctype html><body style="margin:12px"><div id=h style="transform:rotate(9deg);width:90px"></div>
		<script>h.attachShadow({mode: "closed"}).innerHTML =
			"<button onclick='if (event.isTrusted) top.hits.push(textContent)'>Two down</button>"</script>`,
}

// Where a read says that a control is, a press reaches it: the page itself is the judge.
func TestPressWhereFound(t *testing.T) {
	ip, _ := browsertest.Serve(t, pressable)
	for _, tc := range []struct {
		name string
		dpr  float64
	}{{"scale 1", 0}, {"scale 2", 2}} {
		t.Run(tc.name, func(t *testing.T) {
			tab := browsertest.Open(t, ip+"/")
			if tc.dpr > 0 {
				_, err := cdp.Call(t.Context(), tab.Session(), emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
					Width: 900, Height: 700, DeviceScaleFactor: tc.dpr,
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			w := New(nil)
			r := find(t, w, tab, Query{})
			if got := labels(r.Controls); !slices.Equal(got, []string{"button Top", "button One down", "button Two down"}) {
				t.Fatalf("found %v", got)
			}
			for _, c := range r.Controls {
				x, y := c.Rect.X+c.Rect.W/2, c.Rect.Y+c.Rect.H/2
				if err := tab.Mouse().Click(t.Context(), x, y, browser.ClickOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			if got := browsertest.Eval(t, tab, "hits"); got != `["Top","One down","Two down"]` {
				t.Errorf("the page heard %s", got)
			}
			for _, c := range find(t, w, tab, Query{Name: "Two down"}).Controls {
				if !c.Focused {
					t.Error("the pressed button does not say that it has the focus")
				}
			}
			frames := map[string]bool{}
			for _, c := range r.Controls {
				frames[c.FrameID] = true
			}
			all, err := tab.Frames(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range all {
				if !frames[string(f.ID)] {
					t.Errorf("no control is in the frame %s", f.URL)
				}
			}
		})
	}
}

// A frame in a process of its own is not read, and the result says so.
func TestUnreadFrames(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{
		"/":      `<div id=h></div><iframe src="{localhost}/child"></iframe><script>h.attachShadow({mode:"closed"}).innerHTML="<button>Here</button>"</script>`,
		"/child": `<div id=h></div><script>h.attachShadow({mode:"closed"}).innerHTML="<button>There</button>"</script>`,
	})
	tab := browsertest.Open(t, ip+"/")
	w := New(nil)
	r := find(t, w, tab, Query{})
	if got := labels(r.Controls); !slices.Equal(got, []string{"button Here"}) || r.UnreadFrames != 1 {
		t.Errorf("found %v, %d frames unread; want the one button and one frame", got, r.UnreadFrames)
	}
	same(t, w, tab, r)
}

// Frames that the page's own script cannot reach, but that share its process: of the same site on another port, and
// sandboxed without scripts.
func TestFramesOutOfScriptsReach(t *testing.T) {
	const declared = `<template shadowrootmode=closed><button>%s</button></template>`
	other, _ := browsertest.Serve(t, map[string]string{"/": `<body style="margin:3px"><div>` + fmt.Sprintf(declared, "Another port") + `</div>`})
	ip, _ := browsertest.Serve(t, map[string]string{
		"/":      `<iframe src="` + other + `/" style="zoom:2"></iframe><iframe sandbox="allow-same-origin" src="/still"></iframe>`,
		"/still": `<body style="margin:3px"><div>` + fmt.Sprintf(declared, "Without scripts") + `</div>`,
	})
	tab := browsertest.Open(t, ip+"/")
	w := New(nil)
	r := find(t, w, tab, Query{})
	if got := labels(r.Controls); !slices.Equal(got, []string{"button Another port", "button Without scripts"}) || r.UnreadFrames != 0 {
		t.Errorf("found %v, %d frames unread", got, r.UnreadFrames)
	}
	same(t, w, tab, r)
}

func TestBoundsLive(t *testing.T) {
	tab := browsertest.Open(t, fixtures(t)+"/many.html")
	w := New(nil)
	r := find(t, w, tab, Query{})
	if len(r.Controls) != 40 || r.Unmeasured != 20 || r.Sealed != 60 {
		t.Errorf("%d controls, %d unmeasured, %d sealed; want 40, 20, 60", len(r.Controls), r.Unmeasured, r.Sealed)
	}
	same(t, w, tab, r)
	if r := find(t, w, tab, Query{Name: "Seat 60"}); len(r.Controls) != 1 {
		t.Errorf("the last seat: found %v", labels(r.Controls))
	}
}

// A read while the page navigates ends in an answer about one document or in a named error, and the next read is whole.
func TestNavigationLive(t *testing.T) {
	base := fixtures(t)
	tab := browsertest.Open(t, base+"/many.html")
	w := New(nil)
	for _, next := range []string{"closed-root.html", "many.html", "closed-root.html"} {
		var reads sync.WaitGroup
		for range 4 {
			reads.Go(func() {
				r, err := w.Find(t.Context(), tab, Query{})
				if err == nil && r.Sealed != 60 && r.Sealed != 4 && r.Sealed != 0 {
					t.Errorf("a read during a navigation counted %d", r.Sealed)
				}
				if err != nil && !errors.Is(err, ErrNavigated) {
					t.Errorf("a read during a navigation: %v", err)
				}
			})
		}
		if _, err := tab.Navigate(t.Context(), base+"/"+next, browser.UntilLoad, 0); err != nil {
			t.Fatal(err)
		}
		reads.Wait()
		want := map[string]int{"closed-root.html": 4, "many.html": 60}[next]
		if r := find(t, w, tab, Query{}); r.Sealed != want {
			t.Errorf("after the navigation to %s a read counted %d, want %d", next, r.Sealed, want)
		}
	}
}

func TestClosedTab(t *testing.T) {
	tab := browsertest.Open(t, fixtures(t)+"/duplicates.html")
	w := New(nil)
	find(t, w, tab, Query{})
	if err := tab.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Find(t.Context(), tab, Query{}); !cdp.IsClosed(err) {
		t.Errorf("a read of a closed tab ended with %v", err)
	}
	waitFor(t, "the walker to forget the tab", func() bool {
		_, _, ok := w.LastRead(tab.ID())
		return !ok
	})
}

// The JSON of a control has the names that agents read.
func TestControlJSON(t *testing.T) {
	raw, err := json.Marshal(Control{Role: "button", Name: "Buy", Actions: []string{"click"}, Source: source, Sealed: true, Tier: "SAFE", FrameID: string(proto.FrameID("F"))})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"role":"button","name":"Buy","disabled":false,"focused":false,"focusable":false,"rect":{"x":0,"y":0,"w":0,"h":0},` +
		`"in_viewport":false,"actions":["click"],"source":"ax","sealed":true,"tier":"SAFE","frame_id":"F"}`
	if string(raw) != want {
		t.Errorf("a control is\n%s\nwant\n%s", raw, want)
	}
}
