package browser

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	proto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"kuang/backend/cdp"
)

// tabCloseTimeout is how long a page may take over its unload handlers before the close is given up.
const tabCloseTimeout = 5 * time.Second

// Tab is a page that Kuang is attached to. Its methods may be called from any goroutine; acting verbs take Lock first.
type Tab struct {
	browser  *Browser
	link     *link
	id       string
	target   target.ID
	opener   string
	session  *cdp.Session
	graph    *graph
	worlds   *worlds
	network  *NetworkLog
	dialogs  *dialogs
	mouse    *Mouse
	keyboard *Keyboard
	injected injected
	turn     turnstile
	pictures turnstile // each picture changes how the page is drawn for a moment
	revision atomic.Int64
	closed   chan struct{}
	once     sync.Once
}

// TabGoneError is a tab that was closed.
type TabGoneError struct{ ID string }

// Error satisfies the error interface.
func (e *TabGoneError) Error() string { return "the tab " + e.ID + " is closed" }

// CrashedError is a tab whose page process died. Navigating it again brings it back.
type CrashedError struct{ TabID string }

// Error satisfies the error interface.
func (e *CrashedError) Error() string {
	return "the page in tab " + e.TabID + " crashed; navigate or reload it"
}

// TimeoutError is a wait that ran out. It unwraps to context.DeadlineExceeded.
type TimeoutError struct {
	Waiting string        // what it waited for
	After   time.Duration // how long
}

// Error satisfies the error interface.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("waited %d ms for %s", e.After.Milliseconds(), e.Waiting)
}

// Unwrap returns context.DeadlineExceeded.
func (e *TimeoutError) Unwrap() error { return context.DeadlineExceeded }

func newTab(b *Browser, l *link, id string, tid target.ID, opener string, s *cdp.Session) *Tab {
	t := &Tab{browser: b, link: l, id: id, target: tid, opener: opener, session: s, closed: make(chan struct{})}
	changed := newSignal()
	t.network = newNetworkLog(s, b.now, changed)
	t.graph = newGraph(s, changed, func() { t.revision.Add(1) })
	t.worlds = newWorlds(t)
	t.injected.applied = map[*cdp.Session]map[string]injection{}
	t.dialogs = newDialogs(b.now)
	t.keyboard = &Keyboard{tab: t}
	t.mouse = &Mouse{tab: t}
	return t
}

// setUp starts to listen and enables what a tab needs. Every domain is enabled after its listener is in place, and the
// frame tree is read after that, so that no event and no frame is missed.
func (t *Tab) setUp(ctx context.Context) error {
	t.session.Listen(func(method string, params jsonv2.Value) { t.event(t.session, method, params) })
	if err := t.enable(ctx, t.session); err != nil {
		return err
	}
	if _, err := cdp.Call(ctx, t.session, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		return fmt.Errorf("emulating focus: %w", err)
	}
	return nil
}

// enable is the part of the set-up that the page's session and those of its out-of-process frames share.
func (t *Tab) enable(ctx context.Context, s *cdp.Session) error {
	if _, err := cdp.Call(ctx, s, page.Enable, page.EnableParams{}); err != nil {
		return fmt.Errorf("enabling page events: %w", err)
	}
	if _, err := cdp.Call(ctx, s, network.Enable, network.EnableParams{}); err != nil {
		return fmt.Errorf("enabling network events: %w", err)
	}
	// Scripts at document start come before the frame tree, so that a document which the tree does not show yet
	// runs them. A frame that moves to a process of its own may begin its document before its session can be told:
	// making every such frame wait for us would slow down every page, so a first document there can be missed.
	if err := t.applyScripts(ctx, s); err != nil {
		return err
	}
	if _, err := cdp.Call(ctx, s, target.SetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, Flatten: new(true), Filter: onlyTargets("iframe"),
	}); err != nil {
		return fmt.Errorf("attaching to child frames: %w", err)
	}
	tree, err := cdp.Call(ctx, s, page.GetFrameTree, proto.Empty{})
	if err != nil {
		return fmt.Errorf("reading the frame tree: %w", err)
	}
	t.graph.merge(s, tree.FrameTree)
	if s != t.session {
		return nil
	}
	// Chromium repeats what the present document has reached, which only makes sense once the main frame is known.
	if _, err := cdp.Call(ctx, s, page.SetLifecycleEventsEnabled, page.SetLifecycleEventsEnabledParams{Enabled: true}); err != nil {
		return fmt.Errorf("enabling lifecycle events: %w", err)
	}
	return nil
}

