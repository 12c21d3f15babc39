package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	proto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"kuang/backend/cdp"
)

const (
	// defaultNavigation bounds a navigation that names no time of its own.
	defaultNavigation = 30 * time.Second
	// quietWindow is how long the network must rest to count as idle; Chromium uses the same.
	quietWindow = 500 * time.Millisecond
	// errorPageTimeout bounds the wait for Chromium's page about a failure, which takes a tenth of that.
	errorPageTimeout = time.Second
	// titleTimeout bounds the look at the title at the end: a page that blocks its main thread is a page all the same.
	titleTimeout = time.Second
)

// WaitUntil is how far a navigation must have come before it counts as done; empty means load.
type WaitUntil string

// The waits.
const (
	UntilLoad        WaitUntil = "load"
	UntilDOM         WaitUntil = "domcontentloaded"
	UntilNetworkIdle WaitUntil = "networkidle"
	UntilNone        WaitUntil = "none" // the new document has committed
)

// Navigation is where a navigation ended.
type Navigation struct {
	URL    string
	Title  string
	Status int // HTTP status of the document; 0 when it did not come over HTTP
}

// HistoryError is a step beyond either end of a tab's history.
type HistoryError struct {
	Delta         int // what was asked for
	Back, Forward int // how many steps there are
}

// Error satisfies the error interface.
func (e *HistoryError) Error() string {
	return fmt.Sprintf("the history has %d steps back and %d forward, not %+d", e.Back, e.Forward, e.Delta)
}

// Navigate loads an address and waits. A redirect by the server or by script is followed, and the result tells where
// it ended. A step within the document returns at once. Failures are a *BadURLError, a *NavigationError, or a
// *TimeoutError while the page goes on loading; an HTTP error status is no failure.
func (t *Tab) Navigate(ctx context.Context, url string, until WaitUntil, timeout time.Duration) (Navigation, error) {
	address, err := Address(url)
	if err != nil {
		return Navigation{}, err
	}
	return t.travel(ctx, until, timeout, func(ctx context.Context) (arrival, error) {
		step := t.nextDocument(address)
		r, err := cdp.Call(ctx, t.session, page.Navigate, page.NavigateParams{URL: address})
		var refused *cdp.Error
		switch {
		case errors.As(err, &refused) && !t.graph.isCrashed():
			return nil, &BadURLError{url, "Chromium refused it: " + refused.Message}
		case err != nil:
			return nil, waiting(ctx, err, "an answer from "+public(address))
		case r.ErrorText != "" && r.ErrorText != errEmptyFailure:
			t.errorPage(ctx, r)
			return nil, t.failed(public(address), r)
		case r.LoaderID == "":
			return step, nil // Within the document.
		}
		return func(ds *documents) (*document, error) {
			if d := ds.doc(r.LoaderID); d.committed {
				return d, nil
			}
			return nil, nil
		}, nil
	})
}

// History goes delta steps through the tab's history and waits. Beyond either end it fails with a *HistoryError.
func (t *Tab) History(ctx context.Context, delta int, until WaitUntil, timeout time.Duration) (Navigation, error) {
	return t.travel(ctx, until, timeout, func(ctx context.Context) (arrival, error) {
		h, err := cdp.Call(ctx, t.session, page.GetNavigationHistory, proto.Empty{})
		if err != nil {
			return nil, fmt.Errorf("reading the history: %w", err)
		}
		at := int(h.CurrentIndex)
		if to := at + delta; delta == 0 || to < 0 || to >= len(h.Entries) {
			return nil, &HistoryError{Delta: delta, Back: at, Forward: len(h.Entries) - 1 - at}
		}
		entry := h.Entries[at+delta]
		next := t.nextDocument(entry.URL)
		if _, err := cdp.Call(ctx, t.session, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: entry.ID}); err != nil {
			return nil, fmt.Errorf("going to %s: %w", entry.URL, err)
		}
		return next, nil
	})
}

// Reload loads the document again, past the cache when hard, and waits.
func (t *Tab) Reload(ctx context.Context, hard bool, until WaitUntil, timeout time.Duration) (Navigation, error) {
	return t.travel(ctx, until, timeout, func(ctx context.Context) (arrival, error) {
		next := t.nextDocument(t.URL())
		if _, err := cdp.Call(ctx, t.session, page.Reload, page.ReloadParams{IgnoreCache: &hard}); err != nil {
			return nil, fmt.Errorf("reloading: %w", err)
		}
		return next, nil
	})
}

// Wait waits until the main document, or the one that a redirect by script puts in its place, has come as far as until.
func (t *Tab) Wait(ctx context.Context, until WaitUntil, timeout time.Duration) (Navigation, error) {
	return t.travel(ctx, until, timeout, func(context.Context) (arrival, error) {
		return func(ds *documents) (*document, error) { return ds.current, nil }, nil
	})
}

// arrival tells from the documents whether the navigation has arrived: at a document, not yet, or never. The graph's
// mutex is held.
type arrival func(*documents) (*document, error)

// nextDocument arrives at the next document, or the next step within the document, after now.
func (t *Tab) nextDocument(url string) arrival {
	t.graph.mu.Lock()
	defer t.graph.mu.Unlock()
	moves, heard := t.graph.docs.moves, t.graph.docs.heard
	return func(ds *documents) (*document, error) {
		if ds.moves > moves {
			return ds.current, nil
		}
		for _, d := range ds.recent {
			// An aborted request leaves the old document in place; any other failure commits an error page.
			if d.order > heard && !d.committed && d.failure == errAborted {
				return nil, &NavigationError{url, explain(d.failure)}
			}
		}
		return nil, nil
	}
}

