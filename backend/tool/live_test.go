package tool_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"kuang/backend/browser"
	"kuang/backend/browser/browsertest"
	"kuang/backend/session"
	"kuang/backend/tool"
	"kuang/backend/tool/tooltest"
	"kuang/backend/verb"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Main(m)) }

// live is a pipeline over a real browser, with verbs that a test steps through.
type live struct {
	*tooltest.Bench
	pipeline *tool.Pipeline
	sessions *session.Sessions

	mu    sync.Mutex // guards order; verbs that run at once append to it
	order []string
}

type stepIn struct {
	Name string `json:"name,omitempty" jsonschema:"What the step is called."`
}

type stepOut struct {
	URL string `json:"url"`
}

// newLive builds the verbs open (OpenTab), look and act; each notes its start and end and runs step between.
func newLive(t *testing.T, step func(ctx context.Context, call *verb.Call, name string) error) *live {
	t.Helper()
	b := browsertest.Browser(t)
	l := &live{sessions: session.New(b)}
	note := func(s string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.order = append(l.order, s)
	}
	define := func(name string, effect verb.Effect, target verb.Target) verb.Definition {
		d := verb.Definition{Name: name, Title: name, Summary: "S.", Description: "D.", Effect: effect, Target: target}
		if effect == verb.Act {
			d.Sentence = func(in, _ any) string { return "Did " + in.(stepIn).Name }
		}
		return verb.Define(d, func(ctx context.Context, call *verb.Call, in stepIn) (stepOut, error) {
			note(in.Name + "(")
			defer note(in.Name + ")")
			if step == nil {
				return stepOut{call.Tab.URL()}, nil
			}
			return stepOut{call.Tab.URL()}, step(ctx, call, in.Name)
		})
	}
	l.Bench = tooltest.New(t, define("open", verb.Act, verb.OpenTab), define("look", verb.Read, verb.OwnTab), define("act", verb.Act, verb.OwnTab))
	l.pipeline = tool.NewPipeline(tool.Config{
		Registry: l.Registry, Sessions: l.sessions, Browser: b, Settings: l.Services, Runs: l.Services, Ledger: l.Ledger(), Log: l.Log,
	})
	t.Cleanup(func() {
		for _, x := range l.sessions.List() {
			for _, tab := range x.Owned() {
				if err := tab.Close(context.Background()); err != nil {
					t.Errorf("closing %s: %v", tab.ID(), err)
				}
			}
		}
	})
	return l
}

func (l *live) call(ctx context.Context, client, name, input string) tool.Reply {
	return l.pipeline.Call(ctx, verb.Caller{Client: client, Surface: "http"}, name, []byte(input))
}

// must calls a verb that has to succeed.
func (l *live) must(t *testing.T, client, name, input string) map[string]any {
	t.Helper()
	reply := l.call(t.Context(), client, name, input)
	if reply.Err != nil {
		t.Fatalf("%s answered %s", name, reply.Body)
	}
	return tooltest.Decode(t, reply.Body)
}

func TestTabsAreFoundAndGuarded(t *testing.T) {
	l := newLive(t, nil)
	if reply := l.call(t.Context(), "a", "look", `{}`); reply.Err == nil || reply.Err.Code != verb.UnknownTab || !strings.Contains(reply.Err.Hint, "Open one first") {
		t.Errorf("without a tab it answered %s", reply.Body)
	}
	first := l.must(t, "a", "open", `{}`)
	tab, _ := first["tab"].(string)
	if tab == "" || first["url"] != "about:blank" {
		t.Fatalf("open answered %v", first)
	}
	if again := l.must(t, "a", "open", `{}`); again["tab"] != tab || again["revision"].(float64) <= first["revision"].(float64) {
		t.Errorf("a second open answered %v after %v", again, first)
	}
	before := l.must(t, "a", "look", `{}`)
	if after := l.must(t, "a", "look", `{"tab":"`+tab+`"}`); after["revision"] != before["revision"] || after["tab"] != tab {
		t.Errorf("looking changed %v to %v", before, after)
	}
	if after := l.must(t, "a", "act", `{}`); after["revision"].(float64) <= before["revision"].(float64) {
		t.Errorf("acting kept the revision of %v: %v", before, after)
	}
	reply := l.call(t.Context(), "b", "look", `{"tab":"`+tab+`"}`)
	if reply.Err == nil || reply.Err.Code != verb.NotOwned || !strings.Contains(string(reply.Body), `"tabs":[]`) {
		t.Errorf("a foreign tab answered %s", reply.Body)
	}
	reply = l.call(t.Context(), "a", "look", `{"tab":"t999999"}`)
	if reply.Err == nil || reply.Err.Code != verb.UnknownTab || !strings.Contains(string(reply.Body), `"tabs":[{"tab":"`+tab+`","url":"about:blank"}]`) {
		t.Errorf("an unknown tab answered %s", reply.Body)
	}
	e := l.Entries()
	if last := e[len(e)-1]; last.Tab != "" || e[1].Tab != tab {
		t.Errorf("the log names the tabs %q and %q", last.Tab, e[1].Tab)
	}
}

