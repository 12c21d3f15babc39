package browser

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"

	"kuang/backend/cdp"
)

// wire feeds a network log.
type wire struct {
	t   *testing.T
	log *NetworkLog
	s   *cdp.Session
	now time.Time
}

func newWire(t *testing.T) *wire {
	conn := cdp.New(make(silent), slog.New(slog.DiscardHandler))
	t.Cleanup(func() { conn.Close() })
	w := &wire{t: t, s: conn.Session("top"), now: time.Unix(1_000_000, 0)}
	w.log = newNetworkLog(w.s, func() time.Time { return w.now }, newSignal())
	return w
}

func (w *wire) event(method string, params map[string]any) {
	w.t.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		w.t.Fatal(err)
	}
	w.log.event(w.s, method, jsonv2.Value(raw))
}

func (w *wire) send(id, kind, loader string) {
	w.event(network.RequestWillBeSent.Method, map[string]any{
		"requestId": id, "loaderId": loader, "frameId": "main", "type": kind,
		"wallTime": float64(w.now.UnixMilli()) / 1000, "request": map[string]any{"url": "http://x/" + id, "method": "GET"},
	})
}

func (w *wire) finish(id string) {
	w.event(network.LoadingFinished.Method, map[string]any{"requestId": id, "encodedDataLength": 7})
}

func TestNetworkLogIsBounded(t *testing.T) {
	w := newWire(t)
	for i := range maxRequests + 10 {
		w.send(fmt.Sprint(i), "Fetch", "L")
		w.finish(fmt.Sprint(i))
	}
	list := w.log.Requests(time.Time{})
	if len(list) != maxRequests || list[0].ID != "10" || list[len(list)-1].ID != fmt.Sprint(maxRequests+9) {
		t.Errorf("%d entries from %s to %s", len(list), list[0].ID, list[len(list)-1].ID)
	}
	if len(w.log.open) != 0 {
		t.Errorf("%d left open", len(w.log.open))
	}
}

func TestNetworkLogCountsWhatKeepsAPageBusy(t *testing.T) {
	w := newWire(t)
	for _, kind := range []string{"EventSource", "WebSocket", "Ping", "Media", "Prefetch"} {
		w.send(kind, kind, "L")
	}
	w.event(network.WebSocketCreated.Method, map[string]any{"requestId": "ws", "url": "ws://x/"})
	if n := w.log.InFlight(); n != 0 {
		t.Errorf("%d count that should not", n)
	}
	w.send("a", "Fetch", "L")
	w.send("b", "Script", "L")
	if n := w.log.InFlight(); n != 2 || w.log.IdleFor() != 0 {
		t.Errorf("%d in flight, idle for %v", n, w.log.IdleFor())
	}
	w.finish("a")
	w.now = w.now.Add(time.Second)
	if n := w.log.InFlight(); n != 1 {
		t.Errorf("%d in flight", n)
	}
	if left := w.log.idleIn(quietWindow); left != longLived-time.Second {
		t.Errorf("look again in %v", left)
	}
	// A request that never ends stops to count.
	w.now = w.now.Add(longLived)
	if n := w.log.InFlight(); n != 0 || w.log.idleIn(quietWindow) != 0 || w.log.IdleFor() < longLived {
		t.Errorf("%d in flight, idle for %v", n, w.log.IdleFor())
	}
	w.send("c", "Fetch", "L")
	w.finish("c")
	if left := w.log.idleIn(quietWindow); left != quietWindow {
		t.Errorf("idle in %v", left)
	}
}

func TestNetworkLogClosesWhatADocumentLeavesOpen(t *testing.T) {
	w := newWire(t)
	w.send("L1", "Document", "L1")
	w.send("poll", "Fetch", "L1")
	w.now = w.now.Add(time.Second)
	w.send("L2", "Document", "L2")
	w.now = w.now.Add(time.Second)
	w.send("L3", "Document", "L3") // Already on its way when the second one commits.
	w.event(page.FrameNavigated.Method, map[string]any{"type": "Navigation", "frame": map[string]any{"id": "main", "loaderId": "L2"}})
	var open []string
	for _, r := range w.log.Requests(time.Time{}) {
		if r.EndedAt.IsZero() {
			open = append(open, r.ID)
		} else if r.Failure != errAborted {
			t.Errorf("%s failed with %q", r.ID, r.Failure)
		}
	}
	if fmt.Sprint(open) != "[L2 L3]" {
		t.Errorf("open are %v", open)
	}
}
