package browser_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"kuang/backend/browser"
	"kuang/backend/browser/browsertest"
)

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
