package browser_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"kuang/backend/browser"
	"kuang/backend/browser/browsertest"
)

func library() browser.Library {
	return browser.Library{Name: "lib", Source: `(() => {
		let count = 0;
		globalThis.installs = (globalThis.installs ?? 0) + 1;
		return {
			add: (a, b) => a + b,
			later: (x) => new Promise((done) => setTimeout(() => done(x), 5)),
			count: () => ++count,
			installs: () => globalThis.installs,
			nothing: () => {},
			echo: (x) => x,
			fail: () => { throw new Error('it broke'); },
			reject: async () => { throw 'plain'; },
			href: () => location.href,
			hang: () => new Promise(() => {}),
		};
	})() // a comment at the end`}
}

func TestWorldCalls(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{"/": `<script>var lib = 'the page has its own'; var count = 7</script>`})
	tab := browsertest.Open(t, ip+"/")
	frame := browsertest.MainFrame(t, tab)
	w := tab.World(library())
	ctx := t.Context()

	var sum int
	if err := w.Call(ctx, frame, "add", &sum, 2, 3); err != nil || sum != 5 {
		t.Errorf("add: %d, %v", sum, err)
	}
	var text string
	if err := w.Call(ctx, frame, "later", &text, "ünï 😀\u2028\x00"); err != nil || text != "ünï 😀\u2028\x00" {
		t.Errorf("later: %q, %v", text, err)
	}
	var thing struct {
		A []int
		B *string
	}
	if err := w.Call(ctx, frame, "echo", &thing, map[string]any{"a": []int{1, 2}, "b": nil}); err != nil || len(thing.A) != 2 || thing.B != nil {
		t.Errorf("echo: %+v, %v", thing, err)
	}
	if err := w.Call(ctx, frame, "nothing", &sum); err != nil || sum != 5 {
		t.Errorf("nothing: %d, %v", sum, err)
	}
	var script *browser.ScriptError
	if err := w.Call(ctx, frame, "fail", nil); !errors.As(err, &script) || script.Exception != "Error: it broke" {
		t.Errorf("fail: %v", err)
	}
	if err := w.Call(ctx, frame, "reject", nil); !errors.As(err, &script) || script.Exception != `"plain"` {
		t.Errorf("reject: %v", err)
	}
	if err := w.Call(ctx, frame, "missing", nil); !errors.As(err, &script) || !strings.Contains(script.Exception, "not a function") {
		t.Errorf("missing: %v", err)
	}
	// The page sees nothing of it.
	if got := browsertest.Eval(t, tab, "lib + typeof globalThis.installs"); got != `"the page has its ownundefined"` {
		t.Errorf("the page sees %s", got)
	}
}

func TestWorldIsMadeOnceAndAnewAfterNavigation(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{"/": `one`, "/two": `two`})
	tab := browsertest.Open(t, ip+"/")
	frame := browsertest.MainFrame(t, tab)
	w := tab.World(library())
	tab.Session().Reset()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := w.Call(t.Context(), frame, "count", nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	var n int
	if err := w.Call(t.Context(), frame, "count", &n); err != nil || n != 21 {
		t.Errorf("counted %d, %v", n, err)
	}
	if err := w.Call(t.Context(), frame, "installs", &n); err != nil || n != 1 {
		t.Errorf("installed %d times, %v", n, err)
	}
	if made := tab.Session().Counts()["Page.createIsolatedWorld"]; made > 1 {
		t.Errorf("made %d worlds", made)
	}
	if _, err := tab.Navigate(t.Context(), ip+"/two", browser.UntilLoad, patience); err != nil {
		t.Fatal(err)
	}
	// An old frame value still finds its frame.
	if err := w.Call(t.Context(), frame, "count", &n); err != nil || n != 1 {
		t.Errorf("after the navigation counted %d, %v", n, err)
	}
	var href string
	if err := w.Call(t.Context(), frame, "href", &href); err != nil || href != ip+"/two" {
		t.Errorf("answered from %s, %v", href, err)
	}
}

func TestWorldCallSurvivesANavigationUnderIt(t *testing.T) {
	ip, localhost := browsertest.Serve(t, map[string]string{"/": `one`, "/two": `two`})
	tab := browsertest.Open(t, ip+"/")
	w := tab.World(library())
	frame := browsertest.MainFrame(t, tab)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for ctx.Err() == nil {
				var href string
				err := w.Call(ctx, frame, "later", &href, "x")
				// Two navigations can pass under one call; then it says so.
				if err != nil && ctx.Err() == nil && !strings.Contains(err.Error(), "ontext") && !strings.Contains(err.Error(), "navigated") && !strings.Contains(err.Error(), "rame") {
					t.Errorf("got %v", err)
					return
				}
			}
		})
	}
	for i := range 10 {
		base := ip
		if i%2 == 0 {
			base = localhost // Another process each time.
		}
		if _, err := tab.Navigate(t.Context(), base+"/two", browser.UntilDOM, patience); err != nil {
			t.Error(err)
		}
	}
	stop()
	wg.Wait()
}

