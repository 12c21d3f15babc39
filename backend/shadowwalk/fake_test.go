package shadowwalk

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"

	"github.com/chromedp/cdproto"
	proto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"

	"kuang/backend/browser"
	"kuang/backend/cdp"
)

// fakePage is a page whose protocol a test plays.
type fakePage struct {
	conn   *cdp.Conn
	closed chan struct{}

	mu     sync.Mutex
	loader proto.LoaderID
	sent   []string
	// answers play the browser: by method, what to answer, and events to tell before. A method without one is answered
	// with an empty object.
	answers map[string]func(params jsonv2.Value) answer
}

type answer struct {
	result string
	err    string
	events []event
	// wait holds the answer back until it is closed.
	wait <-chan struct{}
}

type event struct{ method, params string }

// wire is the transport of a fakePage.
type wire struct {
	page *fakePage
	feed chan *cdproto.Message
	quit chan struct{}
	once sync.Once
}

func (w *wire) Read(_ context.Context, msg *cdproto.Message) error {
	select {
	case m := <-w.feed:
		*msg = *m
		return nil
	case <-w.quit:
		return io.EOF
	}
}

func (w *wire) Write(_ context.Context, msg *cdproto.Message) error {
	go w.play(msg)
	return nil
}

func (w *wire) play(msg *cdproto.Message) {
	p := w.page
	p.mu.Lock()
	p.sent = append(p.sent, string(msg.Method))
	fn := p.answers[string(msg.Method)]
	p.mu.Unlock()
	a := answer{}
	if fn != nil {
		a = fn(msg.Params)
	}
	if a.wait != nil {
		select {
		case <-a.wait:
		case <-w.quit:
			return
		}
	}
	for _, e := range a.events {
		w.say(&cdproto.Message{Method: cdproto.MethodType(e.method), Params: jsonv2.Value(e.params)})
	}
	reply := &cdproto.Message{ID: msg.ID, Result: jsonv2.Value("{}")}
	if a.result != "" {
		reply.Result = jsonv2.Value(a.result)
	}
	if a.err != "" {
		reply.Result, reply.Error = nil, &cdproto.Error{Code: -32000, Message: a.err}
	}
	w.say(reply)
}

func (w *wire) say(m *cdproto.Message) {
	select {
	case w.feed <- m:
	case <-w.quit:
	}
}

func (w *wire) Close() error {
	w.once.Do(func() { close(w.quit) })
	return nil
}

// newFakePage plays a page with one closed root that holds n buttons, named Button 1 to n.
func newFakePage(t *testing.T, n int) *fakePage {
	t.Helper()
	p := &fakePage{closed: make(chan struct{}), loader: "L1"}
	ids, children := "", ""
	for i := range n {
		if i > 0 {
			ids, children = ids+",", children+","
		}
		id := 100 + i
		ids += fmt.Sprint(id)
		children += fmt.Sprintf(`{"nodeId":%d,"backendNodeId":%d,"nodeType":1,"localName":"button","attributes":["value","secret"]}`, id, id+1000)
	}
	p.answers = map[string]func(jsonv2.Value) answer{
		"Browser.getVersion": says(`{"product":"Chrome/156.0.8078.114"}`),
		"DOM.getDocument":    says(`{"root":{"nodeId":1,"backendNodeId":11,"nodeType":9}}`),
		"DOM.performSearch":  says(fmt.Sprintf(`{"searchId":"s","resultCount":%d}`, n)),
		"DOM.getSearchResults": func(jsonv2.Value) answer {
			return answer{result: `{"nodeIds":[` + ids + `]}`, events: []event{
				{"DOM.setChildNodes", `{"parentId":1,"nodes":[{"nodeId":2,"backendNodeId":12,"nodeType":1,"localName":"div",` +
					`"shadowRoots":[{"nodeId":3,"backendNodeId":13,"nodeType":11,"shadowRootType":"closed"}]}]}`},
				{"DOM.setChildNodes", `{"parentId":3,"nodes":[` + children + `]}`},
			}}
		},
		"Accessibility.getPartialAXTree": func(params jsonv2.Value) answer {
			var in struct {
				Backend int `json:"backendNodeId"`
			}
			if err := jsonv2.Unmarshal(params, &in); err != nil {
				return answer{err: err.Error()}
			}
			return answer{result: fmt.Sprintf(`{"nodes":[{"backendDOMNodeId":%d,"ignored":false,"role":{"value":"button"},
				"name":{"value":"Button %d"},"value":{"value":"secret"}}]}`, in.Backend, in.Backend-1099)}
		},
		"DOM.getBoxModel": says(`{"model":{"content":[0,0,9,0,9,9,0,9],"border":[0,0,10,0,10,10,0,10]}}`),
	}
	w := &wire{page: p, feed: make(chan *cdproto.Message), quit: make(chan struct{})}
	p.conn = cdp.New(w, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { p.conn.Close() })
	return p
}

func says(result string) func(jsonv2.Value) answer {
	return func(jsonv2.Value) answer { return answer{result: result} }
}

// set changes what the page answers to a method.
func (p *fakePage) set(method string, fn func(jsonv2.Value) answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers[method] = fn
}

// count is how often a method was sent.
func (p *fakePage) count(method string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, m := range p.sent {
		if m == method {
			n++
		}
	}
	return n
}

func (p *fakePage) ID() string              { return "t1" }
func (p *fakePage) Session() *cdp.Session   { return p.conn.Root() }
func (p *fakePage) Closed() <-chan struct{} { return p.closed }

func (p *fakePage) LoaderID() proto.LoaderID {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.loader
}

func (p *fakePage) Frames(context.Context) ([]browser.Frame, error) {
	return []browser.Frame{{ID: "main", Session: p.conn.Root()}}, nil
}

func (p *fakePage) Viewport(context.Context) (browser.Viewport, error) {
	return browser.Viewport{Width: 800, Height: 600, DPR: 1}, nil
}

func (p *fakePage) Evaluate(context.Context, browser.Frame, bool, string) (browser.Evaluation, error) {
	return browser.Evaluation{Value: []byte("1")}, nil
}
