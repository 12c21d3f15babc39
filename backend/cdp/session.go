package cdp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
)

// callTimeout bounds a call whose context has no deadline. A healthy browser answers in milliseconds; the slowest
// single answer measured, a full accessibility tree of 45,000 elements, takes 15 s.
const callTimeout = 30 * time.Second

// decoding accepts the invalid UTF-8 that a page may put into any string; one bad byte must not fail a whole answer.
var decoding = jsonv2.JoinOptions(jsonv2.DefaultOptionsV2(), jsonv2.AllowInvalidUTF8(true))

// Error is a command that the browser refused.
type Error struct {
	Method  string
	Code    int64
	Message string
}

// Error satisfies the error interface.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s (%d)", e.Method, e.Message, e.Code) }

// Session is one target's line on the connection. It implements the Session interface of cdproto, so that typed
// commands and events work on it.
type Session struct {
	id     target.SessionID
	conn   *Conn
	events *events
	counts map[string]int64 // guarded by conn.mu
}

func newSession(c *Conn, id target.SessionID) *Session {
	return &Session{id: id, conn: c, events: newEvents(), counts: map[string]int64{}}
}

// ID is the id that the browser gave the session; empty for the root session.
func (s *Session) ID() target.SessionID { return s.id }

// Call sends the command, waits for its answer and decodes it into result. It fails with an *Error when the browser
// refuses, with ErrClosed when the connection or the session ends first, and with the context's error when ctx ends or,
// if ctx has no deadline, 30 s have passed.
func (s *Session) Call(ctx context.Context, method string, params, result any) error {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, callTimeout)
		defer cancel()
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	raw, err := jsonv2.Marshal(params, decoding)
	if err != nil {
		return fmt.Errorf("%s: encoding the parameters: %w", method, err)
	}
	meterFrom(ctx).add(method)
	id, p, err := s.conn.send(ctx, s, method, raw)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case msg, ok := <-p.answer:
		switch {
		case !ok:
			return fmt.Errorf("%s: %w", method, s.closed())
		case msg.Error != nil:
			return &Error{Method: method, Code: msg.Error.Code, Message: msg.Error.Message}
		case result == nil || len(msg.Result) == 0:
			return nil
		}
		if err := jsonv2.Unmarshal(msg.Result, result, decoding); err != nil {
			return fmt.Errorf("%s: decoding the answer: %w", method, err)
		}
		return nil
	case <-ctx.Done():
		s.conn.drop(id)
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}

func (s *Session) closed() error {
	if err := s.conn.Err(); err != nil {
		return err
	}
	return ErrDetached
}

// Subscribe buffers the events of the method, without bound and in order, until cancel. The channel closes when the
// session ends.
func (s *Session) Subscribe(method string) (<-chan jsonv2.Value, func()) {
	return s.events.subscribe(method)
}

// Listen calls fn for every event of the session, on the reader, before any answer that arrived later is delivered:
// when a Call returns, fn has seen every event that preceded the answer. fn must not block and must not Call.
func (s *Session) Listen(fn func(method string, params jsonv2.Value)) (cancel func()) {
	return s.events.listen(fn)
}

// Counts returns how many calls the session sent since Reset, by protocol method.
func (s *Session) Counts() map[string]int64 {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return maps.Clone(s.counts)
}

// Reset sets the session's counters to zero.
func (s *Session) Reset() {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	clear(s.counts)
}

// IsClosed reports whether err means that the browser or the session went away.
func IsClosed(err error) bool { return errors.Is(err, ErrClosed) }
