package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"kuang/backend/browser"
	"kuang/backend/verb"
)

// deepOpen is the lever that lets reading go through open shadow roots.
const deepOpen = "shadow.deepOpenRoots"

// hand is one call's reach into a tab: its worlds, its marks and how far reading may go.
type hand struct {
	call  *verb.Call
	tab   *browser.Tab
	world *browser.World
	state *tabState
	open  bool // open roots may be read
}

func (v *verbs) hand(call *verb.Call) *hand {
	return &hand{
		call: call, tab: call.Tab, world: call.Tab.World(v.library), state: v.state(call.Tab),
		open: call.Policy.Allow(deepOpen) == nil,
	}
}

// args are the arguments of a library function.
type args map[string]any

// refusal is what the library answers when the caller can mend what went wrong.
type refusal struct {
	Code     string         `json:"code"`
	Message  string         `json:"message"`
	Hint     string         `json:"hint"`
	Evidence map[string]any `json:"evidence"`
}

// run calls a function of the library in a frame and decodes its answer.
func (h *hand) run(ctx context.Context, frame browser.Frame, fn string, in args, out any) error {
	if in == nil {
		in = args{}
	}
	in["open_roots"] = h.open
	var raw json.RawMessage
	if err := h.world.Call(ctx, frame, fn, &raw, in); err != nil {
		return err
	}
	var failed struct {
		Error *refusal `json:"error"`
	}
	// What is no object, such as true, has no error in it.
	if json.Unmarshal(raw, &failed) == nil && failed.Error != nil {
		return h.refused(failed.Error)
	}
	if out == nil || len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("reading what %s answered: %w", fn, err)
	}
	return nil
}

func (h *hand) refused(r *refusal) error {
	if r.Code == "DEEP_OPEN_ROOTS_DISABLED" {
		if err := h.call.Require(deepOpen); err != nil {
			return err
		}
	}
	return &verb.Error{Code: verb.Code(r.Code), Message: r.Message, Hint: r.Hint, Evidence: r.Evidence}
}

// mark calls a function that gives out marks. One document of a tab does so at a time.
func (h *hand) mark(ctx context.Context, frame browser.Frame, fn string, in args, out any) error {
	select {
	case h.state.offers <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("waiting to read tab %s: %w", h.tab.ID(), ctx.Err())
	}
	defer func() { <-h.state.offers }()
	offered := h.state.offer()
	in["offer"] = offered
	var answer struct {
		Top int `json:"top"`
	}
	var raw json.RawMessage
	err := h.run(ctx, frame, fn, in, &raw)
	var told *verb.Error
	switch {
	case err == nil:
		if err := json.Unmarshal(raw, &answer); err != nil {
			return fmt.Errorf("reading what %s answered: %w", fn, err)
		}
		h.state.took(frame.ID, offered, answer.Top)
		return json.Unmarshal(raw, out)
	case errors.As(err, &told), gone(err):
		// A refusal comes before any mark is given, and the marks of a document that is gone were told to nobody.
		return err
	default:
		h.state.took(frame.ID, offered, offered+spoiled)
		return err
	}
}

// gone tells that what was called has left the tab meanwhile.
func gone(err error) bool {
	var frame *browser.FrameGoneError
	return errors.As(err, &frame)
}

// quoted puts a caller's words into a message.
func quoted(s string) string { return strconv.Quote(s) }

// isRefusal tells what the caller can mend from what went wrong below.
func isRefusal(err error) bool {
	var e *verb.Error
	return errors.As(err, &e)
}
