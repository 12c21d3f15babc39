package tool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kuang/backend/browser"
	"kuang/backend/cdp"
	"kuang/backend/session"
	"kuang/backend/verb"
	"kuang/settings"
)

// errCallTooLong is the cause of a call's context when the bound of the whole call has passed.
var errCallTooLong = errors.New("the call took longer than a call may")

// panicked is a verb that panicked: a bug of ours, never the caller's.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// translate turns whatever a call failed with into the error that its caller gets. It is the only place that does so.
func (p *Pipeline) translate(ctx context.Context, x *session.Session, tab *browser.Tab, err error) *verb.Error {
	var own *verb.Error
	if errors.As(err, &own) {
		return own
	}
	var refusal *settings.Refusal
	if errors.As(err, &refusal) {
		return verb.Refused(refusal)
	}
	if e := ended(ctx, err); e != nil {
		return e
	}
	if e := tabError(x, tab, err); e != nil {
		return e
	}
	if e := pageError(err); e != nil {
		return e
	}
	var down *browser.UnavailableError
	if errors.As(err, &down) {
		return unavailable(down.Problem, err)
	}
	if errors.Is(err, cdp.ErrClosed) {
		problem := browser.Problem{What: "The browser went away while the call ran.", Fix: "Call again: Kuang starts it once more."}
		if known := p.cfg.Browser.Status().Problem; known != nil {
			problem = *known
		}
		return unavailable(problem, err)
	}
	return &verb.Error{
		Code: verb.Internal, Message: "Kuang failed at this call, and the fault is its own.",
		Hint: "Try once more; the log of Kuang says what went wrong.", Cause: err,
	}
}

// ended covers a call that ran out of time or whose caller left.
func ended(ctx context.Context, err error) *verb.Error {
	late := errors.Is(context.Cause(ctx), errCallTooLong) && errors.Is(err, context.Canceled)
	switch {
	case late || errors.Is(err, context.DeadlineExceeded):
		e := &verb.Error{
			Code: verb.Timeout, Message: "The call did not finish in time.",
			Hint: "The page may be busy: try again, with a longer timeout_ms where the verb has one. When it stays so, close " +
				"the tab and open the page in a new one.", Cause: err,
		}
		var waited *browser.TimeoutError
		if errors.As(err, &waited) {
			e.Hint = "Look at the page with observe, then try again with a longer timeout_ms where the verb has one."
			e.Message = fmt.Sprintf("Waiting for %s took longer than %d ms.", waited.Waiting, waited.After.Milliseconds())
			e.Evidence = map[string]any{"waited_ms": waited.After.Milliseconds()}
		}
		return e
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return &verb.Error{Code: verb.Cancelled, Message: "The caller left before the call was done.", Cause: err}
	default:
		return nil
	}
}

// tabError covers tabs that are not there, not the session's, or not alive.
func tabError(x *session.Session, tab *browser.Tab, err error) *verb.Error {
	var (
		unknown *session.UnknownTabError
		foreign *session.NotOwnedError
		crashed *browser.CrashedError
		blank   *browser.NoViewportError
		gone    *browser.TabGoneError
		frame   *browser.FrameGoneError
	)
	left := errors.Is(err, cdp.ErrDetached) || errors.As(err, &frame)
	switch {
	case errors.Is(err, session.ErrNoTab):
		return &verb.Error{
			Code: verb.UnknownTab, Message: "This session has no tab yet.",
			Hint: "Open one first, for example with navigate.", Evidence: map[string]any{"tabs": listing(x)},
		}
	case errors.As(err, &unknown):
		return &verb.Error{
			Code: verb.UnknownTab, Message: "There is no tab " + quote(clip(unknown.ID)) + ".",
			Hint: tabsHint(x), Evidence: map[string]any{"tabs": listing(x)},
		}
	case errors.As(err, &foreign):
		return &verb.Error{
			Code: verb.NotOwned, Message: "The tab " + quote(clip(foreign.ID)) + " belongs to the person or to another session.",
			Hint: tabsHint(x), Evidence: map[string]any{"tabs": listing(x)},
		}
	case errors.As(err, &crashed):
		return &verb.Error{
			Code: verb.BrowserUnavailable, Message: "The page in " + crashed.TabID + " has crashed.",
			Hint: "Navigate the tab again to bring it back.", Evidence: map[string]any{"crashed_tab": crashed.TabID}, Cause: err,
		}
	case errors.As(err, &blank):
		return &verb.Error{
			Code: verb.NoViewport, Message: "The tab has no layout: its viewport is 0×0.",
			Hint: "Show the browser window, then try again.", Cause: err,
		}
	case left && !errors.As(err, &gone) && tab != nil && !closes(tab):
		return &verb.Error{
			Code: verb.StaleRef, Message: "The page, or a frame of it, went away while the call ran.",
			Hint: "Look at the page again, then repeat the call.", Cause: err,
		}
	case tab != nil && (errors.As(err, &gone) || left):
		return &verb.Error{
			Code: verb.UnknownTab, Message: "The tab " + tab.ID() + " was closed while the call ran.",
			Hint: tabsHint(x), Evidence: map[string]any{"tabs": listing(x)}, Cause: err,
		}
	default:
		return nil
	}
}

