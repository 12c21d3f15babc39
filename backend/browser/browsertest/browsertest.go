// Package browsertest gives live tests one real browser a test binary and pages served on loopback.
//
//	func TestMain(m *testing.M) { os.Exit(browsertest.Main(m)) }
//
//	func TestButton(t *testing.T) {
//		ip, localhost := browsertest.Serve(t, map[string]string{
//			"/":      `<button>Go</button><iframe src="{localhost}/child"></iframe>`,
//			"/child": `<p>from another site, so in a process of its own`,
//		})
//		tab := browsertest.Open(t, ip+"/")
//		…
//	}
package browsertest

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"kuang/backend/browser"
)

// closeTimeout bounds the end of the browser and of a tab; both take well under a second.
const closeTimeout = 15 * time.Second

// one is the test binary's browser. A test binary is one process with one TestMain, so one variable serves it.
var one struct {
	sync.Mutex
	browser *browser.Browser
	profile string
	err     error
}

// Main runs the tests and closes the browser; TestMain calls it with os.Exit.
func Main(m *testing.M) int {
	code := m.Run()
	one.Lock()
	defer one.Unlock()
	if one.browser != nil {
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		if err := one.browser.Close(ctx); err != nil {
			fmt.Fprintln(os.Stderr, "closing the test browser:", err)
			code = max(code, 1)
		}
	}
	if one.profile != "" {
		os.RemoveAll(one.profile)
	}
	return code
}

// Require skips the test when this machine has no browser, and fails it when CI or KUANG_REQUIRE_BROWSER is set. Tests
// that start a browser of their own call it first.
func Require(tb testing.TB) {
	tb.Helper()
	if _, _, _, err := browser.Locate("", os.Getenv); err != nil {
		Lacks(tb, "a browser", err)
	}
}

// Lacks ends a test for which this machine has not what it needs: skipped where a person runs it, and failed where the
// run is the proof.
func Lacks(tb testing.TB, what string, err error) {
	tb.Helper()
	if os.Getenv("CI") != "" || os.Getenv("KUANG_REQUIRE_BROWSER") != "" {
		tb.Fatalf("this run needs %s: %v", what, err)
	}
	tb.Skipf("it needs %s: %v", what, err)
}

// Browser returns the test binary's headless browser and starts it at the first ask.
func Browser(tb testing.TB) *browser.Browser {
	tb.Helper()
	Require(tb)
	one.Lock()
	defer one.Unlock()
	if one.browser == nil && one.err == nil {
		one.err = start(tb)
	}
	if one.err != nil {
		tb.Fatalf("starting the test browser: %v", one.err)
	}
	return one.browser
}

func start(tb testing.TB) error {
	profile, err := os.MkdirTemp("", "kuang-test-profile-")
	if err != nil {
		return err
	}
	one.profile = profile
	log := slog.New(slog.DiscardHandler)
	if os.Getenv("KUANG_TEST_LOG") != "" {
		log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	b := browser.New(browser.Options{Profile: profile, Headless: true, Log: log})
	// Not the test's context: the browser outlives the test that asked first.
	if err := b.Start(context.WithoutCancel(tb.Context())); err != nil {
		return err
	}
	one.browser = b
	s := b.Status()
	fmt.Fprintf(os.Stderr, "browsertest: %s %s over the %s\n", s.Product, s.Version, s.Transport)
	return nil
}

// Open opens a tab on url, waits for its load, and closes it when the test ends.
func Open(tb testing.TB, url string) *browser.Tab {
	tb.Helper()
	tab, err := Browser(tb).Open(tb.Context(), browser.OpenOptions{URL: url})
	if tab != nil {
		tb.Cleanup(func() { closeTab(tb, tab) })
	}
	if err != nil {
		tb.Fatalf("opening %s: %v", url, err)
	}
	return tab
}

func closeTab(tb testing.TB, tab *browser.Tab) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	select {
	case <-tab.Closed():
		return
	default:
	}
	if err := tab.Close(ctx); err != nil {
		tb.Errorf("closing tab %s: %v", tab.ID(), err)
	}
}

// MainFrame is the main frame of a tab, for tests that call into it.
func MainFrame(tb testing.TB, tab *browser.Tab) browser.Frame {
	tb.Helper()
	f, err := tab.MainFrame(tb.Context())
	if err != nil {
		tb.Fatalf("the main frame: %v", err)
	}
	return f
}

// Eval evaluates an expression in the main world of the main frame, as the page's own script would, and returns its
// value as JSON. It is the tests' oracle.
func Eval(tb testing.TB, tab *browser.Tab, expression string) string {
	tb.Helper()
	e, err := tab.Evaluate(tb.Context(), MainFrame(tb, tab), true, expression)
	if err != nil {
		tb.Fatalf("evaluating %s: %v", expression, err)
	}
	if e.Exception != "" {
		tb.Fatalf("evaluating %s: it threw %s", expression, e.Exception)
	}
	return string(e.Value)
}

// Serve serves HTML files by path and returns the bases of two sites, http://127.0.0.1:PORT and http://localhost:PORT.
// A frame from one in a page of the other is out of process. In a file {ip} and {localhost} stand for the bases.
func Serve(tb testing.TB, files map[string]string) (ip, localhost string) {
	tb.Helper()
	mux := http.NewServeMux()
	var sites *strings.Replacer
	for path, body := range files {
		if path == "/" {
			path = "/{$}"
		}
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Cache-Control", "no-store")
			fmt.Fprint(w, sites.Replace(body))
		})
	}
	ip, localhost = Handle(tb, mux)
	sites = strings.NewReplacer("{ip}", ip, "{localhost}", localhost)
	return ip, localhost
}

// Handle serves a handler on loopback until the test ends and returns the bases of its two sites.
func Handle(tb testing.TB, h http.Handler) (ip, localhost string) {
	tb.Helper()
	server := httptest.NewServer(h)
	tb.Cleanup(server.Close)
	ip = server.URL
	return ip, strings.Replace(ip, "127.0.0.1", "localhost", 1)
}
