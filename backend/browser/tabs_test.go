package browser_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg"
	_ "image/png"
	"net/http"
	"strings"
	"testing"
	"time"

	proto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"kuang/backend/browser"
	"kuang/backend/browser/browsertest"
	"kuang/backend/cdp"
)

func TestScreenshot(t *testing.T) {
	// Four colour fields, 400 px high each, so that a pixel tells where a picture was taken.
	ip, _ := browsertest.Serve(t, map[string]string{"/": `<!doctype html><style>body { margin: 0 } div { height: 1000px }</style>
		<div style="background: rgb(200,0,0)"></div><div style="background: rgb(0,200,0)"></div>
		<div style="background: rgb(0,0,200)"></div>
		<script>var resized = 0; addEventListener('resize', () => resized++)</script>`})
	tab := browsertest.Open(t, ip+"/")
	ctx := t.Context()
	view, err := tab.Viewport(ctx)
	if err != nil || view.Width < 800 || view.Height < 500 || view.DPR <= 0 {
		t.Fatalf("got %+v, %v", view, err)
	}
	t.Logf("the viewport is %+v", view)
	w, h := float64(view.Width), float64(view.Height)
	red, green, blue := color.RGBA{200, 0, 0, 255}, color.RGBA{0, 200, 0, 255}, color.RGBA{0, 0, 200, 255}
	cases := []struct {
		name    string
		scroll  int
		options browser.ScreenshotOptions
		want    browser.Rect
		top     color.RGBA
		bottom  color.RGBA
	}{
		{"the viewport", 0, browser.ScreenshotOptions{}, browser.Rect{W: w, H: h}, red, red},
		{"the viewport, scrolled", 1000, browser.ScreenshotOptions{}, browser.Rect{W: w, H: h}, green, green},
		{"a part, scrolled", 1000, browser.ScreenshotOptions{Clip: &browser.Rect{X: 10, Y: 20, W: 30, H: 40}}, browser.Rect{X: 10, Y: 20, W: 30, H: 40}, green, green},
		{"a part above and below", 1000, browser.ScreenshotOptions{Clip: &browser.Rect{X: 0, Y: -10, W: 50, H: 1020}}, browser.Rect{X: 0, Y: -10, W: 50, H: 1020}, red, blue},
		{"the whole page, scrolled", 1000, browser.ScreenshotOptions{FullPage: true}, browser.Rect{Y: -1000, W: w, H: 3000}, red, blue},
		{"jpeg", 0, browser.ScreenshotOptions{Format: "jpeg", Quality: 90}, browser.Rect{W: w, H: h}, red, red},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			browsertest.Eval(t, tab, fmt.Sprintf("scrollTo(0, %d); resized = 0", tc.scroll))
			began := time.Now()
			data, rect, err := tab.Screenshot(ctx, tc.options)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d bytes in %d ms", len(data), time.Since(began).Milliseconds())
			pic, format, err := image.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if want := tc.options.Format; want != "" && format != want {
				t.Errorf("the format is %s", format)
			}
			// A page with a scrollbar is a little narrower than the viewport.
			if rect.X != tc.want.X || rect.Y != tc.want.Y || rect.H != tc.want.H || rect.W > tc.want.W || rect.W < tc.want.W-20 {
				t.Errorf("the rect is %+v, want %+v", rect, tc.want)
			}
			b := pic.Bounds()
			if float64(b.Dx()) != rect.W*view.DPR || float64(b.Dy()) != rect.H*view.DPR {
				t.Errorf("the picture is %v for %+v", b, rect)
			}
			for name, at := range map[string]struct {
				y    int
				want color.RGBA
			}{"top": {1, tc.top}, "bottom": {b.Dy() - 2, tc.bottom}} {
				r, g, bl, _ := pic.At(5, at.y).RGBA()
				if near(r, at.want.R) && near(g, at.want.G) && near(bl, at.want.B) {
					continue
				}
				t.Errorf("%s is %d %d %d", name, r>>8, g>>8, bl>>8)
			}
			if got := browsertest.Eval(t, tab, "scrollY"); got != fmt.Sprint(tc.scroll) {
				t.Errorf("it left the page at %s", got)
			}
			if tc.options.Clip == nil && !tc.options.FullPage {
				if got := browsertest.Eval(t, tab, "resized"); got != "0" {
					t.Errorf("the page was resized %s times", got)
				}
			}
		})
	}
	if _, _, err := tab.Screenshot(ctx, browser.ScreenshotOptions{Clip: &browser.Rect{}}); err == nil {
		t.Error("an empty part was pictured")
	}
}