// travel acts, waits for the arrival and then for the document to come as far as until.
func (t *Tab) travel(ctx context.Context, until WaitUntil, timeout time.Duration, act func(context.Context) (arrival, error)) (Navigation, error) {
	if timeout <= 0 {
		timeout = defaultNavigation
	}
	if until == "" {
		until = UntilLoad
	}
	began := time.Now()
	outer := ctx
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	crashes := t.graph.crashCount() // A navigation is how a crashed page is brought back.
	arrived, err := act(ctx)
	if err == nil {
		err = t.arrive(ctx, arrived, until, crashes)
	}
	if err != nil {
		var late *TimeoutError
		if errors.As(err, &late) {
			late.After = time.Since(began).Round(time.Millisecond)
			return Navigation{}, late
		}
		return Navigation{}, t.fault(err)
	}
	return t.here(outer), nil
}

// arrive waits for the arrival and for what until asks for. A document that is replaced while it loads hands the wait
// on to its successor.
func (t *Tab) arrive(ctx context.Context, arrived arrival, until WaitUntil, crashes int) error {
	there := false
	for {
		changed := t.graph.changed.wait()
		t.graph.mu.Lock()
		ds := &t.graph.docs
		if !there {
			d, err := arrived(ds)
			if err != nil {
				t.graph.mu.Unlock()
				return err
			}
			there = d != nil
		}
		crashed, d := t.graph.crashes > crashes, ds.current
		var failure string
		if there && d.errorPage && d.failure != errEmptyFailure {
			failure = d.failure
			if failure == "" {
				failure = "net::ERR_FAILED"
			}
		}
		loaded, dom, chromiumIdle := d != nil && d.has("load"), d != nil && d.has("DOMContentLoaded"), d != nil && d.has("networkIdle")
		t.graph.mu.Unlock()

		var soon <-chan time.Time
		switch {
		case crashed:
			return &CrashedError{t.id}
		case failure != "":
			return &NavigationError{t.URL(), explain(failure)}
		case !there:
		case until == UntilNone, until == UntilDOM && dom, until == UntilLoad && loaded:
			return nil
		case until == UntilNetworkIdle && loaded:
			left := t.network.idleIn(quietWindow)
			if chromiumIdle || left == 0 {
				return nil
			}
			if left > 0 {
				timer := time.NewTimer(left)
				defer timer.Stop()
				soon = timer.C
			}
		}
		select {
		case <-changed:
		case <-soon:
		case <-t.closed:
			return cdp.ErrClosed
		case <-ctx.Done():
			return waiting(ctx, ctx.Err(), t.stage(there, until))
		}
	}
}

func (t *Tab) stage(there bool, until WaitUntil) string {
	if !there {
		return "the new document to begin"
	}
	return fmt.Sprintf("%s of %s", until, t.URL())
}

// waiting makes a *TimeoutError of a deadline that passed and leaves other errors as they are.
func waiting(ctx context.Context, err error, what string) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &TimeoutError{Waiting: what}
	}
	return fmt.Errorf("waiting for %s: %w", what, err)
}

// errorPage waits until Chromium shows its own page for a navigation that failed, so that what the tab shows does not
// change behind the answer. An aborted navigation has none.
func (t *Tab) errorPage(ctx context.Context, r page.NavigateResult) {
	if r.ErrorText == errAborted || r.LoaderID == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, errorPageTimeout)
	defer cancel()
	for {
		changed := t.graph.changed.wait()
		t.graph.mu.Lock()
		committed := t.graph.docs.doc(r.LoaderID).committed
		t.graph.mu.Unlock()
		if committed {
			return
		}
		select {
		case <-changed:
		case <-t.closed:
			return
		case <-ctx.Done():
			return
		}
	}
}

// failed explains an answer to Page.navigate that names an error.
func (t *Tab) failed(address string, r page.NavigateResult) error {
	reason := explain(r.ErrorText)
	if r.ErrorText == errAborted {
		t.graph.mu.Lock()
		status := 0
		if r.LoaderID != "" {
			status = t.graph.docs.doc(r.LoaderID).status
		}
		t.graph.mu.Unlock()
		switch {
		case r.IsDownload:
			reason = "it is a download, not a page (" + r.ErrorText + ")"
		case status == http.StatusNoContent || status == http.StatusResetContent:
			reason = fmt.Sprintf("the server answered %d, which has no document (%s)", status, r.ErrorText)
		}
	}
	return &NavigationError{address, reason}
}

// here says where the tab is now.
func (t *Tab) here(ctx context.Context) Navigation {
	n := Navigation{URL: t.URL(), Title: t.Title()}
	t.graph.mu.Lock()
	if d := t.graph.docs.current; d != nil {
		n.Status = d.status
	}
	t.graph.mu.Unlock()
	// The browser's word on the title can be a moment old.
	ctx, cancel := context.WithTimeout(ctx, titleTimeout)
	defer cancel()
	frame, err := t.MainFrame(ctx)
	if err != nil {
		return n
	}
	if e, err := t.Evaluate(ctx, frame, false, "document.title"); err == nil {
		var title string
		if json.Unmarshal(e.Value, &title) == nil {
			n.Title = title
			if t.browser.retitle(t.target, title) {
				t.browser.events.announce(Event{Kind: TabChanged, TabID: t.id})
			}
		}
	}
	return n
}
