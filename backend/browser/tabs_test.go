package browser_test

import (
	"context"
	"errors"
	_ "image/jpeg"
	_ "image/png"
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
