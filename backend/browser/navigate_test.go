package browser_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"kuang/backend/browser"
	"kuang/backend/browser/browsertest"
)

// patience is for navigations that must end by themselves; it is long so that a busy machine does not fail them.
const patience = 20 * time.Second

// site serves the pages of the navigation tests. What never ends does so until the test is over.
func site(t *testing.T) (ip, localhost string) {
	t.Helper()
	done := make(chan struct{})
	mux := http.NewServeMux()
	html := func(path, body string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, body)
		})
	}
	html("/a", `<title>A</title><a id=x href="#x">x</a>`)
	html("/b", `<title>B</title><p>b`)
	html("/script-redirect", `<title>S</title><script>location.href = '/b'</script>`)
	html("/slow-image", `<title>Slow</title><img src="/never">`)
	html("/stream", `<title>Stream</title><script>
		new EventSource('/events'); fetch('/a').then(() => document.title = 'Stream done')</script>`)
	html("/busy", `<title>Busy</title><script>fetch('/never')</script>`)
	html("/block", `<title>Block</title><script>addEventListener('load', () => { for (;;); })</script>`)
	for path, to := range map[string]string{"/r1": "/r2", "/r2": "/r3", "/r3": "/b", "/circle": "/circle"} {
		mux.Handle("GET "+path, http.RedirectHandler(to, http.StatusFound))
	}
	mux.HandleFunc("GET /to-file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "file:///etc/passwd")
		w.WriteHeader(http.StatusFound)
	})
	mux.HandleFunc("GET /secret", func(w http.ResponseWriter, r *http.Request) {
		if _, _, ok := r.BasicAuth(); !ok {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	mux.HandleFunc("GET /nothing", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /missing", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, "<title>Not here</title>")
	})
	mux.HandleFunc("GET /broken", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	mux.HandleFunc("GET /download", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=x.bin")
		fmt.Fprint(w, "data")
	})
	mux.HandleFunc("GET /never", func(w http.ResponseWriter, r *http.Request) { wait(r, done) })
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: x\n\n")
		w.(http.Flusher).Flush()
		wait(r, done)
	})
	ip, localhost = browsertest.Handle(t, mux)
	t.Cleanup(func() { close(done) }) // Before the server closes, which waits for its requests.
	return ip, localhost
}

func wait(r *http.Request, done <-chan struct{}) {
	select {
	case <-done:
	case <-r.Context().Done():
	}
}

func TestNavigateArrives(t *testing.T) {
	ip, _ := site(t)
	cases := []struct {
		name, url string
		until     browser.WaitUntil
		want      browser.Navigation
	}{
		{"a page", "/a", browser.UntilLoad, browser.Navigation{URL: "/a", Title: "A", Status: 200}},
		{"a redirect chain", "/r1", browser.UntilLoad, browser.Navigation{URL: "/b", Title: "B", Status: 200}},
		{"a redirect by script", "/script-redirect", browser.UntilLoad, browser.Navigation{URL: "/b", Title: "B", Status: 200}},
		{"an error status with a page", "/missing", browser.UntilLoad, browser.Navigation{URL: "/missing", Title: "Not here", Status: 404}},
		{"a page that loads for ever, its DOM", "/slow-image", browser.UntilDOM, browser.Navigation{URL: "/slow-image", Title: "Slow", Status: 200}},
		{"an idle page with an open stream", "/stream", browser.UntilNetworkIdle, browser.Navigation{URL: "/stream", Title: "Stream done", Status: 200}},
		{"a fragment in the address", "/a#x", browser.UntilLoad, browser.Navigation{URL: "/a#x", Title: "A", Status: 200}},
	}
	tab := browsertest.Open(t, "")
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := tab.Navigate(t.Context(), "about:blank", browser.UntilLoad, patience); err != nil {
				t.Fatal(err)
			}
			before := tab.Revision()
			got, err := tab.Navigate(t.Context(), ip+tc.url, tc.until, patience)
			if err != nil {
				t.Fatal(err)
			}
			tc.want.URL = ip + tc.want.URL
			if got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
			if tab.Revision() <= before {
				t.Errorf("the revision stayed %d", before)
			}
		})
	}
}

