package page

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"kuang/backend/shadowwalk"
	"kuang/backend/verb"
)

const (
	// componentsBudget is the default size of a page of components, in characters: a few hundred lines, which an
	// agent reads at once.
	componentsBudget = 25_000
	// mostText bounds one reply of text, in characters, when the caller sets no budget.
	mostText = 400_000
)

// ObserveIn is what observe reads.
type ObserveIn struct {
	As               string `json:"as,omitempty" enum:"components,text" jsonschema:"Projection. components: one line per control with its mark, role, name, value, state and the actions it accepts, grouped by landmark. text: the painted text. Default components."`
	Region           string `json:"region,omitempty" jsonschema:"Part of the page to read: a landmark role (main, navigation, form, dialog, …), a mark number or a CSS selector. Default: the whole page with its frames."`
	Budget           *int   `json:"budget,omitempty" min:"0" jsonschema:"Size of the reply in characters; 0 is everything. Default 25000 for components, everything up to 400000 for text."`
	Cursor           string `json:"cursor,omitempty" jsonschema:"next_cursor of the reply before, to read on."`
	IncludeOffscreen bool   `json:"include_offscreen,omitempty" jsonschema:"Also list components outside the viewport; offscreen counts them otherwise. Default false."`
	Sealed           bool   `json:"sealed,omitempty" jsonschema:"Also list the controls inside closed shadow roots, by the accessibility tree. Needs the person's leave (shadow.axSealed). Default false."`
}

// Facts are what is known of an element.
type Facts struct {
	Role string `json:"role" jsonschema:"ARIA role, or clickable for what only script makes a control."`
	Name string `json:"name" jsonschema:"Accessible name."`
	// Value is absent for what has none and for fields that keep theirs; those have Chars.
	Value   *string  `json:"value,omitempty" jsonschema:"What the field holds; never that of a password."`
	Chars   *int     `json:"chars,omitempty" jsonschema:"Length of the value, when the value is cut or kept back."`
	Level   int      `json:"level,omitempty" jsonschema:"Level of a heading."`
	State   []string `json:"state,omitempty" jsonschema:"States that hold, such as checked, expanded, disabled, required."`
	Actions []string `json:"actions" jsonschema:"What it accepts: click, type or select. Empty when disabled."`
}

// Component is one row of the components.
type Component struct {
	Mark int `json:"mark" jsonschema:"The element's number, for act(mark_id)."`
	Facts
	Region string `json:"region" jsonschema:"The landmark it lies in."`
	Frame  string `json:"frame,omitempty" jsonschema:"Id of the child frame it lies in."`
}

// ObserveOut is one page of a projection.
type ObserveOut struct {
	As   string      `json:"as"`
	URL  string      `json:"url"`
	Text string      `json:"text" jsonschema:"The projection as lines."`
	Rows []Component `json:"rows,omitempty" jsonschema:"The components of text, as objects."`
	// Sealed are the controls inside closed roots, when they were asked for. They have no mark.
	Sealed          []shadowwalk.Control `json:"sealed,omitempty" jsonschema:"Controls inside closed shadow roots: no mark, act on x and y."`
	Total           int                  `json:"total" jsonschema:"How much there is: components, or characters of text."`
	Offset          int                  `json:"offset" jsonschema:"Where this reply begins, in the same unit."`
	NextCursor      string               `json:"next_cursor,omitempty" jsonschema:"Hand it back as cursor to read on."`
	Truncated       bool                 `json:"truncated" jsonschema:"There is more after this reply."`
	Chars           int                  `json:"chars" jsonschema:"Characters of text in this reply."`
	PageChars       int                  `json:"page_chars,omitempty" jsonschema:"Characters of text on the page, for as text."`
	Elements        int                  `json:"elements,omitempty" jsonschema:"Elements looked at."`
	Offscreen       int                  `json:"offscreen,omitempty" jsonschema:"Components outside the viewport."`
	BehindModal     int                  `json:"behind_modal,omitempty" jsonschema:"Components that an open modal dialog blocks; they are not listed."`
	ShadowRoots     int                  `json:"shadow_roots" jsonschema:"Open shadow roots read through or passed by."`
	SealedSuspected int                  `json:"sealed_suspected" jsonschema:"Elements that look like hosts of closed shadow roots, whose content is not in this reply."`
	FramesUnplaced  int                  `json:"frames_unplaced,omitempty" jsonschema:"Child frames that were not read, because their place is not known or is inside a closed root."`
	Busy            bool                 `json:"busy,omitempty" jsonschema:"The page says that it is still loading."`
	Changed         bool                 `json:"changed,omitempty" jsonschema:"The page is not the one that the cursor was made for."`
	Hint            string               `json:"hint,omitempty"`
}

