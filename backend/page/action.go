package page

import (
	"context"
	"errors"
	"fmt"
	"time"

	proto "github.com/chromedp/cdproto/cdp"

	"kuang/backend/browser"
	"kuang/backend/verb"
)

const (
	// settleWindow is how long a page may take to show an effect before none is claimed.
	settleWindow = 300 * time.Millisecond
	// fetchWindow is how much longer that is while requests which the input caused are not answered.
	fetchWindow = 2 * time.Second
	// commitWindow is how long a navigation that has begun may take to bring its document.
	commitWindow = 8 * time.Second
	// readyWindow is how long the document that came may take until it can be read.
	readyWindow = 3 * time.Second
	// doubtWindow is how long changes that came later than the input are watched for coming again by themselves: longer
	// than the second in which clocks and counters tick.
	doubtWindow = 1200 * time.Millisecond
	// slice is one look at the above.
	slice = 100 * time.Millisecond
	// tries is how often a target that moved away under the pointer is aimed at again.
	tries = 4
)

// action is one act on its way.
type action struct {
	*hand
	v  *verbs
	in ActIn

	panes []*pane // all frames, once they were needed
	pane  *pane   // the target's frame
	aimed aimed
	point *Point // of the target, in the top viewport

	aside  int // the watch in the main document, when the target lies in another
	began  time.Time
	before pageMark
	opened *openedTabs
	sealed *sealedProbe
}

// aimed is what the page script answers to aim and aimPoint.
type aimed struct {
	ID       int    `json:"id"`
	Missing  bool   `json:"missing"`
	Point    *Point `json:"point"`
	Matched  int    `json:"matched"`
	Target   Target `json:"target"`
	ByFocus  bool   `json:"by_focus"`
	OpensTab bool   `json:"opens_tab"`
	Sealed   bool   `json:"sealed"`
	Moved    *Point `json:"moved"` // by scrolling into view
	Refused  *Refused
	Frame    *struct {
		Slot int `json:"slot"`
	} `json:"frame"`
}

// pageMark is what the browser says of the page before the input.
type pageMark struct {
	url, title string
	loader     proto.LoaderID
	revision   int64
}

func (a *action) do(ctx context.Context) (ActOut, error) {
	out := ActOut{Action: a.in.Action, DryRun: a.in.DryRun, site: site(a.tab.URL())}
	if err := a.aim(ctx); err != nil {
		return ActOut{}, err
	}
	defer a.forget(ctx)
	out.Target = a.target()
	if a.aimed.Matched > 1 {
		out.Matched = a.aimed.Matched
		out.Warning = fmt.Sprintf("The selector matches %d elements; the first that shows is meant.", a.aimed.Matched)
	}
	if a.in.DryRun {
		out.Refused, out.URL = a.aimed.Refused, a.tab.URL()
		return out, nil
	}
	a.listen()
	defer a.opened.stop()
	if err := a.send(ctx); err != nil {
		return ActOut{}, err
	}
	seen, err := a.observe(ctx)
	if err != nil {
		return ActOut{}, err
	}
	return a.report(ctx, out, seen)
}

// aim finds the target, and the point to press in the top viewport.
func (a *action) aim(ctx context.Context) error {
	main, err := a.tab.MainFrame(ctx)
	if err != nil {
		return err
	}
	a.pane = &pane{frame: main, sx: 1, sy: 1}
	switch {
	case a.in.X != nil:
		return a.aimPoint(ctx)
	case a.in.MarkID != 0:
		if owner, ok := a.state.owner(a.in.MarkID); !ok || owner != main.ID {
			if err := a.list(ctx); err != nil {
				return err
			}
			at, err := a.paneOf(a.panes, a.in.MarkID)
			if err != nil {
				return err
			}
			a.pane = at[0]
		}
		return a.aimIn(ctx, args{"mark": a.in.MarkID})
	case a.in.Selector != "":
		return a.aimSelector(ctx)
	default: // A key for whatever has the focus.
		return a.run(ctx, main, "watchOnly", nil, &a.aimed)
	}
}

func (a *action) list(ctx context.Context) (err error) {
	a.panes, _, err = a.hand.panes(ctx)
	return err
}

// aimSelector looks in the main document and then in each frame.
func (a *action) aimSelector(ctx context.Context) error {
	how := args{"selector": a.in.Selector}
	if err := a.aimIn(ctx, how); err != nil || !a.aimed.Missing {
		return err
	}
	if err := a.list(ctx); err != nil {
		return err
	}
	for _, p := range a.panes[1:] {
		a.pane = p
		if err := a.aimIn(ctx, how); err != nil && (isRefusal(err) || ctx.Err() != nil) || err == nil && !a.aimed.Missing {
			return err
		}
	}
	return &verb.Error{
		Code: verb.NoTarget, Message: "Nothing matches the selector " + quoted(a.in.Selector) + ".",
		Hint: "Check it with find, or observe the page. What is inside a closed shadow root is only reached by x and y.",
	}
}

