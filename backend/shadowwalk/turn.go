package shadowwalk

import (
	"context"
	"errors"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	proto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"

	"kuang/backend/browser"
	"kuang/backend/cdp"
)

// disableTimeout bounds the release of the domains; a page that does not answer has nothing to release.
const disableTimeout = 5 * time.Second

// page is what a read needs of a tab; *browser.Tab is one.
type page interface {
	ID() string
	Session() *cdp.Session
	LoaderID() proto.LoaderID
	Closed() <-chan struct{}
	Frames(ctx context.Context) ([]browser.Frame, error)
	Viewport(ctx context.Context) (browser.Viewport, error)
	Evaluate(ctx context.Context, frame browser.Frame, main bool, expression string) (browser.Evaluation, error)
}

var _ page = (*browser.Tab)(nil)

// tabState is one tab that was read. It lives as long as the tab.
type tabState struct {
	// turn holds one token, which the read that runs now has taken, or the release.
	turn chan struct{}
	// domains are the protocol domains that are on, and major the browser's version, 0 until it was asked for. Only
	// the holder of the turn touches them.
	domains domains
	major   int

	// users counts the reads of the tab, running or waiting, and release is the countdown after the last one, nil
	// before. Walker.mu guards both.
	users   int
	release *time.Timer
}

// enter waits for the tab's turn. leave gives it back and starts the countdown to the release of the domains.
func (w *Walker) enter(ctx context.Context, p page) (st *tabState, leave func(), err error) {
	st = w.join(p)
	w.activity.begin()
	select {
	case st.turn <- struct{}{}:
	case <-ctx.Done():
		w.part(p, st)
		return nil, nil, ctx.Err()
	case <-p.Closed():
		w.part(p, st)
		return nil, nil, cdp.ErrClosed
	}
	return st, func() {
		<-st.turn
		w.part(p, st)
	}, nil
}

// join makes or finds the tab's state and stops a countdown that runs.
func (w *Walker) join(p page) *tabState {
	w.mu.Lock()
	defer w.mu.Unlock()
	st, ok := w.tabs[p]
	if !ok {
		st = &tabState{turn: make(chan struct{}, 1)}
		w.tabs[p] = st
		go func() {
			<-p.Closed()
			w.forget(p)
		}()
	}
	st.users++
	if st.release != nil {
		st.release.Stop()
	}
	return st
}

// part ends a use; the last one starts the countdown.
func (w *Walker) part(p page, st *tabState) {
	w.activity.end()
	w.mu.Lock()
	defer w.mu.Unlock()
	st.users--
	if st.users == 0 && w.tabs[p] == st {
		st.release = time.AfterFunc(releaseAfter, func() { w.free(p, st) })
	}
}

// free turns the domains off, unless a read has come meanwhile.
func (w *Walker) free(p page, st *tabState) {
	w.mu.Lock()
	if st.users > 0 {
		w.mu.Unlock()
		return
	}
	select {
	case st.turn <- struct{}{}: // A read that comes from now on waits, and enables again.
		w.mu.Unlock()
	default: // An earlier release is still waiting for the page.
		w.mu.Unlock()
		return
	}
	defer func() { <-st.turn }()
	ctx, cancel := context.WithTimeout(context.Background(), disableTimeout)
	defer cancel()
	if err := st.domains.disable(ctx, p.Session()); err != nil {
		w.log.Debug("releasing the domains of a sealed read", "tab", p.ID(), "error", err)
	}
}

// forget drops a closed tab.
func (w *Walker) forget(p page) {
	w.mu.Lock()
	if st := w.tabs[p]; st.release != nil {
		st.release.Stop()
	}
	delete(w.tabs, p)
	w.mu.Unlock()
	w.activity.forget(p.ID())
}

// domains are the two that a sealed read needs. Kuang is the only client of its sessions and nothing else in it enables
// them, so what is on here was turned on by a read and may be turned off by the release.
type domains struct{ dom, accessibility bool }

func (d *domains) enableDOM(ctx context.Context, s *cdp.Session) error {
	if d.dom {
		return nil
	}
	d.dom = true // Also when the call fails: its answer may be what was lost.
	_, err := cdp.Call(ctx, s, dom.Enable, dom.EnableParams{})
	return err
}

// enableAccessibility makes Chromium keep the accessibility tree between calls. Without it every node read would build
// and drop a tree.
func (d *domains) enableAccessibility(ctx context.Context, s *cdp.Session) error {
	if d.accessibility {
		return nil
	}
	d.accessibility = true
	_, err := cdp.Call(ctx, s, accessibility.Enable, proto.Empty{})
	return err
}

func (d *domains) disable(ctx context.Context, s *cdp.Session) error {
	var failed []error
	if d.accessibility {
		_, err := cdp.Call(ctx, s, accessibility.Disable, proto.Empty{})
		failed = append(failed, err)
	}
	if d.dom {
		_, err := cdp.Call(ctx, s, dom.Disable, proto.Empty{})
		failed = append(failed, err)
	}
	*d = domains{}
	return errors.Join(failed...)
}
