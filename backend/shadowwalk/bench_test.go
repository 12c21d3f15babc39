package shadowwalk

import (
	"context"
	"fmt"
	"testing"
	"time"

	"kuang/backend/browser"
	"kuang/backend/browser/browsertest"
	"kuang/backend/shadowwalk/pagegen"
)

// BenchmarkSealed measures the first sealed read of a fresh tab, by the fast way and by the reference, by turns in one
// run. The bar on the catalogue is a ratio of 10 at 7.5k elements and of 20 at 45k. The flat page is the worst case for the fast
// way: its roots are siblings of every row, and Chromium tells the siblings of every ancestor.
func BenchmarkSealed(b *testing.B) {
	for _, bc := range []struct {
		name string
		page string
	}{
		{"7.5k", pagegen.Elements(pagegen.Medium)},
		{"45k", pagegen.Elements(pagegen.Large)},
		{"flat-7.5k", pagegen.Flat(pagegen.Medium)},
	} {
		b.Run(bc.name, func(b *testing.B) {
			ip, _ := browsertest.Serve(b, map[string]string{"/": bc.page})
			var fast, reference time.Duration
			for b.Loop() {
				fast += first(b, ip, (*Walker).Find)
				reference += first(b, ip, (*Walker).Reference)
			}
			n := float64(b.N)
			b.ReportMetric(float64(fast.Microseconds())/1000/n, "fast_ms")
			b.ReportMetric(float64(reference.Microseconds())/1000/n, "reference_ms")
			b.ReportMetric(float64(reference)/float64(fast), "ratio")
		})
	}
}

// BenchmarkSealedAgain measures a read while the domains of the one before are still on.
func BenchmarkSealedAgain(b *testing.B) {
	for _, n := range []int{pagegen.Medium, pagegen.Large} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ip, _ := browsertest.Serve(b, map[string]string{"/": pagegen.Elements(n)})
			tab := browsertest.Open(b, ip+"/")
			w := New(nil)
			find(b, w, tab, Query{})
			for b.Loop() {
				find(b, w, tab, Query{})
			}
		})
	}
}

// first is how long the first read of a fresh tab takes.
func first(b *testing.B, url string, read func(*Walker, context.Context, *browser.Tab, Query) (Result, error)) time.Duration {
	b.Helper()
	tab, err := browsertest.Browser(b).Open(b.Context(), browser.OpenOptions{URL: url})
	if err != nil {
		b.Fatal(err)
	}
	defer tab.Close(b.Context())
	if _, _, err := tab.Screenshot(b.Context(), browser.ScreenshotOptions{Format: "jpeg"}); err != nil { // The page is laid out and painted.
		b.Fatal(err)
	}
	// The reference takes longer on a busy machine than a protocol call may by default.
	ctx, cancel := context.WithTimeout(b.Context(), 5*time.Minute)
	defer cancel()
	began := time.Now()
	r, err := read(New(nil), ctx, tab, Query{})
	took := time.Since(began)
	if err != nil {
		b.Fatal(err)
	}
	if len(r.Controls) != pagegen.Sealed {
		b.Fatalf("found %d sealed controls, want %d", len(r.Controls), pagegen.Sealed)
	}
	return took
}
