package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"kuang/backend/browser"
	"kuang/backend/ledger"
	"kuang/backend/runs"
	"kuang/backend/verb"
)

// backlog is how many events wait for one slow client before further ones are dropped. A busy agent causes some ten a
// second, so this is most of a minute.
const backlog = 256

// maxStreams bounds the event streams that are open at once.
const maxStreams = 64

// event is one server-sent event. Its data is asked for when it is written, off the goroutine that reported it.
type event struct {
	name string
	data func() any
}

// stream is one client's queue. Delivery is lossy: a client that reads too slowly misses events and is told how many.
type stream struct {
	events  chan event
	dropped int // since the last event was queued; guarded by the hub's mutex
}

// hub hands every event to every stream and never waits for one.
type hub struct {
	mu      sync.Mutex // guards streams, their dropped counts and cancel; publishers and streams take it
	streams map[*stream]bool
	cancel  []func()
	ended   chan struct{}
}

func newHub() *hub { return &hub{streams: map[*stream]bool{}, ended: make(chan struct{})} }

// briefEntry is a run's entry without its input and output, which GET /v1/runs/{id} has.
type briefEntry struct {
	ID         string    `json:"id"`
	At         time.Time `json:"at"`
	Verb       string    `json:"verb"`
	Tab        string    `json:"tab"`
	Site       string    `json:"site"`
	Outcome    string    `json:"outcome"`
	Code       string    `json:"code"`
	DurationMS int64     `json:"duration_ms"`
}

type runEvent struct {
	Run   runs.Run   `json:"run"`
	Entry briefEntry `json:"entry"`
}

// start subscribes to everything that clients are told of.
func (h *hub) start(c Config) {
	cancel := []func(){
		c.Runs.Subscribe(func(r runs.Run, e runs.Entry) {
			brief := briefEntry{e.ID, e.At, e.Verb, e.Tab, e.Site, e.Outcome, e.Code, e.DurationMS}
			h.publish(event{"run", func() any { return runEvent{r, brief} }})
		}),
		c.Ledger.Subscribe(func(a ledger.Action) { h.publish(event{"ledger", func() any { return a }}) }),
		c.Browser.Subscribe(func(e browser.Event) {
			if e.Kind == "status" {
				h.publish(event{"status", func() any { return c.Browser.Status() }})
				return
			}
			h.publish(event{"tab", func() any { return e }})
		}),
	}
	h.mu.Lock()
	h.cancel = cancel
	h.mu.Unlock()
}

func (h *hub) publish(e event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.streams {
		select {
		case s.events <- e:
		default:
			s.dropped++
		}
	}
}

// open adds a stream; nil when there are too many, or the server ends.
func (h *hub) open() *stream {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.ended:
		return nil
	default:
	}
	if len(h.streams) >= maxStreams {
		return nil
	}
	s := &stream{events: make(chan event, backlog)}
	h.streams[s] = true
	return s
}

func (h *hub) drop(s *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.streams, s)
}

// missed returns how many events the stream lost since the last time it was asked.
func (h *hub) missed(s *stream) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := s.dropped
	s.dropped = 0
	return n
}

func (h *hub) close() {
	h.mu.Lock()
	cancel := h.cancel
	h.cancel = nil
	select {
	case <-h.ended:
	default:
		close(h.ended)
	}
	h.mu.Unlock()
	for _, c := range cancel {
		c()
	}
}

// events streams what happens until the client leaves, the server ends or the token is replaced. The first event is the browser's status.
func (s *Server) events(c echo.Context) error {
	if _, err := query(c); err != nil {
		return err
	}
	replaced := s.cfg.Token.replaced()
	q := s.hub.open()
	if q == nil {
		return &verb.Error{
			Code: verb.RateLimited, Message: "Too many event streams are open.", Hint: "Close one, then try again.",
			Evidence: map[string]any{"retry_after": 5},
		}
	}
	defer s.hub.drop(q)
	c.Response().Header().Set(echo.HeaderContentType, "text/event-stream")
	c.Response().WriteHeader(http.StatusOK)
	if err := s.send(c, event{"status", func() any { return s.cfg.Browser.Status() }}); err != nil {
		return nil // The client has gone.
	}
	return s.pump(c, q, replaced)
}

// pump writes events until the client has gone, which is no failure of ours.
func (s *Server) pump(c echo.Context, q *stream, replaced <-chan struct{}) error {
	beat := time.NewTicker(s.limits.beat)
	defer beat.Stop()
	for {
		var err error
		select {
		case e := <-q.events:
			if n := s.hub.missed(q); n > 0 {
				err = s.send(c, event{"dropped", func() any { return map[string]int{"dropped": n} }})
			}
			if err == nil {
				err = s.send(c, e)
			}
		case <-beat.C:
			err = s.flush(c, ": still here\n\n")
		case <-c.Request().Context().Done():
			return nil
		case <-s.hub.ended:
			return nil
		case <-replaced:
			return nil
		}
		if err != nil {
			return nil
		}
	}
}

func (s *Server) send(c echo.Context, e event) error {
	data, err := json.Marshal(e.data())
	if err != nil {
		s.cfg.Log.Error("encoding an event", "event", e.name, "error", err)
		return nil
	}
	return s.flush(c, fmt.Sprintf("event: %s\ndata: %s\n\n", e.name, data))
}

func (s *Server) flush(c echo.Context, text string) error {
	s.bound(c)
	if _, err := c.Response().Write([]byte(text)); err != nil {
		return err
	}
	return http.NewResponseController(c.Response()).Flush()
}
