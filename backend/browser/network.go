package browser

import (
	"math"
	"sync"
	"time"

	proto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"

	"kuang/backend/cdp"
)

const (
	// maxRequests is how many requests a tab remembers; the oldest leave first.
	maxRequests = 2000
	// longLived is how long an unfinished request counts as work of the page. What is open for longer streams or
	// polls, and would keep a page from ever being idle.
	longLived = 10 * time.Second
)

// Request is one entry of a network log. A redirect is an entry of its own.
type Request struct {
	ID       string    `json:"id"`
	URL      string    `json:"url"`
	Method   string    `json:"method"`
	Type     string    `json:"type"` // Chromium's resource type, such as Document or Fetch
	Status   int       `json:"status,omitempty"`
	MIME     string    `json:"mime,omitempty"`
	At       time.Time `json:"at"`
	EndedAt  time.Time `json:"ended_at,omitzero"` // zero while it is open
	Bytes    int64     `json:"bytes,omitempty"`   // over the wire
	Cached   bool      `json:"cached,omitempty"`
	Failure  string    `json:"failure,omitempty"` // Chromium's error text
	FrameID  string    `json:"frame_id,omitempty"`
	LoaderID string    `json:"loader_id,omitempty"`
}

// NetworkLog is what a tab asked the network for, its out-of-process frames included.
type NetworkLog struct {
	top     *cdp.Session
	now     func() time.Time
	changed *signal

	// mu guards what follows; the reader takes it for each event.
	mu      sync.Mutex
	ring    []*Request
	start   int // the oldest of a full ring
	open    map[openKey]*Request
	restful time.Time // when the last request that counts ended
}

// openKey names a request: each session numbers its own.
type openKey struct {
	session *cdp.Session
	id      network.RequestID
}

func newNetworkLog(top *cdp.Session, now func() time.Time, changed *signal) *NetworkLog {
	return &NetworkLog{top: top, now: now, changed: changed, open: map[openKey]*Request{}, restful: now()}
}

// event takes an event of a session; it runs on the reader.
func (n *NetworkLog) event(s *cdp.Session, method string, params jsonv2.Value) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch method {
	case network.RequestWillBeSent.Method:
		if e, err := cdp.Decode[network.EventRequestWillBeSent](params); err == nil {
			n.sent(s, e)
		}
	case network.ResponseReceived.Method:
		if e, err := cdp.Decode[network.EventResponseReceived](params); err == nil {
			if r, ok := n.open[openKey{s, e.RequestID}]; ok {
				r.Type = string(e.Type)
				r.answer(e.Response)
			}
		}
	case network.RequestServedFromCache.Method:
		if e, err := cdp.Decode[network.EventRequestServedFromCache](params); err == nil {
			if r, ok := n.open[openKey{s, e.RequestID}]; ok {
				r.Cached = true
			}
		}
	case network.LoadingFinished.Method:
		if e, err := cdp.Decode[network.EventLoadingFinished](params); err == nil {
			n.end(openKey{s, e.RequestID}, func(r *Request) { r.Bytes = int64(e.EncodedDataLength) })
		}
	case network.LoadingFailed.Method:
		if e, err := cdp.Decode[network.EventLoadingFailed](params); err == nil {
			n.end(openKey{s, e.RequestID}, func(r *Request) { r.Failure = e.ErrorText })
		}
	case page.FrameNavigated.Method:
		if e, err := cdp.Decode[page.EventFrameNavigated](params); err == nil {
			n.replaced(s, e.Frame)
		}
	case page.FrameDetached.Method:
		if e, err := cdp.Decode[page.EventFrameDetached](params); err == nil && e.Reason == page.FrameDetachedReasonRemove {
			n.abandon(func(_ openKey, r *Request) bool { return r.FrameID == string(e.FrameID) })
		}
	case network.WebSocketCreated.Method:
		if e, err := cdp.Decode[network.EventWebSocketCreated](params); err == nil {
			r := &Request{ID: string(e.RequestID), URL: e.URL, Method: "GET", Type: string(network.ResourceTypeWebSocket), At: n.now()}
			n.add(openKey{s, e.RequestID}, r)
		}
	case network.WebSocketClosed.Method:
		if e, err := cdp.Decode[network.EventWebSocketClosed](params); err == nil {
			n.end(openKey{s, e.RequestID}, func(*Request) {})
		}
	}
}