// event takes an event of the tab's session or of one of its frames' sessions; it runs on the reader.
func (t *Tab) event(s *cdp.Session, method string, params jsonv2.Value) {
	switch method {
	case target.AttachedToTarget.Method:
		if e, err := cdp.Decode[target.EventAttachedToTarget](params); err == nil {
			t.childAttached(e)
		}
	case target.DetachedFromTarget.Method:
		if e, err := cdp.Decode[target.EventDetachedFromTarget](params); err == nil {
			t.childGone(e.SessionID)
		}
	case page.JavascriptDialogOpening.Method:
		if e, err := cdp.Decode[page.EventJavascriptDialogOpening](params); err == nil {
			t.answer(s, e)
		}
	case page.FrameRequestedNavigation.Method:
		e, err := cdp.Decode[page.EventFrameRequestedNavigation](params)
		if err == nil && (e.Disposition == page.ClientNavigationDispositionNewTab || e.Disposition == page.ClientNavigationDispositionNewWindow) {
			t.browser.expect(e.URL, t.id)
		}
	case inspector.TargetCrashed.Method:
		t.graph.crash(s)
	default:
		if t.graph.event(s, method, params) {
			t.browser.work.Go(func() { t.reread(s) })
		}
		t.network.event(s, method, params)
	}
}

// childAttached listens to an out-of-process frame from its first event on and sets it up off the reader.
func (t *Tab) childAttached(e target.EventAttachedToTarget) {
	child := t.link.conn.Session(e.SessionID)
	t.graph.childFound(child, e.TargetInfo)
	child.Listen(func(method string, params jsonv2.Value) { t.event(child, method, params) })
	t.browser.work.Go(func() {
		defer t.graph.known(child)
		ctx, cancel := context.WithTimeout(context.Background(), adoptTimeout)
		defer cancel()
		if err := t.enable(ctx, child); err != nil && !cdp.IsClosed(err) {
			t.browser.log.Debug("setting up a frame", "tab", t.id, "error", err)
		}
	})
}

// reread asks for the frames of a document that came back whole from the back-forward cache: they are not announced.
func (t *Tab) reread(s *cdp.Session) {
	defer t.graph.known(s)
	ctx, cancel := context.WithTimeout(context.Background(), adoptTimeout)
	defer cancel()
	tree, err := cdp.Call(ctx, s, page.GetFrameTree, proto.Empty{})
	if err != nil {
		t.browser.log.Debug("reading the frames of a restored page", "tab", t.id, "error", err)
		return
	}
	t.graph.merge(s, tree.FrameTree)
}

// childGone forgets an out-of-process frame whose session ended.
func (t *Tab) childGone(id target.SessionID) {
	s, ok := t.graph.childGone(id)
	if !ok {
		return
	}
	t.network.left(s)
	t.worlds.prune(t.graph)
	t.browser.work.Go(func() {
		t.injected.mu.Lock()
		defer t.injected.mu.Unlock()
		delete(t.injected.applied, s)
	})
}

// end marks the tab as gone.
func (t *Tab) end() { t.once.Do(func() { close(t.closed) }) }

// ID is the tab's name: t and a number, never used again while the app runs.
func (t *Tab) ID() string { return t.id }

// TargetID is Chromium's name for the tab.
func (t *Tab) TargetID() target.ID { return t.target }

