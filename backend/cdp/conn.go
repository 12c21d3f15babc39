// Package cdp speaks the Chrome DevTools Protocol over a transport. It is the only place where a protocol message is
// sent or counted. It keeps no state of a page and enables nothing by itself.
package cdp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"

	"github.com/chromedp/cdproto"
	proto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// Transport carries whole protocol messages. The pipe and the websocket of chromedp implement it.
type Transport = chromedp.Transport

// ErrClosed is the reason of every call that a dropped connection, or the end of its session, left unanswered.
var ErrClosed = errors.New("the connection to the browser is closed")

// serverError is the code that the browser gives its own failures.
const serverError = -32000

// ErrDetached is ErrClosed for a session that ended, with its tab or frame, while the connection lives on.
var ErrDetached = fmt.Errorf("the session ended: %w", ErrClosed)

// Conn is one connection to a browser: one reader, many sessions.
type Conn struct {
	transport Transport
	log       *slog.Logger
	root      *Session
	done      chan struct{}

	// mu guards what follows. The reader and every caller take it, for map work only; nothing blocks under it.
	mu       sync.Mutex
	lastID   int64
	pending  map[int64]*pending
	sessions map[target.SessionID]*Session
	counts   map[string]int64
	err      error // why the connection ended; valid once done is closed
}

// pending is a call that waits for its answer.
type pending struct {
	session *Session
	answer  chan *cdproto.Message // one message, or closed when the session or the connection ended
}

// New starts to read from t and returns the connection. Close ends it, and so does an error of the transport.
func New(t Transport, log *slog.Logger) *Conn {
	c := &Conn{
		transport: t,
		log:       log,
		done:      make(chan struct{}),
		pending:   map[int64]*pending{},
		sessions:  map[target.SessionID]*Session{},
		counts:    map[string]int64{},
	}
	c.root = newSession(c, "")
	c.sessions[""] = c.root
	go c.read()
	return c
}

// Root is the session of the browser itself.
func (c *Conn) Root() *Session { return c.root }

// Session returns the session with the id that Target.attachToTarget gave. It is made at the first ask, so that events
// which arrive before the attach call's answer are not lost on a caller that listens to the root session first.
func (c *Conn) Session(id target.SessionID) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session(id)
}

func (c *Conn) session(id target.SessionID) *Session {
	s, ok := c.sessions[id]
	if !ok {
		s = newSession(c, id)
		if c.err != nil {
			s.events.close()
		}
		c.sessions[id] = s
	}
	return s
}

// Forget ends a session that was detached: its unanswered calls fail with ErrClosed and its subscriptions close. The
// connection does so by itself when the browser reports a detach.
func (c *Conn) Forget(id target.SessionID) {
	if id == "" {
		return // The root session lives as long as the connection.
	}
	c.mu.Lock()
	s, ok := c.sessions[id]
	delete(c.sessions, id)
	for call, p := range c.pending {
		if ok && p.session == s {
			delete(c.pending, call)
			close(p.answer)
		}
	}
	c.mu.Unlock()
	if ok {
		s.events.close()
	}
}

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err says why the connection ended; nil while it lives.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the connection and waits until every pending call has failed.
func (c *Conn) Close() error {
	err := c.transport.Close()
	<-c.done
	return err
}

// Counts returns how many calls were sent over the connection since Reset, by protocol method.
func (c *Conn) Counts() map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.counts)
}

// Reset sets the counters of the connection and of each session to zero.
func (c *Conn) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.counts)
	for _, s := range c.sessions {
		clear(s.counts)
	}
}

// send writes a call and returns where its answer will arrive.
func (c *Conn) send(ctx context.Context, s *Session, method string, params jsonv2.Value) (int64, *pending, error) {
	p := &pending{session: s, answer: make(chan *cdproto.Message, 1)}
	c.mu.Lock()
	if c.err != nil || c.sessions[s.id] != s {
		defer c.mu.Unlock()
		if c.err != nil {
			return 0, nil, c.err
		}
		return 0, nil, ErrDetached
	}
	c.lastID++
	id := c.lastID
	c.pending[id] = p
	c.counts[method]++
	s.counts[method]++
	c.mu.Unlock()

	msg := &cdproto.Message{ID: id, SessionID: s.id, Method: cdproto.MethodType(method), Params: params}
	if err := c.transport.Write(ctx, msg); err != nil {
		c.drop(id)
		return 0, nil, fmt.Errorf("%w: %w", ErrClosed, err)
	}
	return id, p, nil
}

// drop forgets a call that nobody waits for any more. A late answer is then ignored.
func (c *Conn) drop(id int64) {
	c.mu.Lock()
	delete(c.pending, id)
	c.mu.Unlock()
}

// read delivers answers and events in the order in which they arrive, until the transport ends.
func (c *Conn) read() {
	for {
		msg := new(cdproto.Message)
		if err := c.transport.Read(context.Background(), msg); err != nil {
			c.end(err)
			return
		}
		if msg.ID != 0 {
			c.answer(msg)
			continue
		}
		c.event(msg)
	}
}

func (c *Conn) answer(msg *cdproto.Message) {
	c.mu.Lock()
	p, ok := c.pending[msg.ID]
	delete(c.pending, msg.ID)
	c.mu.Unlock()
	if ok {
		p.answer <- msg // Has room for the one answer.
	}
}

func (c *Conn) event(msg *cdproto.Message) {
	// A session that nobody asked for is made here, so that its first events, which can overtake the answer of the
	// attach, reach whoever listens from a handler of the root session.
	s := c.Session(msg.SessionID)
	method := string(msg.Method)
	s.events.deliver(method, msg.Params)
	switch method {
	case target.DetachedFromTarget.Method:
		if e, err := Decode[target.EventDetachedFromTarget](msg.Params); err == nil {
			c.Forget(e.SessionID)
		}
	case inspector.TargetCrashed.Method:
		c.crash(s)
	}
}

// crash answers the calls that a page process took with it, which Chromium leaves unanswered. The session itself
// lives on: a navigation gives it a new process.
func (c *Conn) crash(s *Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, p := range c.pending {
		if p.session == s {
			delete(c.pending, id)
			p.answer <- &cdproto.Message{Error: &cdproto.Error{Code: serverError, Message: "Target crashed"}}
		}
	}
}

// end fails everything that waits, once.
func (c *Conn) end(err error) {
	c.mu.Lock()
	c.err = fmt.Errorf("%w: %w", ErrClosed, err)
	for id, p := range c.pending {
		delete(c.pending, id)
		close(p.answer)
	}
	sessions := maps.Clone(c.sessions)
	c.mu.Unlock()
	for _, s := range sessions {
		s.events.close()
	}
	if cerr := c.transport.Close(); cerr != nil {
		c.log.Debug("closing the browser transport", "error", cerr)
	}
	close(c.done)
}

// Call runs a typed command on a session and returns its result.
func Call[P, R any](ctx context.Context, s proto.Session, command proto.Command[P, R], params P) (R, error) {
	return proto.Call(ctx, s, command, params)
}

// Decode reads the payload of an event.
func Decode[E any](raw jsonv2.Value) (E, error) {
	var e E
	err := jsonv2.Unmarshal(raw, &e, decoding)
	return e, err
}