func TestABlockedPageEndsTheCallNotTheTab(t *testing.T) {
	ip, localhost := site(t)
	tab := browsertest.Open(t, "")
	if _, err := tab.Navigate(t.Context(), ip+"/block", browser.UntilNone, patience); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	frame := browsertest.MainFrame(t, tab)
	if err := tab.World(library()).Call(ctx, frame, "add", nil, 1, 2); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	// Another site lives in another process; the blocked one can only be left.
	if got, err := tab.Navigate(t.Context(), localhost+"/a", browser.UntilLoad, patience); err != nil || got.Title != "A" {
		t.Errorf("afterwards: %+v, %v", got, err)
	}
	var sum int
	if err := tab.World(library()).Call(t.Context(), browsertest.MainFrame(t, tab), "add", &sum, 1, 2); err != nil || sum != 3 {
		t.Errorf("afterwards: %d, %v", sum, err)
	}
}

func TestAPageThatKeepsLeavingIsGone(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{"/": `x`})
	tab := browsertest.Open(t, ip+"/")
	leaving := tab.World(browser.Library{Name: "leaving", Source: "({ leave() { location.reload(); return new Promise(() => {}) } })"})
	var gone *browser.FrameGoneError
	if err := leaving.Call(t.Context(), browsertest.MainFrame(t, tab), "leave", nil); !errors.As(err, &gone) {
		t.Errorf("got %v", err)
	}
}

func TestEvaluate(t *testing.T) {
	ip, localhost := browsertest.Serve(t, map[string]string{
		"/":   `<script>var secret = 'main'</script><iframe src="/in"></iframe><iframe src="{localhost}/in"></iframe>`,
		"/in": `<script>var secret = 'inner'</script>`,
	})
	_ = localhost
	tab := browsertest.Open(t, ip+"/")
	await(t, func() bool { return shape(t, tab) == "\n in\n in*\n" })
	frames, err := tab.Frames(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name, expression      string
		frame                 int
		main                  bool
		value, exception, typ string
	}{
		{"a number", "1+1", 0, true, "2", "", "number"},
		{"the main world", "secret", 0, true, `"main"`, "", "string"},
		{"the isolated world", "typeof secret", 0, false, `"undefined"`, "", "string"},
		{"an out-of-process main world", "secret", 2, true, `"inner"`, "", "string"},
		{"a same-process isolated world", "location.pathname", 1, false, `"/in"`, "", "string"},
		{"top-level await", "await Promise.resolve([1])", 0, true, "[1]", "", "Array"},
		{"undefined", "undefined", 0, true, "null", "", "undefined"},
		{"null", "null", 0, true, "null", "", "null"},
		{"what JSON lacks", "0/0", 0, true, `"NaN"`, "", "number"},
		{"a big integer", "10n**20n", 0, true, `"100000000000000000000n"`, "", "bigint"},
		{"a throw", "throw new TypeError('no')", 0, true, "null", "TypeError: no", ""},
		{"a syntax error", "1+", 0, true, "null", "SyntaxError: Unexpected end of input", ""},
		{"a rejection", "Promise.reject(new Error('late'))", 0, true, "null", "Error: late", ""},
		{"a redeclared let", "let once = 1; once", 0, true, "1", "", "number"},
		{"a redeclared let again", "let once = 2; once", 0, true, "2", "", "number"},
		{"what cannot leave the page", "window", 0, true, "null", "the value cannot be returned as JSON: Object reference chain is too long", "Window"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			e, err := tab.Evaluate(t.Context(), frames[tc.frame], tc.main, tc.expression)
			if err != nil {
				t.Fatal(err)
			}
			if string(e.Value) != tc.value || e.Exception != tc.exception || e.Type != tc.typ {
				t.Errorf("got %s %q %q", e.Value, e.Exception, e.Type)
			}
		})
	}
	var unsupported *browser.UnsupportedError
	if _, err := tab.Evaluate(t.Context(), frames[1], true, "secret"); !errors.As(err, &unsupported) {
		t.Errorf("a same-process main world: %v", err)
	}
}

