package shadowwalk

import (
	"context"
	"errors"
	"fmt"
	"sync"

	proto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"

	"kuang/backend/browser"
	"kuang/backend/cdp"
)

// inFlight is how many requests of a read are on the wire at once. The page's thread answers them one by one; more
// would only queue, fewer would leave it idle between answers.
const inFlight = 16

// scan is one read of one page.
type scan struct {
	page    page
	session *cdp.Session
	state   *tabState
	domains *domains
	roles   roleBook
	main    browser.Frame
	view    *browser.Viewport // nil until it was asked for
	// unlisten ends the listening to the session's events.
	unlisten func()

	// mu guards the fields below, between the reader of the connection and the scan.
	mu      sync.Mutex
	pushed  []jsonv2.Value // DOM.setChildNodes, undecoded: the reader must not be held up
	updated bool           // DOM.documentUpdated was heard
}

// found is what an enumeration comes to: the sealed operable controls in document order.
type found struct {
	controls   []control
	candidates int
	capped     bool
}

// control is a sealed operable control before the query and the measuring.
type control struct {
	ax     axNode
	role   string
	frame  proto.FrameID
	owners []owner // the frame elements around it, innermost first
}

// owner is an element that holds a frame.
type owner struct {
	backend proto.BackendNodeID
	frame   proto.FrameID // of the document that the element is in
}

func newScan(p page, st *tabState) *scan {
	s := &scan{page: p, session: p.Session(), state: st, domains: &st.domains, roles: newRoleBook()}
	s.unlisten = s.session.Listen(s.event)
	return s
}

func (s *scan) close() { s.unlisten() }

// event runs on the reader.
func (s *scan) event(method string, params jsonv2.Value) {
	switch method {
	case dom.SetChildNodes.Method:
		s.mu.Lock()
		s.pushed = append(s.pushed, params)
		s.mu.Unlock()
	case dom.DocumentUpdated.Method:
		s.mu.Lock()
		s.updated = true
		s.mu.Unlock()
	}
}

// run enumerates, filters and measures.
func (s *scan) run(ctx context.Context, q Query, way method) (Result, error) {
	frames, err := s.page.Frames(ctx)
	if err != nil {
		return Result{}, err
	}
	s.main = frames[0]
	loader := s.page.LoaderID()
	f, err := way(ctx, s)
	var r Result
	if err == nil {
		r, err = s.answer(ctx, q, f)
	}
	// A refused request is no news when its document is gone.
	if s.navigated(loader) && (err == nil || errors.As(err, new(*cdp.Error))) {
		return Result{}, ErrNavigated
	}
	if err != nil {
		return Result{}, err
	}
	for _, f := range frames {
		if f.Session != s.session {
			r.UnreadFrames++
		}
	}
	return r, nil
}

func (s *scan) navigated(loader proto.LoaderID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.updated || s.page.LoaderID() != loader
}

// answer applies the query and measures what matched.
func (s *scan) answer(ctx context.Context, q Query, f found) (Result, error) {
	r := Result{Controls: []Control{}, Sealed: len(f.controls), Candidates: f.candidates, Capped: f.capped}
	match := newMatcher(q)
	var matched []control
	for _, c := range f.controls {
		if match.control(c) {
			matched = append(matched, c)
		}
	}
	limit := maxMeasured
	if q.Limit > 0 && q.Limit < limit {
		limit = q.Limit
	}
	if !match.byName() && len(matched) > limit {
		// Names decide nothing more, so those beyond the limit need no check.
		r.Unmeasured, matched = len(matched)-limit, matched[:limit]
	}
	var names []name
	var places []place
	check := func(ctx context.Context) (err error) {
		names, err = s.cleanNames(ctx, matched)
		return err
	}
	measure := func(ctx context.Context) (err error) {
		places, err = s.measure(ctx, matched)
		return err
	}
	if len(matched) > limit {
		// The names decide which of them are measured.
		if err := check(ctx); err != nil {
			return Result{}, err
		}
		matched, names = clean(match, matched, names)
		if len(matched) > limit {
			r.Unmeasured, matched = len(matched)-limit, matched[:limit]
		}
		check = func(context.Context) error { return nil }
	}
	if err := together(ctx, check, measure); err != nil {
		return Result{}, err
	}
	for i, c := range matched {
		// Without a box, or with one that has no area, there is nothing to see and nothing to press.
		if match.name(names[i].text) && !places[i].empty() {
			r.Controls = append(r.Controls, s.control(c, names[i], places[i]))
		}
	}
	return r, nil
}

// clean keeps the controls whose clean names match.
func clean(match matcher, controls []control, names []name) ([]control, []name) {
	kept, keptNames := controls[:0:0], names[:0:0]
	for i, c := range controls {
		if match.name(names[i].text) {
			kept, keptNames = append(kept, c), append(keptNames, names[i])
		}
	}
	return kept, keptNames
}

func (s *scan) control(c control, n name, p place) Control {
	return Control{
		Role: c.role, Name: n.text, NameWithheld: n.withheld,
		Disabled: c.ax.Disabled, Focused: c.ax.Focused, Focusable: c.ax.Focusable,
		ReadOnly: c.ax.ReadOnly, Required: c.ax.Required,
		Checked: c.ax.Checked, Pressed: c.ax.Pressed, Expanded: c.ax.Expanded, Selected: c.ax.Selected,
		Rect: p.rect, InViewport: p.inViewport, Actions: s.roles.actions(c.role, c.ax),
		Source: source, Sealed: true, FrameID: string(c.frame),
	}
}

// each runs fn for every index below n, some at a time, and returns the first failure. The others are told to stop.
func each(ctx context.Context, n int, fn func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(n, inFlight) {
		workers.Go(func() {
			for i := range next {
				if err := fn(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range n {
		select {
		case next <- i:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}

// together runs the functions at the same time and returns the first failure. The others are told to stop.
func together(ctx context.Context, fns ...func(ctx context.Context) error) error {
	return each(ctx, len(fns), func(ctx context.Context, i int) error { return fns[i](ctx) })
}

// refused reports whether the browser answered and said no, as it does about a node that is gone or has no box.
func refused(err error) bool { return errors.As(err, new(*cdp.Error)) }

// decodePushed decodes the children that were pushed since the last ask.
func (s *scan) decodePushed(t *tree) error {
	s.mu.Lock()
	pushed := s.pushed
	s.pushed = nil
	s.mu.Unlock()
	for _, raw := range pushed {
		var e wireChildren
		if err := jsonv2.Unmarshal(raw, &e, decoding); err != nil {
			return fmt.Errorf("decoding %s: %w", dom.SetChildNodes.Method, err)
		}
		t.children(e)
	}
	return nil
}
