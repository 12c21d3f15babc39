package page

import (
	"context"
	"math"

	proto "github.com/chromedp/cdproto/cdp"

	"kuang/backend/browser"
	"kuang/backend/verb"
)

// pane is a frame that can be read, and where it lies. Places are in CSS pixels of the top viewport.
type pane struct {
	frame  browser.Frame
	parent *pane
	name   string // of the frame element
	slot   int    // the number of the frame element in its parent
	// x, y, sx and sy map a point of this frame's viewport to the top one.
	x, y, sx, sy float64
	// view is the part of this frame's viewport that shows; nil for the main frame, which shows whole.
	view *browser.Rect
}

// place is where a frame element's content box lies in its parent's viewport.
type place struct {
	Slot   int     `json:"slot"`
	Index  int     `json:"index"`
	Name   string  `json:"name"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	W      float64 `json:"w"`
	H      float64 `json:"h"`
	ScaleX float64 `json:"scale_x"`
	ScaleY float64 `json:"scale_y"`
	Shown  bool    `json:"shown"`
}

// children are the places of a document's child frames, and the document's viewport.
type children struct {
	W    float64 `json:"w"`
	H    float64 `json:"h"`
	List []place `json:"list"`
}

// placement is what a child frame knows of its own place.
type placement struct {
	Index     int    `json:"index"`
	Foreign   bool   `json:"foreign"`
	Sealed    bool   `json:"sealed"`
	Unreached bool   `json:"unreached"`
	Place     *place `json:"place"`
}

// panes lists the frames that can be read, the main frame first and each before its children. Unplaced counts those
// whose place on the page is not known, so that they are not read: frames inside closed roots, frames that went away
// meanwhile, and what is inside such frames.
func (h *hand) panes(ctx context.Context) (list []*pane, unplaced int, err error) {
	frames, err := h.tab.Frames(ctx)
	if err != nil {
		return nil, 0, err
	}
	top := &pane{frame: frames[0], sx: 1, sy: 1}
	list = []*pane{top}
	if len(frames) == 1 {
		return list, 0, nil
	}
	byParent := map[proto.FrameID][]browser.Frame{}
	for _, f := range frames[1:] {
		byParent[f.ParentID] = append(byParent[f.ParentID], f)
	}
	hidden := 0
	// The list grows while it is walked, a frame's children behind it.
	for i := 0; i < len(list); i++ {
		kids := byParent[list[i].frame.ID]
		if len(kids) == 0 {
			continue
		}
		found, out, err := h.place(ctx, list[i], kids)
		if err != nil {
			if gone(err) {
				continue
			}
			return nil, 0, err
		}
		for _, f := range out {
			hidden += 1 + count(byParent, f.ID)
		}
		list = append(list, found...)
	}
	return list, len(frames) - len(list) - hidden, nil
}

// count is the number of frames below one.
func count(byParent map[proto.FrameID][]browser.Frame, id proto.FrameID) int {
	n := 0
	for _, f := range byParent[id] {
		n += 1 + count(byParent, f.ID)
	}
	return n
}

// place finds the places of a frame's children; hidden are those that the page does not show.
func (h *hand) place(ctx context.Context, parent *pane, kids []browser.Frame) (found []*pane, hidden []browser.Frame, err error) {
	var around children
	if err := h.run(ctx, parent.frame, "frames", nil, &around); err != nil {
		return nil, nil, err
	}
	view := browser.Rect{W: around.W, H: around.H}
	if parent.view != nil {
		view = *parent.view
	}
	var lost []browser.Frame
	taken := make([]bool, len(around.List))
	settle := func(f browser.Frame, p place) {
		taken[p.Slot] = true
		if !p.Shown {
			hidden = append(hidden, f)
			return
		}
		found = append(found, parent.child(f, p, view))
	}
	for _, f := range kids {
		var self placement
		if err := h.run(ctx, f, "frameSelf", nil, &self); err != nil {
			if ctx.Err() != nil {
				return nil, nil, err
			}
			continue // It left, or is loading: it is not placed.
		}
		switch p, ok := self.in(around.List); {
		case self.Sealed || self.Unreached:
		case ok:
			settle(f, p)
		case self.Foreign:
			lost = append(lost, f)
		}
	}
	// A foreign frame in an open root has no number; when one frame and one element are left, they belong together.
	var free []place
	for i, p := range around.List {
		if !taken[i] && p.Index < 0 {
			free = append(free, p)
		}
	}
	if len(lost) == 1 && len(free) == 1 {
		settle(lost[0], free[0])
	}
	return found, hidden, nil
}

// in finds the element of the child among its parent's.
func (p placement) in(list []place) (place, bool) {
	for _, at := range list {
		if p.Index >= 0 && at.Index == p.Index {
			return at, true
		}
		if p.Index < 0 && p.Place != nil && at.Index < 0 && near(at.X, p.Place.X) && near(at.Y, p.Place.Y) && near(at.W, p.Place.W) && near(at.H, p.Place.H) {
			return at, true
		}
	}
	return place{}, false
}

func near(a, b float64) bool { return math.Abs(a-b) < 0.01 }

// child is the pane of a frame at a place in this one; view is the part of this one that shows.
func (p *pane) child(f browser.Frame, at place, view browser.Rect) *pane {
	left, up := max(at.X, view.X), max(at.Y, view.Y)
	right, down := min(at.X+at.W, view.X+view.W), min(at.Y+at.H, view.Y+view.H)
	return &pane{
		frame: f, parent: p, name: at.Name, slot: at.Slot,
		x: p.x + at.X*p.sx, y: p.y + at.Y*p.sy, sx: p.sx * at.ScaleX, sy: p.sy * at.ScaleY,
		view: &browser.Rect{
			X: (left - at.X) / at.ScaleX, Y: (up - at.Y) / at.ScaleY,
			W: max(right-left, 0) / at.ScaleX, H: max(down-up, 0) / at.ScaleY,
		},
	}
}

// rect takes a box of this frame to the top viewport.
func (p *pane) rect(r browser.Rect) browser.Rect {
	return browser.Rect{X: round(p.x + r.X*p.sx), Y: round(p.y + r.Y*p.sy), W: round(r.W * p.sx), H: round(r.H * p.sy)}
}

// round keeps a hundredth of a pixel.
func round(n float64) float64 { return math.Round(n*100) / 100 }

// id is how replies name the frame: empty for the main one.
func (p *pane) id() string {
	if p.parent == nil {
		return ""
	}
	return string(p.frame.ID)
}

// reach takes a point of a frame to the top viewport as its ancestors lie now, and refuses when something in one of
// them covers it there. With scroll, ancestors are scrolled where the point is outside.
func (h *hand) reach(ctx context.Context, p *pane, x, y float64, scroll bool) (float64, float64, error) {
	for ; p.parent != nil; p = p.parent {
		var through struct {
			X         float64 `json:"x"`
			Y         float64 `json:"y"`
			Reached   bool    `json:"reached"`
			CoveredBy string  `json:"covered_by"`
		}
		if err := h.run(ctx, p.parent.frame, "throughFrame", args{"slot": p.slot, "x": x, "y": y, "scroll": scroll}, &through); err != nil {
			return 0, 0, err
		}
		if !through.Reached {
			e := &verb.Error{
				Code: verb.NotClickable, Message: "The target's frame does not show the target.", Hint: "Scroll it into view first.",
				Evidence: map[string]any{"reason": "out of view"},
			}
			if through.CoveredBy != "" {
				e.Message, e.Hint = "The target's frame is covered by "+through.CoveredBy+".", "Close or move what covers it, then try again."
				e.Evidence = map[string]any{"reason": "covered", "covered_by": through.CoveredBy}
			}
			return 0, 0, e
		}
		x, y = through.X, through.Y
	}
	return x, y, nil
}