func near(got uint32, want uint8) bool {
	d := int(got>>8) - int(want)
	return d > -12 && d < 12
}

func TestScreenshotOfABackgroundTab(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{"/": `<body style="background: rgb(0,200,0)">`, "/b": `b`})
	covered := browsertest.Open(t, ip+"/")
	front := browsertest.Open(t, ip+"/b")
	if err := front.Activate(t.Context()); err != nil {
		t.Fatal(err)
	}
	never, err := browsertest.Browser(t).Open(t.Context(), browser.OpenOptions{URL: ip + "/", Background: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { never.Close(context.Background()) })
	for name, tab := range map[string]*browser.Tab{"covered": covered, "never shown": never} {
		// Several in a row: a page at rest draws nothing by itself between them.
		for i, want := range []string{"rgb(0,200,0)", "rgb(0,200,0)", "rgb(0,0,200)", "rgb(0,0,200)", "rgb(0,0,200)"} {
			browsertest.Eval(t, tab, "document.body.style.background = '"+want+"'")
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			o := browser.ScreenshotOptions{}
			if i == 4 {
				o.Clip = &browser.Rect{X: 10, Y: 10, W: 100, H: 100}
			}
			data, _, err := tab.Screenshot(ctx, o)
			if err != nil {
				t.Fatalf("%s, picture %d: %v", name, i, err)
			}
			pic, _, err := image.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			_, g, b, _ := pic.At(50, 50).RGBA()
			if got := fmt.Sprintf("rgb(0,%d,%d)", g>>8, b>>8); got != want {
				t.Errorf("%s, picture %d shows %s, want %s", name, i, got, want)
			}
		}
	}
}

func TestDialogsAreAnsweredAndRemembered(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{"/": `<button style="width: 200px; height: 200px" onclick="document.title = 'clicked'; alert('in a click')">x</button>`, "/next": `next`})
	tab := browsertest.Open(t, ip+"/")
	got := browsertest.Eval(t, tab, "[alert('a'), confirm('c'), prompt('p', 'x')]")
	if got != "[null,false,null]" {
		t.Errorf("the page got %s", got)
	}
	if err := tab.Mouse().Click(t.Context(), 50, 50, browser.ClickOptions{}); err != nil {
		t.Fatal(err)
	}
	await(t, func() bool { return len(tab.Dialogs(time.Time{})) == 4 })
	// The click was a gesture, so the page may now ask to stay.
	browsertest.Eval(t, tab, "addEventListener('beforeunload', (e) => e.preventDefault()), 1")
	if _, err := tab.Navigate(t.Context(), ip+"/next", browser.UntilLoad, patience); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, d := range tab.Dialogs(time.Time{}) {
		list = append(list, d.Type+" "+d.Message+" "+d.Answer)
	}
	want := "alert a accepted|confirm c dismissed|prompt p dismissed|alert in a click accepted|beforeunload  accepted"
	if got := strings.Join(list, "|"); got != want {
		t.Errorf("got %s", got)
	}
	if len(tab.Dialogs(time.Now())) != 0 {
		t.Error("since is not heeded")
	}
}