func TestNavigateEmptyErrorKeepsItsStatus(t *testing.T) {
	ip, _ := site(t)
	tab := browsertest.Open(t, "")
	got, err := tab.Navigate(t.Context(), ip+"/broken", browser.UntilLoad, patience)
	if err != nil || got.Status != 500 || got.URL != ip+"/broken" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestNavigateFailures(t *testing.T) {
	ip, _ := site(t)
	cases := []struct{ name, url, reason string }{
		{"no content", ip + "/nothing", "204"},
		{"a download", ip + "/download", "download"},
		{"a circle", ip + "/circle", "circle"},
		{"a closed port", "http://127.0.0.1:9", "ERR_"},
		{"a redirect to the disk", ip + "/to-file", "may not open"},
		{"a question for a password", ip + "/secret", "password"},
		{"no such host", "http://no-such-host.invalid/", "ERR_"},
	}
	tab := browsertest.Open(t, ip+"/a")
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			_, err := tab.Navigate(t.Context(), tc.url, browser.UntilLoad, patience)
			var failed *browser.NavigationError
			if !errors.As(err, &failed) || !strings.Contains(failed.Reason, tc.reason) {
				t.Fatalf("got %v", err)
			}
			t.Log(err)
			revision := tab.Revision()
			if url := tab.URL(); !strings.Contains(failed.Reason, "ABORTED") && !strings.HasPrefix(tc.url, "http://127.0.0.1:9") && url != tc.url {
				t.Errorf("it shows %s", url)
			}
			if frames, err := tab.Frames(t.Context()); err != nil || len(frames) != 1 || tab.Revision() != revision {
				t.Errorf("it goes on changing: %v, %v", frames, err)
			}
			// The tab is still good.
			if got, err := tab.Navigate(t.Context(), ip+"/a", browser.UntilLoad, patience); err != nil || got.Title != "A" {
				t.Errorf("afterwards got %+v, %v", got, err)
			}
		})
	}
}

func TestWaitsTimeOutAndSayOnWhat(t *testing.T) {
	ip, _ := site(t)
	const short = 300 * time.Millisecond
	navigate := func(tab *browser.Tab) error {
		_, err := tab.Navigate(t.Context(), ip+"/never", browser.UntilLoad, short)
		return err
	}
	wait := func(path string, until browser.WaitUntil) func(*browser.Tab) error {
		return func(tab *browser.Tab) error {
			if _, err := tab.Navigate(t.Context(), ip+path, browser.UntilNone, patience); err != nil {
				return err
			}
			_, err := tab.Wait(t.Context(), until, short)
			return err
		}
	}
	cases := []struct {
		name    string
		act     func(*browser.Tab) error
		waiting string
	}{
		{"no answer", navigate, "an answer from"},
		{"no load", wait("/slow-image", browser.UntilLoad), "load of"},
		{"no idle", wait("/busy", browser.UntilNetworkIdle), "networkidle of"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			err := tc.act(browsertest.Open(t, ""))
			var late *browser.TimeoutError
			if !errors.As(err, &late) || !strings.Contains(late.Waiting, tc.waiting) || !errors.Is(err, context.DeadlineExceeded) || late.After <= 0 {
				t.Fatalf("got %v", err)
			}
		})
	}
}