// pageError covers what the browser layer refuses about the ask itself.
func pageError(err error) *verb.Error {
	var (
		navigation  *browser.NavigationError
		address     *browser.BadURLError
		history     *browser.HistoryError
		key         *browser.UnknownKeyError
		unsupported *browser.UnsupportedError
	)
	switch {
	case errors.As(err, &navigation):
		return &verb.Error{
			Code: verb.NavigationFailed, Message: "The page did not load: " + sentence(navigation.Reason),
			Hint: "Check the address and whether the site answers.", Evidence: map[string]any{"url": navigation.URL}, Cause: err,
		}
	case errors.As(err, &address):
		return &verb.Error{
			Code: verb.BadRequest, Message: "The address cannot be opened: " + sentence(address.Reason),
			Hint: "Use a whole address, such as https://shop.example/.", Evidence: map[string]any{"url": address.URL}, Cause: err,
		}
	case errors.As(err, &history):
		return &verb.Error{
			Code: verb.NavigationFailed, Message: "The tab's history does not go that far.", Hint: "Use navigate with an address.",
			Evidence: map[string]any{"back": history.Back, "forward": history.Forward}, Cause: err,
		}
	case errors.As(err, &key):
		return &verb.Error{
			Code: verb.BadRequest, Message: "There is no key " + quote(clip(key.Key)) + ".",
			Hint: "Use names such as Enter, Tab, ArrowDown, a or Control+A.", Cause: err,
		}
	case errors.As(err, &unsupported):
		return &verb.Error{
			Code: verb.NotSupported, Message: sentence(unsupported.What), Hint: "Use a browser that Kuang started itself.", Cause: err,
		}
	default:
		return nil
	}
}

func unavailable(problem browser.Problem, cause error) *verb.Error {
	e := &verb.Error{Code: verb.BrowserUnavailable, Message: sentence(problem.What), Hint: problem.Fix, Cause: cause}
	e.Evidence = map[string]any{"fix": problem.Fix}
	if len(problem.Tried) > 0 {
		e.Evidence["tried"] = problem.Tried
	}
	return e
}

// ownTab is a row of the list that an agent gets when it names a tab that is not its own.
type ownTab struct {
	Tab string `json:"tab"`
	URL string `json:"url"`
}

func listing(x *session.Session) []ownTab {
	rows := []ownTab{}
	for _, t := range x.Owned() {
		rows = append(rows, ownTab{Tab: t.ID(), URL: t.URL()})
	}
	return rows
}

func tabsHint(x *session.Session) string {
	if len(x.Owned()) == 0 {
		return "Your session has no tab: open one, for example with navigate."
	}
	return "Use one of your own tabs, listed in tabs, or leave tab out."
}

// closing is how long the news of a tab's end may be behind the news of its session's end. They come in one burst.
const closing = 500 * time.Millisecond

// closes tells a tab that is closing from one that only lost a frame: both end a session.
func closes(tab *browser.Tab) bool {
	late := time.NewTimer(closing)
	defer late.Stop()
	select {
	case <-tab.Closed():
		return true
	case <-late.C:
		return false
	}
}

// sentence ends text with a full stop.
func sentence(text string) string {
	switch {
	case text == "":
		return "No reason was given."
	case text[len(text)-1] == '.' || text[len(text)-1] == '!' || text[len(text)-1] == '?':
		return text
	default:
		return text + "."
	}
}
