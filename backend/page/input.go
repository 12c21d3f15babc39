package page

import (
	"context"

	"kuang/backend/browser"
	"kuang/backend/verb"
)

// send gives the trusted input.
func (a *action) send(ctx context.Context) error {
	switch a.in.Action {
	case "click":
		return a.click(ctx, 1)
	case "double_click":
		return a.click(ctx, 2)
	case "hover":
		if err := a.begin(ctx); err != nil {
			return err
		}
		return a.tab.Mouse().Move(ctx, a.point.X, a.point.Y)
	case "type":
		return a.typeText(ctx)
	case "press":
		if a.in.MarkID != 0 || a.in.Selector != "" {
			if err := a.focus(ctx); err != nil {
				return err
			}
		}
		if err := a.begin(ctx); err != nil {
			return err
		}
		return a.tab.Keyboard().Press(ctx, a.in.Key, a.in.Modifiers)
	case "focus":
		if err := a.begin(ctx); err != nil {
			return err
		}
		return a.focus(ctx)
	default: // scroll_into_view: it was done while aiming.
		return a.begin(ctx)
	}
}

// ready is what the page script answers when it looks at the target once more.
type ready struct {
	Ready bool   `json:"ready"`
	Moved bool   `json:"moved"`
	Gone  bool   `json:"gone"`
	Title string `json:"title"` // of the target's document
}

// begin starts the watch, in the main document too when the target lies in another. It must hold still by then.
func (a *action) begin(ctx context.Context) error {
	if a.pane.parent != nil && a.aside == 0 {
		main, err := a.tab.MainFrame(ctx)
		if err != nil {
			return err
		}
		var w struct {
			ID    int    `json:"id"`
			Title string `json:"title"`
		}
		if err := a.run(ctx, main, "watchOnly", nil, &w); err != nil {
			return err
		}
		a.aside, a.before.title = w.ID, w.Title
	}
	var r ready
	if err := a.run(ctx, a.pane.frame, "ready", args{"id": a.aimed.ID}, &r); err != nil {
		return err
	}
	switch {
	case r.Gone:
		return documentGone()
	case r.Moved:
		return errMoved
	}
	if a.pane.parent == nil {
		a.before.title = r.Title // The browser tells titles a moment later than they change.
	}
	return nil
}

// errMoved is a target that is no longer where it was aimed at.
var errMoved = &verb.Error{
	Code: verb.NotClickable, Message: "The target moves away from the pointer, or something comes over it.",
	Hint: "Observe the page; wait_for what is changing, then try again.", Evidence: map[string]any{"reason": "moving"},
}

func documentGone() error {
	return &verb.Error{
		Code: verb.StaleRef, Message: "The page went to another document before anything was sent.", Hint: "Observe the new page.",
	}
}

// point moves the mouse to the target and looks again when it is there: a page may move things as the pointer comes.
func (a *action) pointAt(ctx context.Context) error {
	for try := 1; ; try++ {
		if err := a.tab.Mouse().Move(ctx, a.point.X, a.point.Y); err != nil {
			return err
		}
		err := a.begin(ctx)
		if err != error(errMoved) || a.in.X != nil || try == tries {
			return err
		}
		if err := a.again(ctx); err != nil {
			return err
		}
	}
}

// again aims at the same element anew.
func (a *action) again(ctx context.Context) error {
	target := a.aimed.Target
	matched := a.aimed.Matched
	if err := a.aimIn(ctx, args{"known": a.aimed.ID}); err != nil {
		return err
	}
	if a.aimed.Missing {
		return documentGone()
	}
	a.aimed.Matched = matched
	if target.Rect != nil && a.aimed.Target.Rect == nil {
		a.aimed.Target.Rect = target.Rect
	}
	return nil
}

func (a *action) click(ctx context.Context, count int) error {
	if err := a.pointAt(ctx); err != nil {
		return err
	}
	return a.tab.Mouse().Click(ctx, a.point.X, a.point.Y, browser.ClickOptions{Count: count, Modifiers: a.in.Modifiers})
}

// focus puts the focus on the target without pressing it.
func (a *action) focus(ctx context.Context) error {
	var f struct {
		Focused bool `json:"focused"`
		Gone    bool `json:"gone"`
	}
	if err := a.run(ctx, a.pane.frame, "focus", args{"id": a.aimed.ID}, &f); err != nil {
		return err
	}
	switch {
	case f.Gone:
		return documentGone()
	case !f.Focused:
		return &verb.Error{
			Code: verb.NotEditable, Message: "The target does not take the focus.", Hint: "Act on the control inside it, or click it.",
		}
	}
	return nil
}

// typeText puts the focus into the field as a person would, empties it when asked, and types.
func (a *action) typeText(ctx context.Context) error {
	if a.aimed.ByFocus {
		if err := a.begin(ctx); err != nil {
			return err
		}
		if err := a.focus(ctx); err != nil {
			return err
		}
	} else if err := a.click(ctx, 1); err != nil {
		return err
	}
	var field struct {
		Gone      bool   `json:"gone"`
		Focused   bool   `json:"focused"`
		Focus     string `json:"focus"`
		Length    int    `json:"length"`
		Multiline bool   `json:"multiline"`
	}
	if err := a.run(ctx, a.pane.frame, "typing", args{"id": a.aimed.ID}, &field); err != nil {
		return err
	}
	if field.Gone {
		return documentGone()
	}
	if !field.Focused {
		return &verb.Error{
			Code: verb.TypeNoEffect, Message: "The click did not put the focus into the field, so nothing was typed.",
			Hint:     "Observe the page: something may have opened in its place.",
			Evidence: map[string]any{"keydowns": 0, "focus": field.Focus},
		}
	}
	if a.aimed.Sealed {
		a.sealed = a.probe(ctx)
	}
	if a.in.Secret {
		if err := a.run(ctx, a.pane.frame, "secret", args{"id": a.aimed.ID}, nil); err != nil {
			return err
		}
	}
	keys := a.tab.Keyboard()
	switch {
	case a.in.ClearFirst:
		if err := keys.Press(ctx, "Control+A", nil); err != nil {
			return err
		}
		if err := keys.Press(ctx, "Delete", nil); err != nil {
			return err
		}
		if err := a.run(ctx, a.pane.frame, "cleared", args{"id": a.aimed.ID}, nil); err != nil {
			return err
		}
	case a.aimed.Sealed || field.Length > 0 && !a.aimed.ByFocus:
		// The click put the caret somewhere into what is there; typing goes after it.
		end := "End"
		if field.Multiline {
			end = "Control+End"
		}
		if err := keys.Press(ctx, end, nil); err != nil {
			return err
		}
	}
	if a.in.Text == "" {
		return nil
	}
	return keys.Type(ctx, a.in.Text)
}