func (v *verbs) observe() verb.Definition {
	return verb.Define(verb.Definition{
		Name: "observe", Title: "Observe the page", Domain: "inspect.observe",
		Summary: "Read the page: its components with what they accept, or its text.",
		Description: "Read a page with this first. components lists what can be operated, each with a mark for act(mark_id); " +
			"text gives the words. Both go through open shadow roots, slots and frames, and neither touches the page. " +
			"A reply that is cut says so and gives next_cursor. When sealed_suspected is not 0, something may be inside a " +
			"closed shadow root: find with sealed:true lists it.",
		Effect: verb.Read, Target: verb.OwnTab, Untrusted: true, Levers: []string{deepOpen, shadowwalk.Lever},
	}, func(ctx context.Context, call *verb.Call, in ObserveIn) (ObserveOut, error) {
		if in.Sealed {
			if err := call.Require(shadowwalk.Lever); err != nil {
				return ObserveOut{}, err
			}
		}
		from, total, err := readCursor(in.Cursor)
		if err != nil {
			return ObserveOut{}, err
		}
		h := v.hand(call)
		panes, unplaced, err := h.panes(ctx)
		if err != nil {
			return ObserveOut{}, err
		}
		if in.Region != "" {
			if panes, err = h.regionPanes(panes, in.Region); err != nil {
				return ObserveOut{}, err
			}
		}
		out := ObserveOut{As: in.As, URL: call.Tab.URL(), Offset: from, FramesUnplaced: unplaced}
		if in.As == "text" {
			err = h.text(ctx, panes, in, &out)
		} else {
			out.As = "components"
			err = h.components(ctx, panes, in, &out)
		}
		if err != nil {
			return ObserveOut{}, err
		}
		if in.Sealed {
			if err := v.sealedComponents(ctx, call, &out); err != nil {
				return ObserveOut{}, err
			}
		}
		out.Changed = in.Cursor != "" && total != out.Total
		out.Chars = utf8.RuneCountInString(out.Text)
		out.Hint = out.hint(in)
		return out, nil
	})
}

// regionPanes are the frames to look for a region in: the one that a mark lies in, or the main document.
func (h *hand) regionPanes(panes []*pane, region string) ([]*pane, error) {
	mark, err := strconv.Atoi(region)
	if err != nil {
		return panes[:1], nil
	}
	return h.paneOf(panes, mark)
}

// paneOf finds the frame of a mark among the frames that can be read.
func (h *hand) paneOf(panes []*pane, mark int) ([]*pane, error) {
	frame, ok := h.state.owner(mark)
	if !ok {
		return nil, &verb.Error{
			Code: verb.StaleRef, Message: fmt.Sprintf("No element of this tab has the mark %d.", mark),
			Hint: "Observe or find first, and use a mark of that reply.",
		}
	}
	for i, p := range panes {
		if p.frame.ID == frame {
			return panes[i : i+1], nil
		}
	}
	return nil, &verb.Error{
		Code: verb.StaleRef, Message: fmt.Sprintf("The frame of the element with mark %d is gone.", mark),
		Hint: "Observe or find again, and use the new mark.",
	}
}

// scanned is what one frame answers to components.
type scanned struct {
	Text            string      `json:"text"`
	Rows            []Component `json:"rows"`
	Total           int         `json:"total"`
	Offscreen       int         `json:"offscreen"`
	Elements        int         `json:"elements"`
	ShadowRoots     int         `json:"shadow_roots"`
	SealedSuspected int         `json:"sealed_suspected"`
	Busy            bool        `json:"busy"`
	BehindModal     int         `json:"behind_modal"`
}

