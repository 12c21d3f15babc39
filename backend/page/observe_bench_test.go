package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/runtime"

	"kuang/backend/cdp"
	"kuang/backend/page"
	"kuang/backend/shadowwalk/pagegen"
	"kuang/backend/verb"
)

// bench runs a verb b.N times and reports the size of its reply and how it compares with counting the elements and
// with reading the accessibility tree, in the same run.
func bench(b *testing.B, elements int, name string, in map[string]any) {
	r := open(b, pagegen.Elements(elements))
	raw, err := json.Marshal(in)
	if err != nil {
		b.Fatal(err)
	}
	call := &verb.Call{Session: r.sess, Tab: r.tab, Policy: r.policy, Log: slog.New(slog.DiscardHandler)}
	ctx := context.Background()
	var out any
	for b.Loop() {
		if _, out, err = r.verbs[name].Run(ctx, call, raw); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	per := b.Elapsed() / time.Duration(b.N)
	count, tree := r.references(b)
	size := len(text(b, out))
	b.ReportMetric(float64(size), "bytes")
	b.ReportMetric(float64(elements), "elements")
	b.ReportMetric(float64(per)/float64(count), "x-count")
	b.ReportMetric(float64(per)/float64(tree), "x-axtree")
	fmt.Printf("%-44s %6d elements %8.1f ms %9d bytes   counting %.1f ms, accessibility tree %.0f ms\n",
		b.Name(), elements, ms(per), size, ms(count), ms(tree))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// references times counting the elements, the least that any reading can do, and the browser's own full tree.
func (r *rig) references(b *testing.B) (count, tree time.Duration) {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute) // The tree of the large page takes its time.
	defer cancel()
	s := r.tab.Session()
	const times = 5
	began := time.Now()
	for range times {
		if _, err := cdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: "document.querySelectorAll('*').length"}); err != nil {
			b.Fatal(err)
		}
	}
	count = time.Since(began) / times
	began = time.Now()
	if _, err := cdp.Call(ctx, s, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}); err != nil {
		b.Fatal(err)
	}
	return count, time.Since(began)
}

func BenchmarkObserve(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"7.5k", pagegen.Medium}, {"45k", pagegen.Large}} {
		b.Run("components/"+size.name, func(b *testing.B) { bench(b, size.n, "observe", map[string]any{"include_offscreen": true}) })
		b.Run("viewport/"+size.name, func(b *testing.B) { bench(b, size.n, "observe", nil) })
		b.Run("find/"+size.name, func(b *testing.B) {
			bench(b, size.n, "find", map[string]any{"role": "button", "name": "Add product 77"})
		})
	}
	b.Run("components/small", func(b *testing.B) { bench(b, 100, "observe", map[string]any{"include_offscreen": true}) })
}

// BenchmarkClick is a click with its verdict on a small page, from the call to the answer.
func BenchmarkClick(b *testing.B) {
	r := open(b, `<!doctype html><button id=b onclick="this.textContent = 'Clicked ' + (window.n = (window.n || 0) + 1)">Click</button>`)
	raw := []byte(`{"action":"click","selector":"#b"}`)
	call := &verb.Call{Session: r.sess, Tab: r.tab, Policy: r.policy, Log: slog.New(slog.DiscardHandler)}
	for b.Loop() {
		_, out, err := r.verbs["act"].Run(context.Background(), call, raw)
		if err != nil || out.(page.ActOut).Verdict != page.Effect {
			b.Fatal(out, err)
		}
	}
}
