package cdp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
)

// script is a transport that a test plays the browser on.
type script struct {
	sent chan *cdproto.Message // what Kuang wrote
	feed chan *cdproto.Message // what the browser says
	once sync.Once
	quit chan struct{}
}

func newScript() *script {
	return &script{sent: make(chan *cdproto.Message, 1024), feed: make(chan *cdproto.Message, 1024), quit: make(chan struct{})}
}

func (s *script) Read(_ context.Context, msg *cdproto.Message) error {
	select {
	case m := <-s.feed:
		*msg = *m
		return nil
	case <-s.quit:
		return io.EOF
	}
}

func (s *script) Write(_ context.Context, msg *cdproto.Message) error {
	select {
	case <-s.quit:
		return io.ErrClosedPipe
	case s.sent <- msg:
		return nil
	}
}

func (s *script) Close() error {
	s.once.Do(func() { close(s.quit) })
	return nil
}

func start(t *testing.T) (*script, *Conn) {
	t.Helper()
	s := newScript()
	c := New(s, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { c.Close() })
	return s, c
}

func raw(format string, args ...any) jsonv2.Value { return jsonv2.Value(fmt.Sprintf(format, args...)) }

func TestCallReturnsItsOwnAnswer(t *testing.T) {
	s, c := start(t)
	const calls = 50
	results := make(chan error, calls)
	for i := range calls {
		go func() {
			var got struct {
				Echo string `json:"echo"`
			}
			err := c.Session("a").Call(t.Context(), "Test.echo", map[string]string{"echo": fmt.Sprint(i)}, &got)
			if err == nil && got.Echo != fmt.Sprint(i) {
				err = fmt.Errorf("call %d was answered %q", i, got.Echo)
			}
			results <- err
		}()
	}
	var waiting []*cdproto.Message
	for range calls {
		waiting = append(waiting, <-s.sent)
	}
	for i := len(waiting) - 1; i >= 0; i-- { // answered in the reverse order
		s.feed <- &cdproto.Message{ID: waiting[i].ID, SessionID: "a", Result: waiting[i].Params}
	}
	for range calls {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if got := c.Counts()["Test.echo"]; got != calls {
		t.Errorf("counted %d calls, want %d", got, calls)
	}
	c.Reset()
	if len(c.Counts()) != 0 || len(c.Session("a").Counts()) != 0 {
		t.Error("counters survive a reset")
	}
}

func TestCallFailures(t *testing.T) {
	cases := []struct {
		name   string
		answer func(s *script, c *Conn, m *cdproto.Message, cancel context.CancelFunc)
		check  func(error) bool
	}{
		{"the browser refuses", func(s *script, _ *Conn, m *cdproto.Message, _ context.CancelFunc) {
			s.feed <- &cdproto.Message{ID: m.ID, Error: &cdproto.Error{Code: -32000, Message: "no"}}
		}, func(err error) bool {
			var e *Error
			return errors.As(err, &e) && e.Method == "Test.call" && e.Code == -32000 && e.Message == "no"
		}},
		{"the connection drops", func(s *script, _ *Conn, _ *cdproto.Message, _ context.CancelFunc) { s.Close() },
			func(err error) bool { return IsClosed(err) && !errors.Is(err, ErrDetached) }},
		{"the session is detached", func(s *script, _ *Conn, _ *cdproto.Message, _ context.CancelFunc) {
			s.feed <- &cdproto.Message{Method: "Target.detachedFromTarget", Params: raw(`{"sessionId":"a"}`)}
		}, func(err error) bool { return IsClosed(err) && errors.Is(err, ErrDetached) }},
		{"the page crashes", func(s *script, _ *Conn, _ *cdproto.Message, _ context.CancelFunc) {
			s.feed <- &cdproto.Message{SessionID: "a", Method: "Inspector.targetCrashed", Params: raw(`{}`)}
		}, func(err error) bool { var e *Error; return errors.As(err, &e) && e.Message == "Target crashed" }},
		{"the caller gives up", func(_ *script, _ *Conn, _ *cdproto.Message, cancel context.CancelFunc) { cancel() },
			func(err error) bool { return errors.Is(err, context.Canceled) }},
		{"the answer is not what was asked for", func(s *script, _ *Conn, m *cdproto.Message, _ context.CancelFunc) {
			s.feed <- &cdproto.Message{ID: m.ID, Result: raw(`[1]`)}
		}, func(err error) bool { return strings.Contains(err.Error(), "decoding the answer") }},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			s, c := start(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			go func() {
				var out struct{}
				done <- c.Session("a").Call(ctx, "Test.call", nil, &out)
			}()
			tc.answer(s, c, <-s.sent, cancel)
			if err := <-done; err == nil || !tc.check(err) {
				t.Errorf("got %v", err)
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			if len(c.pending) != 0 {
				t.Errorf("%d calls still pending", len(c.pending))
			}
		})
	}
}

func TestDropFailsEveryPendingCallAndLaterOnes(t *testing.T) {
	s, c := start(t)
	const calls = 20
	failed := make(chan error, calls)
	for i := range calls {
		go func() {
			failed <- c.Session(target.SessionID(fmt.Sprint(i%3))).Call(t.Context(), "Test.hang", nil, nil)
		}()
	}
	for range calls {
		<-s.sent
	}
	s.Close()
	for range calls {
		if err := <-failed; !IsClosed(err) {
			t.Errorf("got %v", err)
		}
	}
	<-c.Done()
	if !IsClosed(c.Err()) || !errors.Is(c.Err(), io.EOF) {
		t.Errorf("the connection ended with %v", c.Err())
	}
	if err := c.Session("late").Call(t.Context(), "Test.late", nil, nil); !IsClosed(err) {
		t.Errorf("a call after the end: %v", err)
	}
	events, cancel := c.Session("late").Subscribe("Test.event")
	defer cancel()
	if _, open := <-events; open {
		t.Error("a subscription after the end stays open")
	}
}

func TestListenerSeesEventsBeforeTheAnswerThatFollowed(t *testing.T) {
	s, c := start(t)
	session := c.Session("a")
	var seen []string
	cancel := session.Listen(func(method string, _ jsonv2.Value) { seen = append(seen, method) })
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- session.Call(t.Context(), "Test.call", nil, nil) }()
	m := <-s.sent
	for i := range 100 {
		s.feed <- &cdproto.Message{SessionID: "a", Method: cdproto.MethodType(fmt.Sprintf("Test.%d", i))}
	}
	s.feed <- &cdproto.Message{ID: m.ID, SessionID: "a"}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if len(seen) != 100 || seen[0] != "Test.0" || seen[99] != "Test.99" {
		t.Errorf("saw %d events, %v", len(seen), seen)
	}
}