func TestPopupsAreAdoptedAndOthersOnlyListed(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{
		"/": `<style>a { position: absolute; width: 100px; height: 50px; left: 0 }</style>
			<a style="top: 0" href="/one" target=_blank>noopener</a><a style="top: 100px" href="/two" target=_blank rel=opener>opener</a>
			<a style="top: 200px" href="/three">control</a>`,
		"/one": `<title>one</title>`, "/two": `<title>two</title>`, "/three": `<title>three</title>`,
	})
	tab := browsertest.Open(t, ip+"/")
	b := browsertest.Browser(t)
	cases := []struct {
		name string
		y    float64
		o    browser.ClickOptions
		url  string
	}{
		{"a link without an opener", 20, browser.ClickOptions{}, "/one"},
		{"a link with its opener", 120, browser.ClickOptions{}, "/two"},
		{"a Control click", 220, browser.ClickOptions{Modifiers: []string{"Control"}}, "/three"},
		{"a middle click", 220, browser.ClickOptions{Button: "middle"}, "/three"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if err := tab.Mouse().Click(t.Context(), 20, tc.y, tc.o); err != nil {
				t.Fatal(err)
			}
			popup := popupOf(t, b, tab)
			if n, err := popup.Wait(t.Context(), browser.UntilLoad, patience); err != nil {
				t.Fatalf("%+v, %v", n, err)
			}
			await(t, func() bool { return popup.URL() == ip+tc.url })
			if err := popup.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}

	// A tab that the person opens: here, one that is made behind Kuang's back.
	root := b.Connection().Root()
	made, err := cdp.Call(t.Context(), root, target.CreateTarget, target.CreateTargetParams{URL: ip + "/one"})
	if err != nil {
		t.Fatal(err)
	}
	var theirs browser.Listing
	defer func() {
		if t.Failed() {
			t.Logf("the tabs are %+v", b.Listed())
		}
	}()
	await(t, func() bool {
		for _, l := range b.Listed() {
			if l.Title == "one" {
				theirs = l
			}
		}
		return theirs.ID != ""
	})
	if theirs.Attached || theirs.URL != ip+"/one" {
		t.Errorf("got %+v", theirs)
	}
	if _, ok := b.Tab(theirs.ID); ok {
		t.Error("the person's tab is ours")
	}
	if _, err := cdp.Call(t.Context(), root, target.CloseTarget, target.CloseTargetParams(made)); err != nil {
		t.Fatal(err)
	}
	await(t, func() bool {
		for _, l := range b.Listed() {
			if l.ID == theirs.ID {
				return false
			}
		}
		return true
	})
}

func TestTabIDsAreNeverUsedAgain(t *testing.T) {
	given := map[string]bool{}
	for range 3 {
		tab := browsertest.Open(t, "")
		if given[tab.ID()] {
			t.Errorf("%s again", tab.ID())
		}
		given[tab.ID()] = true
		if err := tab.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, ok := browsertest.Browser(t).Tab(tab.ID()); ok {
			t.Errorf("%s is still there", tab.ID())
		}
	}
}

func TestEventsTellOfTabs(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{"/": `<title>told</title>`})
	heard := make(chan browser.Event, 1000)
	cancel := browsertest.Browser(t).Subscribe(func(e browser.Event) { heard <- e })
	defer cancel()
	tab := browsertest.Open(t, ip+"/")
	if err := tab.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	counts := map[browser.EventKind]int{}
	for e := range heard {
		if e.TabID != tab.ID() {
			continue
		}
		counts[e.Kind]++
		if e.Kind == browser.TabClosed {
			break
		}
	}
	if counts[browser.TabOpened] != 1 || counts[browser.TabChanged] < 1 {
		t.Errorf("heard %v", counts)
	}
}

