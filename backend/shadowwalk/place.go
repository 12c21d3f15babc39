package shadowwalk

import (
	"context"
	"errors"

	proto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"

	"kuang/backend/browser"
	"kuang/backend/cdp"
)

// place is where a control is.
type place struct {
	rect       browser.Rect
	inViewport bool
}

func (p place) empty() bool { return p.rect.W <= 0 || p.rect.H <= 0 }

// quad is four corners, x and y by turns.
type quad []float64

// bounds is the upright box around the corners.
func (q quad) bounds() browser.Rect {
	if len(q) < 8 {
		return browser.Rect{}
	}
	left, top, right, bottom := q[0], q[1], q[0], q[1]
	for i := 2; i+1 < len(q); i += 2 {
		left, right = min(left, q[i]), max(right, q[i])
		top, bottom = min(top, q[i+1]), max(bottom, q[i+1])
	}
	return browser.Rect{X: left, Y: top, W: right - left, H: bottom - top}
}

// boxModel is the part of a box model that is used.
type boxModel struct{ content, border quad }

// UnmarshalJSON takes both forms of the answer: the protocol wraps the model, and some builds of Chromium send it bare.
func (b *boxModel) UnmarshalJSON(raw []byte) error {
	type model struct {
		Content quad `json:"content"`
		Border  quad `json:"border"`
	}
	var v struct {
		model
		Model model `json:"model"`
	}
	*b = boxModel{}
	if err := jsonv2.Unmarshal(raw, &v, decoding); err != nil {
		return err
	}
	if v.Model.Border == nil {
		v.Model = v.model
	}
	b.content, b.border = v.Model.Content, v.Model.Border
	return nil
}

var getBoxModel = proto.Command[dom.GetBoxModelParams, boxModel]{Method: dom.CommandGetBoxModel}

// measure returns the places of the controls. Chromium gives every box in the viewport of the process's topmost frame,
// scrolling, borders and transforms of the frames in between included, so that nothing needs to be composed within one
// process.
func (s *scan) measure(ctx context.Context, controls []control) ([]place, error) {
	view, err := s.viewport(ctx)
	if err != nil {
		return nil, err
	}
	var owners []proto.BackendNodeID
	at := map[proto.BackendNodeID]int{}
	for _, c := range controls {
		for _, o := range c.owners {
			if _, known := at[o]; !known {
				at[o] = len(owners)
				owners = append(owners, o)
			}
		}
	}
	boxes := make([]boxModel, len(controls)+len(owners))
	err = each(ctx, len(boxes), func(ctx context.Context, i int) error {
		id := proto.BackendNodeID(0)
		if i < len(controls) {
			id = controls[i].ax.Backend
		} else {
			id = owners[i-len(controls)]
		}
		b, err := cdp.Call(ctx, s.session, getBoxModel, dom.GetBoxModelParams{BackendNodeID: id})
		if refused(err) { // No box: not laid out, or gone.
			return nil
		}
		boxes[i] = b
		return err
	})
	if err != nil {
		return nil, err
	}
	places := make([]place, len(controls))
	for i, c := range controls {
		p := place{rect: boxes[i].border.bounds()}
		p.inViewport = !p.empty() && holdsMiddle(view, p.rect)
		for _, o := range c.owners {
			p.inViewport = p.inViewport && holdsMiddle(boxes[len(controls)+at[o]].content.bounds(), p.rect)
		}
		places[i] = p
	}
	return places, nil
}

// viewport is the top viewport; one of no size for a tab that has none.
func (s *scan) viewport(ctx context.Context) (browser.Rect, error) {
	v, err := s.page.Viewport(ctx)
	if errors.As(err, new(*browser.NoViewportError)) {
		return browser.Rect{}, nil
	}
	return browser.Rect{W: float64(v.Width), H: float64(v.Height)}, err
}

// holdsMiddle reports whether the middle of inner is in outer.
func holdsMiddle(outer, inner browser.Rect) bool {
	x, y := inner.X+inner.W/2, inner.Y+inner.H/2
	return x >= outer.X && x < outer.X+outer.W && y >= outer.Y && y < outer.Y+outer.H
}