func TestSubscriptionKeepsOrderAndEndsWithTheSession(t *testing.T) {
	s, c := start(t)
	events, cancel := c.Session("a").Subscribe(page.LoadEventFired.Method)
	defer cancel()
	for i := range 500 {
		s.feed <- &cdproto.Message{SessionID: "a", Method: "Page.loadEventFired", Params: raw(`{"timestamp":%d}`, i)}
	}
	s.feed <- &cdproto.Message{Method: "Target.detachedFromTarget", Params: raw(`{"sessionId":"a"}`)}
	next := 0
	for v := range events {
		e, err := Decode[page.EventLoadEventFired](v)
		if err != nil || int(e.Timestamp) != next {
			t.Fatalf("event %d: %+v, %v", next, e, err)
		}
		next++
	}
	if next != 500 {
		t.Errorf("saw %d events, want 500", next)
	}
}

func TestMeterCountsOnlyItsOwnContext(t *testing.T) {
	s, c := start(t)
	go func() {
		for {
			select {
			case m := <-s.sent:
				s.feed <- &cdproto.Message{ID: m.ID}
			case <-s.quit:
				return
			}
		}
	}()
	ctx, meter := WithMeter(t.Context())
	for range 3 {
		if err := c.Root().Call(ctx, "Test.mine", nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Root().Call(t.Context(), "Test.other", nil, nil); err != nil {
		t.Fatal(err)
	}
	if got := meter.Counts(); len(got) != 1 || got["Test.mine"] != 3 {
		t.Errorf("metered %v", got)
	}
}