// aimIn aims in the frame of a.pane and takes the point to the top viewport.
func (a *action) aimIn(ctx context.Context, how args) error {
	how["action"], how["dry"], how["wait"] = a.in.Action, a.in.DryRun, a.in.TimeoutMS
	if a.in.Action == "press" {
		how["action"] = "focus" // The key needs the focus there, and a press of the mouse would set the target off.
	}
	a.aimed = aimed{}
	if err := a.run(ctx, a.pane.frame, "aim", how, &a.aimed); err != nil {
		return err
	}
	return a.place(ctx)
}

// place takes the point that was aimed at to the top viewport.
func (a *action) place(ctx context.Context) error {
	a.point = nil
	if a.aimed.Missing || a.aimed.Point == nil {
		return nil
	}
	x, y, err := a.reach(ctx, a.pane, a.aimed.Point.X, a.aimed.Point.Y, !a.in.DryRun)
	if err != nil {
		if refused := (*verb.Error)(nil); a.in.DryRun && errors.As(err, &refused) {
			a.aimed.Refused = &Refused{Code: string(refused.Code), Message: refused.Message}
			return nil
		}
		a.drop(ctx, a.pane.frame, a.aimed.ID)
		return err
	}
	a.point = &Point{round(x), round(y)}
	if a.pane.parent != nil {
		// Scrolling on the way may have moved the frames.
		if err := a.list(ctx); err != nil {
			return err
		}
		for _, p := range a.panes {
			if p.frame.ID == a.pane.frame.ID {
				a.pane = p
			}
		}
	}
	return nil
}

// aimPoint goes down the frames to what lies at the point.
func (a *action) aimPoint(ctx context.Context) error {
	x, y := *a.in.X, *a.in.Y
	for {
		a.aimed = aimed{}
		how := args{"x": x, "y": y, "action": a.in.Action, "dry": a.in.DryRun}
		if err := a.run(ctx, a.pane.frame, "aimPoint", how, &a.aimed); err != nil {
			return err
		}
		if a.aimed.Frame == nil {
			break
		}
		next, err := a.childAt(ctx, a.aimed.Frame.Slot)
		if err != nil {
			return err
		}
		// The place in the frame follows from the place in the top viewport.
		x, y, a.pane = (*a.in.X-next.x)/next.sx, (*a.in.Y-next.y)/next.sy, next
	}
	a.point = &Point{*a.in.X, *a.in.Y}
	return nil
}

func (a *action) childAt(ctx context.Context, slot int) (*pane, error) {
	if err := a.list(ctx); err != nil {
		return nil, err
	}
	for _, p := range a.panes {
		if p.parent != nil && p.parent.frame.ID == a.pane.frame.ID && p.slot == slot {
			return p, nil
		}
	}
	return nil, &verb.Error{
		Code: verb.NoTarget, Message: "The frame at that point cannot be looked into.", Hint: "It may be loading; wait_for it, or observe the page.",
	}
}

// target describes what was aimed at.
func (a *action) target() *Target {
	if a.in.MarkID == 0 && a.in.Selector == "" && a.in.X == nil {
		return nil
	}
	t := a.aimed.Target
	if t.Rect != nil {
		box := a.pane.rect(*t.Rect)
		t.Rect = &box
	}
	t.Point, t.Frame, t.Sealed = a.point, a.pane.id(), a.aimed.Sealed
	if a.in.Action == "type" {
		t.Field = &Field{Tag: t.Tag}
	}
	return &t
}

// listen notes how things are just before the input.
func (a *action) listen() {
	a.before = pageMark{a.tab.URL(), a.tab.Title(), a.tab.LoaderID(), a.tab.Revision()}
	a.opened = watchTabs(a.v.Browser)
	a.began = time.Now()
}

// forget ends what was begun in the page and not reported.
func (a *action) forget(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleWindow)
	defer cancel()
	a.drop(ctx, a.pane.frame, a.aimed.ID)
	if a.aside != 0 {
		if main, err := a.tab.MainFrame(ctx); err == nil {
			a.drop(ctx, main, a.aside)
		}
	}
}

// drop ends an act in a frame without a report; a document that is gone has none.
func (a *action) drop(ctx context.Context, frame browser.Frame, id int) {
	if id == 0 {
		return
	}
	if err := a.run(ctx, frame, "drop", args{"id": id}, nil); err != nil {
		a.call.Log.Debug("dropping an act", "tab", a.tab.ID(), "error", err)
	}
}
