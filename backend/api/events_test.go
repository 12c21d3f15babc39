package api

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"kuang/backend/browser"
	"kuang/backend/verb"
)

// listen opens an event stream and returns its lines.
func (b *bench) listen(t *testing.T) *bufio.Scanner {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.server.URL()+"/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+b.token.Value())
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("answered %d %v", res.StatusCode, res.Header)
	}
	return bufio.NewScanner(res.Body)
}

// next reads one event; its name is empty when the stream has ended.
func next(t *testing.T, lines *bufio.Scanner) (name string, data map[string]any) {
	t.Helper()
	for lines.Scan() {
		line := lines.Text()
		if rest, ok := strings.CutPrefix(line, "event: "); ok {
			name = rest
		}
		if rest, ok := strings.CutPrefix(line, "data: "); ok {
			if err := json.Unmarshal([]byte(rest), &data); err != nil {
				t.Fatal(err)
			}
		}
		if line == "" && name != "" {
			return name, data
		}
	}
	return "", nil
}

func TestEventsTellWhatHappens(t *testing.T) {
	b := newBench(t, nil)
	lines := b.listen(t)
	if name, data := next(t, lines); name != "status" || data["state"] != "down" {
		t.Errorf("the first event is %s %v", name, data)
	}
	b.do(t, http.MethodPost, "/v1/type_in", `{"text":"hello"}`, nil)
	if name, data := next(t, lines); name != "run" || data["entry"].(map[string]any)["verb"] != "type_in" || data["run"].(map[string]any)["id"] != "run1" {
		t.Errorf("got %s %v", name, data)
	} else if entry := data["entry"].(map[string]any); entry["input"] != nil || entry["output"] != nil {
		t.Errorf("an event carries the whole call: %v", entry)
	}
	if name, data := next(t, lines); name != "ledger" || data["sentence"] != "Typed “hello”" {
		t.Errorf("got %s %v", name, data)
	}
	b.Emit(browser.Event{Kind: "tab_opened", TabID: "t1"})
	if name, data := next(t, lines); name != "tab" || data["kind"] != "tab_opened" || data["tab_id"] != "t1" {
		t.Errorf("got %s %v", name, data)
	}
	b.Emit(browser.Event{Kind: "status"})
	if name, _ := next(t, lines); name != "status" {
		t.Errorf("got %s", name)
	}
}

func TestEventsEndWithTheServer(t *testing.T) {
	b := newBench(t, nil)
	lines := b.listen(t)
	next(t, lines)
	if err := b.server.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if name, _ := next(t, lines); name != "" || lines.Err() != nil {
		t.Errorf("after the end came %q, %v", name, lines.Err())
	}
	if strings.Contains(b.Logged.String(), "ending calls") {
		t.Error("the stream held the server up")
	}
	if b.server.URL() != "" {
		t.Error("a closed server has an address")
	}
	if err := b.server.Start(t.Context(), 0); err == nil {
		t.Error("a closed server starts again")
	}
}

func TestStreamsEndWithTheirToken(t *testing.T) {
	b := newBench(t, nil)
	lines := b.listen(t)
	next(t, lines)
	if err := b.token.Rotate(); err != nil {
		t.Fatal(err)
	}
	if name, _ := next(t, lines); name != "" || lines.Err() != nil {
		t.Errorf("the stream goes on with %q, %v", name, lines.Err())
	}
}

// A client that does not read must not slow anything down, and is told what it missed.
func TestSlowListenersLoseEventsAndAreTold(t *testing.T) {
	h := newHub()
	q := h.open()
	for range backlog + 7 {
		h.publish(event{"tab", nil})
	}
	if len(q.events) != backlog || h.missed(q) != 7 || h.missed(q) != 0 {
		t.Errorf("%d queued", len(q.events))
	}
	for len(h.streams) < maxStreams {
		h.open()
	}
	if h.open() != nil {
		t.Error("there is no end to streams")
	}
	h.drop(q)
	if h.open() == nil {
		t.Error("a stream that left still counts")
	}
	h.close()
	if h.open() != nil {
		t.Error("a stream opens after the end")
	}
}

func TestDroppedEventsAreSaidInTheStream(t *testing.T) {
	b := newBench(t, nil)
	lines := b.listen(t)
	next(t, lines)
	// The stream's writer waits inside the first event's data, so that what follows overflows.
	entered, leave := make(chan bool), make(chan bool)
	b.server.hub.publish(event{"tab", func() any { close(entered); <-leave; return map[string]int{"n": 0} }})
	<-entered
	for range backlog + 3 {
		b.server.hub.publish(event{"tab", func() any { return map[string]int{"n": 1} }})
	}
	close(leave)
	next(t, lines)
	if name, data := next(t, lines); name != "dropped" || data["dropped"] != float64(3) {
		t.Errorf("got %s %v", name, data)
	}
	if name, _ := next(t, lines); name != "tab" {
		t.Errorf("then came %s", name)
	}
}

func TestQuietStreamsBeat(t *testing.T) {
	b := newBench(t, func(s *Server) { s.limits.beat = time.Millisecond })
	lines := b.listen(t)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), ":") {
			return
		}
	}
	t.Errorf("the stream ended: %v", lines.Err())
}

func TestListeningMCPClientsDoNotHoldTheServerUp(t *testing.T) {
	entered := make(chan bool)
	b := newBench(t, func(s *Server) {
		s.cfg.MCP = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			close(entered)
			<-r.Context().Done()
		})
		s.echo = s.routes()
	})
	c, _ := b.dial(t)
	if _, err := c.Write([]byte("GET /mcp HTTP/1.1\r\nHost: " + b.address() + "\r\nAuthorization: Bearer " + b.token.Value() + "\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	<-entered
	if err := b.server.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if strings.Contains(b.Logged.String(), "ending calls") {
		t.Error("the stream held the server up")
	}
}

func TestCloseWaitsForCallsWithinItsGrace(t *testing.T) {
	for _, patient := range []bool{true, false} {
		entered, leave := make(chan bool), make(chan bool)
		hang := verb.Define(verb.Definition{
			Name: "hang", Title: "Hang", Summary: "Hangs.", Description: "Hangs.", Effect: verb.Read, Target: verb.NoTab,
		}, func(ctx context.Context, _ *verb.Call, _ struct{}) (struct{}, error) {
			close(entered)
			select {
			case <-leave:
				return struct{}{}, nil
			case <-ctx.Done():
				return struct{}{}, ctx.Err()
			}
		})
		b := newBench(t, func(s *Server) {
			if !patient {
				s.limits.grace = time.Millisecond
			}
		}, hang)
		status := make(chan int, 1)
		go func() {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.server.URL()+"/v1/hang", nil)
			if err != nil {
				status <- -1
				return
			}
			req.Header.Set("Authorization", "Bearer "+b.token.Value())
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				status <- 0
				return
			}
			res.Body.Close()
			status <- res.StatusCode
		}()
		<-entered
		closed := make(chan error, 1)
		go func() { closed <- b.server.Close(context.Background()) }()
		if patient {
			close(leave)
		}
		if err := <-closed; err != nil {
			t.Errorf("patient %v: closing: %v", patient, err)
		}
		if got := <-status; (got == 200) != patient {
			t.Errorf("patient %v: the call ended with %d", patient, got)
		}
	}
}