func TestAPasswordInAnAddressIsNotRepeated(t *testing.T) {
	ip, _ := site(t)
	tab := browsertest.Open(t, "")
	got, err := tab.Navigate(t.Context(), strings.Replace(ip, "http://", "http://me:hush@", 1)+"/secret", browser.UntilLoad, patience)
	if err != nil || got.Status != 200 || got.URL != ip+"/secret" {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, r := range tab.Network().Requests(time.Time{}) {
		if strings.Contains(r.URL, "hush") {
			t.Errorf("the log has %s", r.URL)
		}
	}
	for _, l := range browsertest.Browser(t).Listed() {
		if strings.Contains(l.URL+l.Title, "hush") {
			t.Errorf("the list has %+v", l)
		}
	}
}

func TestNavigateWithinTheDocumentReturnsAtOnce(t *testing.T) {
	ip, _ := site(t)
	tab := browsertest.Open(t, ip+"/a")
	loader, before := tab.LoaderID(), tab.Revision()
	got, err := tab.Navigate(t.Context(), ip+"/a#x", browser.UntilNetworkIdle, patience)
	if err != nil || got.URL != ip+"/a#x" || got.Status != 200 {
		t.Errorf("got %+v, %v", got, err)
	}
	if tab.LoaderID() != loader || tab.Revision() <= before {
		t.Errorf("loader %s → %s, revision %d → %d", loader, tab.LoaderID(), before, tab.Revision())
	}
}

func TestHistory(t *testing.T) {
	ip, _ := site(t)
	tab := browsertest.Open(t, ip+"/a")
	ctx := t.Context()
	for _, path := range []string{"/a#x", "/b", "/missing"} {
		if _, err := tab.Navigate(ctx, ip+path, browser.UntilLoad, patience); err != nil {
			t.Fatal(err)
		}
	}
	steps := []struct {
		delta  int
		url    string
		status int
	}{{-1, "/b", 200}, {-1, "/a#x", 200}, {-1, "/a", 200}, {+1, "/a#x", 200}, {+2, "/missing", 404}, {-2, "/a#x", 200}}
	for _, s := range steps {
		got, err := tab.History(ctx, s.delta, browser.UntilLoad, patience)
		if err != nil || got.URL != ip+s.url || got.Status != s.status {
			t.Fatalf("%+d: got %+v, %v, want %s", s.delta, got, err, s.url)
		}
		if title := browsertest.Eval(t, tab, "location.href"); title != `"`+ip+s.url+`"` {
			t.Errorf("%+d: the page is %s", s.delta, title)
		}
	}
	var end *browser.HistoryError
	if _, err := tab.History(ctx, +9, browser.UntilLoad, patience); !errors.As(err, &end) || end.Forward != 2 || end.Back != 2 {
		t.Errorf("beyond the end: %v %+v", err, end)
	}
	if _, err := tab.History(ctx, -9, browser.UntilLoad, patience); !errors.As(err, &end) {
		t.Errorf("before the start: %v", err)
	}
}

func TestReload(t *testing.T) {
	ip, _ := site(t)
	tab := browsertest.Open(t, ip+"/a")
	for _, hard := range []bool{false, true} {
		browsertest.Eval(t, tab, "window.mark = 1")
		loader := tab.LoaderID()
		got, err := tab.Reload(t.Context(), hard, browser.UntilLoad, patience)
		if err != nil || got.URL != ip+"/a" || got.Status != 200 || tab.LoaderID() == loader {
			t.Errorf("hard %v: got %+v, %v", hard, got, err)
		}
		if mark := browsertest.Eval(t, tab, "typeof window.mark"); mark != `"undefined"` {
			t.Errorf("hard %v: the document is the old one", hard)
		}
	}
}

func TestOpenClosesATabThatReachesNothing(t *testing.T) {
	b := browsertest.Browser(t)
	before := len(b.Listed())
	tab, err := b.Open(t.Context(), browser.OpenOptions{URL: "http://127.0.0.1:9/"})
	if !errors.As(err, new(*browser.NavigationError)) || tab != nil {
		t.Fatalf("got %v, %v", tab, err)
	}
	if _, err := b.Open(t.Context(), browser.OpenOptions{URL: "javascript:alert(1)"}); !errors.As(err, new(*browser.BadURLError)) {
		t.Errorf("got %v", err)
	}
	await(t, func() bool { return len(b.Listed()) == before })
}

func TestOpenReturnsATabThatIsStillLoading(t *testing.T) {
	ip, _ := site(t)
	b := browsertest.Browser(t)
	tab, err := b.Open(t.Context(), browser.OpenOptions{URL: ip + "/slow-image", Timeout: 700 * time.Millisecond})
	if tab == nil || !errors.As(err, new(*browser.TimeoutError)) {
		t.Fatalf("got %v, %v", tab, err)
	}
	t.Cleanup(func() { tab.Close(context.Background()) })
	await(t, func() bool { return tab.URL() == ip+"/slow-image" })
	if got, err := tab.Wait(t.Context(), browser.UntilDOM, patience); err != nil || got.Title != "Slow" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// await looks again until the condition holds.
func await(t *testing.T, condition func() bool) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatal("it never came true")
		}
	}
}