func (n *NetworkLog) sent(s *cdp.Session, e network.EventRequestWillBeSent) {
	key := openKey{s, e.RequestID}
	if e.RedirectResponse != nil {
		n.end(key, func(r *Request) { r.answer(e.RedirectResponse) })
	}
	at := n.now()
	if wall := e.WallTime.Float64(); wall > 0 {
		sec, frac := math.Modf(wall)
		at = time.Unix(int64(sec), int64(frac*float64(time.Second)))
	}
	n.add(key, &Request{
		ID: string(e.RequestID), URL: public(e.Request.URL + e.Request.URLFragment), Method: e.Request.Method,
		Type: string(e.Type), At: at, FrameID: string(e.FrameID), LoaderID: string(e.LoaderID),
	})
}

func (n *NetworkLog) add(key openKey, r *Request) {
	n.open[key] = r
	if len(n.ring) < maxRequests {
		n.ring = append(n.ring, r)
		return
	}
	n.ring[n.start] = r
	n.start = (n.start + 1) % maxRequests
}

// end closes a request; an unknown one belongs to the time before the tab was attached.
func (n *NetworkLog) end(key openKey, how func(*Request)) {
	r, ok := n.open[key]
	if !ok {
		return
	}
	delete(n.open, key)
	how(r)
	r.EndedAt = n.now()
	if r.counts(r.EndedAt) {
		n.restful = r.EndedAt
	}
	n.changed.fire()
}

// replaced closes what the document before had open. Chromium does not always tell the end of those, because the
// process that asked is gone. A main document also takes the documents of all frames with it.
func (n *NetworkLog) replaced(s *cdp.Session, f *proto.Frame) {
	began := n.now()
	if r, ok := n.open[openKey{s, network.RequestID(f.LoaderID)}]; ok {
		began = r.At // What is younger belongs to this document, or to one that will replace it.
	}
	isMain := s == n.top && f.ParentID == ""
	n.abandon(func(_ openKey, r *Request) bool {
		return r.LoaderID != string(f.LoaderID) && r.At.Before(began) && (isMain || r.FrameID == string(f.ID))
	})
}

// left closes what a session that ended had open.
func (n *NetworkLog) left(s *cdp.Session) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.abandon(func(key openKey, _ *Request) bool { return key.session == s })
}

func (n *NetworkLog) abandon(which func(openKey, *Request) bool) {
	for key, r := range n.open {
		if which(key, r) {
			n.end(key, func(r *Request) { r.Failure = errAborted })
		}
	}
}

func (r *Request) answer(a *network.Response) {
	r.Status, r.MIME = int(a.Status), a.MimeType
	r.Cached = r.Cached || a.FromDiskCache || a.FromPrefetchCache
}

// counts tells a request that keeps a page busy from one that is there to stay, or that nobody waits for.
func (r *Request) counts(now time.Time) bool {
	switch network.ResourceType(r.Type) {
	case network.ResourceTypeEventSource, network.ResourceTypeWebSocket, network.ResourceTypePing,
		network.ResourceTypeMedia, network.ResourceTypePrefetch:
		return false
	}
	return now.Sub(r.At) < longLived
}

// Requests are those sent at or after since, oldest first; the zero time means all that are remembered.
func (n *NetworkLog) Requests(since time.Time) []Request {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := make([]Request, 0, len(n.ring))
	for i := range n.ring {
		if r := n.ring[(n.start+i)%len(n.ring)]; !r.At.Before(since) {
			list = append(list, *r)
		}
	}
	return list
}

// InFlight is how many requests keep the page busy. Streams, sockets and what has been open for over 10 s do not count.
func (n *NetworkLog) InFlight() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	busy, _ := n.busy()
	return busy
}

// busy counts the requests in flight and says when the first of them stops to count by its age.
func (n *NetworkLog) busy() (count int, relief time.Duration) {
	now := n.now()
	for _, r := range n.open {
		if r.counts(now) {
			count++
			if left := longLived - now.Sub(r.At); relief == 0 || left < relief {
				relief = left
			}
		}
	}
	return count, relief
}

// IdleFor is how long nothing has kept the page busy; 0 while something does.
func (n *NetworkLog) IdleFor() time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	if busy, _ := n.busy(); busy > 0 {
		return 0
	}
	return max(n.now().Sub(n.restful), 1)
}

// idleIn says in how long to look again whether the network has been idle for the window; 0 when it has been.
func (n *NetworkLog) idleIn(window time.Duration) time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	if busy, relief := n.busy(); busy > 0 {
		return relief
	}
	return max(window-n.now().Sub(n.restful), 0)
}