// Actions on one tab take turns in the order in which they were asked for; reads do not wait for them.
func TestActionsTakeTurnsAndReadsOverlap(t *testing.T) {
	entered, leave := make(chan string), make(chan bool)
	l := newLive(t, func(ctx context.Context, _ *verb.Call, name string) error {
		if name == "setup" {
			return nil
		}
		entered <- name
		select {
		case <-leave:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	l.must(t, "a", "open", `{"name":"setup"}`)
	l.order = nil
	var all sync.WaitGroup
	start := func(name, input string) {
		all.Go(func() {
			if reply := l.call(t.Context(), "a", name, input); reply.Err != nil {
				t.Errorf("%s %s answered %s", name, input, reply.Body)
			}
		})
	}
	start("act", `{"name":"1"}`)
	if got := <-entered; got != "1" {
		t.Fatalf("%s began first", got)
	}
	start("act", `{"name":"2"}`)
	start("look", `{"name":"r"}`)
	if got := <-entered; got != "r" {
		t.Fatalf("%s began while the first action ran", got)
	}
	leave <- true
	leave <- true
	if got := <-entered; got != "2" {
		t.Fatalf("%s came next", got)
	}
	leave <- true
	all.Wait()
	i := func(s string) int { return slices.Index(l.order, s) }
	if i("2(") < i("1)") || i("r(") > i("1)") && i("r(") > i("2(") {
		t.Errorf("the order was %v", l.order)
	}
}

func TestACallThatGivesUpItsTurnLeavesTheQueue(t *testing.T) {
	entered, leave := make(chan bool), make(chan bool)
	l := newLive(t, func(_ context.Context, _ *verb.Call, name string) error {
		if name == "holder" {
			entered <- true
			<-leave
		}
		return nil
	})
	l.must(t, "a", "open", `{}`)
	done := make(chan tool.Reply)
	go func() { done <- l.call(context.Background(), "a", "act", `{"name":"holder"}`) }()
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if reply := l.call(ctx, "a", "act", `{"name":"impatient"}`); reply.Err == nil || reply.Err.Code != verb.Cancelled {
		t.Errorf("it answered %s", reply.Body)
	}
	leave <- true
	if reply := <-done; reply.Err != nil {
		t.Errorf("the holder answered %s", reply.Body)
	}
	l.must(t, "a", "act", `{"name":"next"}`)
	if slices.Contains(l.order, "impatient(") {
		t.Errorf("the call ran: %v", l.order)
	}
}

func TestTabThatClosesUnderACall(t *testing.T) {
	l := newLive(t, func(ctx context.Context, call *verb.Call, name string) error {
		if name != "closing" {
			return nil
		}
		if err := call.Tab.Close(ctx); err != nil {
			return fmt.Errorf("closing: %w", err)
		}
		_, err := call.Tab.Viewport(ctx)
		if err == nil {
			return errors.New("a closed tab has a viewport")
		}
		return err
	})
	l.must(t, "a", "open", `{}`)
	reply := l.call(t.Context(), "a", "act", `{"name":"closing"}`)
	if reply.Err == nil || reply.Err.Code != verb.UnknownTab || !strings.Contains(string(reply.Body), "was closed while") {
		t.Errorf("it answered %s", reply.Body)
	}
}

func TestPageThatLeavesUnderACallIsNoFaultOfOurs(t *testing.T) {
	l := newLive(t, func(_ context.Context, _ *verb.Call, name string) error {
		if name == "leaves" {
			return fmt.Errorf("calling it: %w", &browser.FrameGoneError{ID: "f"})
		}
		return nil
	})
	who := verb.Caller{Client: "a", Surface: "http"}
	if reply := l.pipeline.Call(t.Context(), who, "open", []byte(`{}`)); reply.Status != 200 {
		t.Fatalf("opening: %s", reply.Body)
	}
	if reply := l.pipeline.Call(t.Context(), who, "look", []byte(`{"name":"leaves"}`)); reply.Err.Code != verb.StaleRef {
		t.Errorf("got %s", reply.Body)
	}
}

func TestProtocolCallsAreCounted(t *testing.T) {
	l := newLive(t, func(ctx context.Context, call *verb.Call, _ string) error {
		_, err := call.Tab.Viewport(ctx)
		return err
	})
	l.must(t, "a", "open", `{}`)
	l.must(t, "a", "look", `{}`)
	e := l.Entries()
	counts := e[len(e)-1].Protocol
	total := int64(0)
	for _, n := range counts {
		total += n
	}
	if total == 0 || counts["Target.createTarget"] != 0 || e[0].Protocol["Target.createTarget"] != 1 {
		t.Errorf("counted %v, and %v for the opening", counts, e[0].Protocol)
	}
}

var _ tool.Browser = (*browser.Browser)(nil)