// OpenerID is the id of the attached tab that opened this one; empty when none did.
func (t *Tab) OpenerID() string { return t.opener }

// URL is the address of the main document, with its fragment.
func (t *Tab) URL() string { return t.graph.url() }

// Title is the title as it was at the last navigation or listing; a script may have changed it since.
func (t *Tab) Title() string { return t.browser.titleOf(t.target) }

// LoaderID names the main document: another document has another.
func (t *Tab) LoaderID() proto.LoaderID { return t.graph.loader() }

// Revision counts what changed the page: documents, same-document navigations and whatever called Bump.
func (t *Tab) Revision() int64 { return t.revision.Load() }

// Bump raises the revision and returns the new one.
func (t *Tab) Bump() int64 { return t.revision.Add(1) }

// Closed is closed when the tab is gone, with its browser or without.
func (t *Tab) Closed() <-chan struct{} { return t.closed }

// Session is the page's protocol session. A verb may use any domain on it and must leave none enabled.
func (t *Tab) Session() *cdp.Session { return t.session }

// Network is what the tab asked the network for.
func (t *Tab) Network() *NetworkLog { return t.network }

// Mouse is the tab's trusted mouse.
func (t *Tab) Mouse() *Mouse { return t.mouse }

// Keyboard is the tab's trusted keyboard.
func (t *Tab) Keyboard() *Keyboard { return t.keyboard }

// Lock takes the tab for an acting verb, in the order of asking. The caller must call unlock.
func (t *Tab) Lock(ctx context.Context) (unlock func(), err error) {
	if err := t.turn.enter(ctx, t.closed); err != nil {
		return nil, fmt.Errorf("waiting for the turn on tab %s: %w", t.id, t.fault(err))
	}
	return sync.OnceFunc(t.turn.leave), nil
}

// Activate brings the tab to the front of its window.
func (t *Tab) Activate(ctx context.Context) error {
	if _, err := cdp.Call(ctx, t.link.conn.Root(), target.ActivateTarget, target.ActivateTargetParams{TargetID: t.target}); err != nil {
		return fmt.Errorf("activating tab %s: %w", t.id, t.fault(err))
	}
	return nil
}

// Close closes the tab and returns when it is gone.
func (t *Tab) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, tabCloseTimeout)
	defer cancel()
	_, err := cdp.Call(ctx, t.link.conn.Root(), target.CloseTarget, target.CloseTargetParams{TargetID: t.target})
	select {
	case <-t.closed:
		return nil
	default:
	}
	if err != nil {
		return fmt.Errorf("closing tab %s: %w", t.id, err)
	}
	select {
	case <-t.closed:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("closing tab %s: %w", t.id, ctx.Err())
	}
}

// fault names the cause of an error that a closed session hides: the tab is gone, or its page crashed. When the whole
// browser is gone or going it leaves the error as it is, which unwraps to cdp.ErrClosed.
func (t *Tab) fault(err error) error {
	if err == nil {
		return nil
	}
	if t.link.conn.Err() != nil || t.browser.leaving(t.link) {
		return err
	}
	select {
	case <-t.closed:
		return &TabGoneError{t.id}
	default:
	}
	if errors.As(err, new(*cdp.Error)) && t.graph.isCrashed() {
		return &CrashedError{t.id}
	}
	return err
}

// frameFault is fault for a call to a frame, whose session or document can go away while the tab lives on.
func (t *Tab) frameFault(err error, frame proto.FrameID) error {
	err = t.fault(err)
	if worldGone(err) && t.link.conn.Err() == nil && !t.browser.leaving(t.link) {
		return &FrameGoneError{string(frame)}
	}
	return err
}

// usable fails at once where Chromium would leave a call to a dead page unanswered.
func (t *Tab) usable() error {
	if t.graph.isCrashed() {
		return &CrashedError{t.id}
	}
	return nil
}