// components reads one page of components over the frames in turn.
func (h *hand) components(ctx context.Context, panes []*pane, in ObserveIn, out *ObserveOut) error {
	budget := componentsBudget
	if in.Budget != nil {
		budget = *in.Budget
	}
	var text strings.Builder
	skip := out.Offset
	for _, p := range panes {
		ask := args{"from": skip, "budget": budget, "offscreen": in.IncludeOffscreen, "first": len(out.Rows) == 0}
		if budget > 0 {
			if ask["budget"] = budget - text.Len(); text.Len() >= budget {
				ask["budget"] = -1 // Only the counts.
			}
		}
		if out.Truncated {
			ask["budget"] = -1
		}
		if p.view != nil {
			ask["view"] = p.view
		}
		if in.Region != "" {
			ask["region"] = in.Region
		}
		var got scanned
		if err := h.mark(ctx, p.frame, "components", ask, &got); err != nil {
			if p.parent != nil && ctx.Err() == nil && !isRefusal(err) {
				out.FramesUnplaced++ // It left or was replaced meanwhile.
				continue
			}
			return err
		}
		if len(got.Rows) > 0 {
			if text.Len() > 0 {
				text.WriteByte('\n')
			}
			if p.parent != nil {
				fmt.Fprintf(&text, "## frame %s\n", frameTitle(p))
			}
			text.WriteString(got.Text)
		}
		for i := range got.Rows {
			got.Rows[i].Frame = p.id()
		}
		out.Rows = append(out.Rows, got.Rows...)
		out.Total += got.Total
		out.Truncated = out.Truncated || max(got.Total-skip, 0) > len(got.Rows)
		skip = max(skip-got.Total, 0)
		out.count(got)
	}
	out.Text = text.String()
	if out.Truncated {
		out.NextCursor = cursor(out.Offset+len(out.Rows), out.Total)
	}
	return nil
}

func (o *ObserveOut) count(s scanned) {
	o.Offscreen += s.Offscreen
	o.Elements += s.Elements
	o.ShadowRoots += s.ShadowRoots
	o.SealedSuspected += s.SealedSuspected
	o.BehindModal += s.BehindModal
	o.Busy = o.Busy || s.Busy
}

// text reads the painted text of all frames and cuts the asked part out of it.
func (h *hand) text(ctx context.Context, panes []*pane, in ObserveIn, out *ObserveOut) error {
	var all strings.Builder
	for _, p := range panes {
		ask := args{}
		if in.Region != "" {
			ask["region"] = in.Region
		}
		var got scanned
		if err := h.run(ctx, p.frame, "text", ask, &got); err != nil {
			if p.parent != nil && ctx.Err() == nil && !isRefusal(err) {
				out.FramesUnplaced++
				continue
			}
			return err
		}
		if p.parent != nil && got.Text != "" {
			fmt.Fprintf(&all, "\n\n## frame %s\n", frameTitle(p))
		}
		all.WriteString(got.Text)
		out.count(got)
	}
	budget := mostText
	if in.Budget != nil && *in.Budget > 0 {
		budget = *in.Budget
	} else if in.Budget != nil {
		budget = all.Len()
	}
	runes := []rune(all.String())
	begin := min(out.Offset, len(runes))
	end := min(begin+budget, len(runes))
	out.Text, out.Total, out.PageChars = string(runes[begin:end]), len(runes), len(runes)
	if end < len(runes) {
		out.Truncated, out.NextCursor = true, cursor(end, len(runes))
	}
	return nil
}

// sealedComponents adds the controls that closed roots keep, apart from the rest and without marks.
func (v *verbs) sealedComponents(ctx context.Context, call *verb.Call, out *ObserveOut) error {
	found, err := v.readSealed(ctx, call, shadowwalk.Query{})
	if err != nil {
		return err
	}
	out.Sealed = found.Controls
	if out.As != "components" || len(found.Controls) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString(out.Text)
	b.WriteString("\n# sealed (closed shadow roots; act on x and y)")
	for _, c := range found.Controls {
		fmt.Fprintf(&b, "\n%s %q @ %.0f,%.0f", c.Role, c.Name, c.Rect.X+c.Rect.W/2, c.Rect.Y+c.Rect.H/2)
		if c.Disabled {
			b.WriteString(" disabled")
		}
		for _, action := range c.Actions {
			b.WriteString(" {" + action + "}")
		}
	}
	out.Text = strings.TrimPrefix(b.String(), "\n")
	return nil
}

func (o *ObserveOut) hint(in ObserveIn) string {
	var hints []string
	if o.Truncated {
		hints = append(hints, "Read on with cursor "+strconv.Quote(o.NextCursor)+".")
	}
	if o.Offscreen > 0 && !in.IncludeOffscreen && o.As == "components" {
		hints = append(hints, fmt.Sprintf("include_offscreen:true also lists what is outside the viewport: %d more.", o.Offscreen))
	}
	if o.SealedSuspected > 0 && !in.Sealed {
		hints = append(hints, "Something may be inside a closed shadow root: find with sealed:true lists its controls.")
	}
	if o.Busy {
		hints = append(hints, "The page is still loading; wait_for what you need.")
	}
	return strings.Join(hints, " ")
}

// frameTitle names a frame in the text by its name and address.
func frameTitle(p *pane) string {
	if p.name == "" {
		return p.frame.URL
	}
	return strconv.Quote(p.name) + " " + p.frame.URL
}