func TestAQuietTabSendsNothing(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{
		"/":   `<title>quiet</title><iframe src="{localhost}/in"></iframe><script>setInterval(() => document.title += '.', 20)</script>`,
		"/in": `in`,
	})
	conn := browsertest.Browser(t).Connection()
	conn.Reset()
	tab := browsertest.Open(t, ip+"/")
	if _, err := tab.Frames(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := tab.Viewport(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := tab.Screenshot(t.Context(), browser.ScreenshotOptions{}); err != nil {
		t.Fatal(err)
	}
	for method := range conn.Counts() {
		domain, _, _ := strings.Cut(method, ".")
		switch domain {
		case "DOM", "CSS", "Accessibility", "Overlay", "DOMSnapshot", "Log", "Inspector":
			t.Errorf("it sent %s", method)
		}
		if method == "Runtime.enable" {
			t.Errorf("it sent %s", method)
		}
	}
	t.Logf("opening, measuring and picturing sent %v", conn.Counts())

	conn.Reset()
	// The page lives on meanwhile: its own clock says that time has passed.
	idle := time.NewTimer(time.Second)
	<-idle.C
	if counts := conn.Counts(); len(counts) != 0 {
		t.Errorf("an idle tab sent %v", counts)
	}
}

func TestNetworkLog(t *testing.T) {
	done := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<script>fetch('/gone').then(() => fetch('/hop')).then(() => fetch('http://127.0.0.1:1/').catch(() => fetch('/slow')))</script>`)
	})
	mux.HandleFunc("GET /gone", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
	mux.Handle("GET /hop", http.RedirectHandler("/landed", http.StatusFound))
	mux.HandleFunc("GET /landed", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "landed") })
	mux.HandleFunc("GET /slow", func(w http.ResponseWriter, r *http.Request) { wait(r, done) })
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) {})
	ip, _ := browsertest.Handle(t, mux)
	t.Cleanup(func() { close(done) })
	tab := browsertest.Open(t, ip+"/")
	find := func(path string) (browser.Request, bool) {
		for _, r := range tab.Network().Requests(time.Time{}) {
			if r.URL == ip+path || r.URL == path {
				return r, true
			}
		}
		return browser.Request{}, false
	}
	await(t, func() bool { _, ok := find("/slow"); return ok })
	if r, _ := find("/"); r.Status != 200 || r.Type != "Document" || r.MIME != "text/html" || r.EndedAt.IsZero() || r.Bytes == 0 || time.Since(r.At) > patience {
		t.Errorf("the document: %+v", r)
	}
	if r, _ := find("/gone"); r.Status != 410 || r.Type != "Fetch" || r.Method != "GET" {
		t.Errorf("gone: %+v", r)
	}
	if r, _ := find("/hop"); r.Status != 302 || r.EndedAt.IsZero() {
		t.Errorf("hop: %+v", r)
	}
	if r, _ := find("/landed"); r.Status != 200 {
		t.Errorf("landed: %+v", r)
	}
	if r, _ := find("http://127.0.0.1:1/"); r.Failure == "" {
		t.Errorf("refused: %+v", r)
	}
	await(t, func() bool { return tab.Network().InFlight() == 1 })
	if r, _ := find("/slow"); !r.EndedAt.IsZero() {
		t.Errorf("slow: %+v", r)
	}
	if got := tab.Network().Requests(time.Now()); len(got) != 0 {
		t.Errorf("since is not heeded: %v", got)
	}
	if _, err := tab.Navigate(t.Context(), "about:blank", browser.UntilLoad, patience); err != nil {
		t.Fatal(err)
	}
	await(t, func() bool { return tab.Network().InFlight() == 0 })
}

func TestACrashedPageSaysSoAndComesBack(t *testing.T) {
	ip, _ := site(t)
	tab := browsertest.Open(t, ip+"/a")
	hanging := make(chan error, 1)
	frame := browsertest.MainFrame(t, tab)
	go func() { hanging <- tab.World(library()).Call(t.Context(), frame, "hang", nil) }()
	if err := tab.World(library()).Call(t.Context(), frame, "nothing", nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := cdp.Call(ctx, tab.Session(), page.Crash, proto.Empty{}); err == nil {
		t.Log("the crash was answered")
	}
	if err := <-hanging; err == nil {
		t.Error("the call under the crash succeeded")
	} else {
		t.Logf("the call under the crash: %v", err)
	}
	var crashed *browser.CrashedError
	await(t, func() bool {
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := tab.World(library()).Call(short, frame, "nothing", nil)
		return errors.As(err, &crashed)
	})
	if got, err := tab.Navigate(t.Context(), ip+"/b", browser.UntilLoad, patience); err != nil || got.Title != "B" {
		t.Fatalf("got %+v, %v", got, err)
	}
	if err := tab.World(library()).Call(t.Context(), browsertest.MainFrame(t, tab), "nothing", nil); err != nil {
		t.Error(err)
	}
}

func TestLockIsFairAndEndsWithTheTab(t *testing.T) {
	tab := browsertest.Open(t, "")
	unlock, err := tab.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	waiting := make(chan error, 1)
	go func() { _, err := tab.Lock(context.Background()); waiting <- err }()
	if err := tab.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; !errors.As(err, new(*browser.TabGoneError)) {
		t.Errorf("got %v", err)
	}
	unlock()
	unlock() // Twice does no harm.
}