func TestEvaluateEndsAnEndlessLoop(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{"/": `x`})
	tab := browsertest.Open(t, ip+"/")
	browser.SetScriptTimeout(t, 500*time.Millisecond)
	e, err := tab.Evaluate(t.Context(), browsertest.MainFrame(t, tab), true, "for (;;);")
	var late *browser.TimeoutError
	if !errors.As(err, &late) {
		t.Errorf("an endless loop gave %+v, %v", e, err)
	}
	if got := browsertest.Eval(t, tab, "1"); got != "1" {
		t.Errorf("the page stays blocked: %s", got)
	}
}

func TestDocumentStartRunsBeforeThePageInEveryFrame(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{
		"/":   `<script>var seen = typeof early</script><iframe src="/in"></iframe><iframe src="{localhost}/in"></iframe>`,
		"/in": `<script>var seen = typeof early</script>`,
	})
	b := browsertest.Browser(t)
	tab := browsertest.Open(t, "")
	ctx := t.Context()
	if err := b.SetDocumentStart(ctx, "test", "var early = 1"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.SetDocumentStart(context.Background(), "test", ""); err != nil {
			t.Error(err)
		}
	})
	look := func(tab *browser.Tab) string {
		if _, err := tab.Navigate(ctx, ip+"/", browser.UntilLoad, patience); err != nil {
			t.Fatal(err)
		}
		await(t, func() bool { return shape(t, tab) == "\n in\n in*\n" })
		return browsertest.Eval(t, tab, "seen + frames[0].seen")
	}
	if got := look(tab); got != `"numbernumber"` {
		t.Errorf("an open tab: %s", got)
	}
	if got := look(browsertest.Open(t, "")); got != `"numbernumber"` {
		t.Errorf("a new tab: %s", got)
	}
	if err := b.SetDocumentStart(ctx, "test", ""); err != nil {
		t.Fatal(err)
	}
	if got := look(tab); got != `"undefinedundefined"` {
		t.Errorf("after its removal: %s", got)
	}
}

func TestPatched(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{
		"/":      `plain`,
		"/child": `<iframe src="/"></iframe><iframe src="{localhost}/"></iframe>`,
	})
	b := browsertest.Browser(t)
	tab := browsertest.Open(t, ip+"/")
	ctx := t.Context()
	check := func(want bool) {
		t.Helper()
		if got, err := tab.Patched(ctx); err != nil || got != want {
			t.Errorf("patched %v, %v, want %v", got, err, want)
		}
	}
	check(false)
	const force = `{ const attach = Element.prototype.attachShadow;
		Element.prototype.attachShadow = function (o) { return attach.call(this, { ...o, mode: 'open' }); }; }`
	if err := b.SetDocumentStart(ctx, "force", force); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.SetDocumentStart(context.Background(), "force", ""); err != nil {
			t.Error(err)
		}
	})
	check(false) // From the next document on.
	if _, err := tab.Reload(ctx, false, browser.UntilLoad, patience); err != nil {
		t.Fatal(err)
	}
	check(true)
	if err := b.SetDocumentStart(ctx, "force", ""); err != nil {
		t.Fatal(err)
	}
	check(true) // What ran stays.
	if _, err := tab.Navigate(ctx, ip+"/child", browser.UntilLoad, patience); err != nil {
		t.Fatal(err)
	}
	check(false)
}

func TestAFrameThatLeavesIsGoneAndItsTabIsNot(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{"/": `<iframe src="{localhost}/in"></iframe><iframe src="/in"></iframe>`, "/in": `in`})
	tab := browsertest.Open(t, ip+"/")
	await(t, func() bool { return shape(t, tab) == "\n in*\n in\n" })
	frames, err := tab.Frames(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w := tab.World(library())
	waiting := make(chan error, 3)
	for i, f := range frames[1:] {
		if err := w.Call(t.Context(), f, "nothing", nil); err != nil {
			t.Fatalf("frame %d: %v", i, err)
		}
		go func() { waiting <- w.Call(t.Context(), f, "hang", nil) }()
	}
	go func() {
		_, err := tab.Evaluate(t.Context(), frames[1], true, "new Promise(() => {})")
		waiting <- err
	}()
	browsertest.Eval(t, tab, "document.querySelectorAll('iframe').forEach((f) => f.remove())")
	var gone *browser.FrameGoneError
	for range cap(waiting) {
		if err := <-waiting; !errors.As(err, &gone) {
			t.Errorf("under way: %v", err)
		}
	}
	for _, f := range frames[1:] {
		if err := w.Call(t.Context(), f, "nothing", nil); !errors.As(err, &gone) {
			t.Errorf("afterwards: %v", err)
		}
	}
	if err := w.Call(t.Context(), frames[0], "nothing", nil); err != nil {
		t.Errorf("the main frame: %v", err)
	}
}
