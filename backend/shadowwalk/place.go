package shadowwalk

import (
	"context"
	"errors"
	"slices"
	"strconv"

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
// with scrolling, borders and transforms of the frames in between, so that nothing is composed within one process. Only
// CSS zoom around a frame is not in it: a box comes in the zoomed pixels of its own frame.
func (s *scan) measure(ctx context.Context, controls []control) ([]place, error) {
	view, err := s.viewport(ctx)
	if err != nil {
		return nil, err
	}
	boxes := newBoxes(controls)
	var zoom map[proto.FrameID]float64
	err = together(ctx,
		func(ctx context.Context) error { return s.readBoxes(ctx, boxes) },
		func(ctx context.Context) (err error) {
			zoom, err = s.zooms(ctx, controls, view.DPR)
			return err
		},
	)
	if err != nil {
		return nil, err
	}
	places := make([]place, len(controls))
	for i, c := range controls {
		rect := scaled(boxes.of(c.ax.Backend).border.bounds(), zoom[c.frame])
		p := place{rect: rect}
		p.inViewport = !p.empty() && holdsMiddle(browser.Rect{W: float64(view.Width), H: float64(view.Height)}, rect)
		for _, o := range c.owners {
			p.inViewport = p.inViewport && holdsMiddle(scaled(boxes.of(o.backend).content.bounds(), zoom[o.frame]), rect)
		}
		places[i] = p
	}
	return places, nil
}

func (s *scan) readBoxes(ctx context.Context, boxes *boxes) error {
	return each(ctx, len(boxes.asked), func(ctx context.Context, i int) error {
		b, err := cdp.Call(ctx, s.session, getBoxModel, dom.GetBoxModelParams{BackendNodeID: boxes.asked[i]})
		if refused(err) { // No box: not laid out, or gone.
			return nil
		}
		boxes.got[i] = b
		return err
	})
}

// boxes are the box models of controls and of the frame elements around them, each asked for once.
type boxes struct {
	asked []proto.BackendNodeID
	got   []boxModel
	at    map[proto.BackendNodeID]int
}

func newBoxes(controls []control) *boxes {
	b := &boxes{at: map[proto.BackendNodeID]int{}}
	for _, c := range controls {
		b.ask(c.ax.Backend)
		for _, o := range c.owners {
			b.ask(o.backend)
		}
	}
	b.got = make([]boxModel, len(b.asked))
	return b
}

func (b *boxes) ask(id proto.BackendNodeID) {
	if _, known := b.at[id]; !known {
		b.at[id] = len(b.asked)
		b.asked = append(b.asked, id)
	}
}

func (b *boxes) of(id proto.BackendNodeID) boxModel { return b.got[b.at[id]] }

// zooms are how many CSS pixels of the top frame a pixel of each frame's boxes is. A frame's device pixel ratio is the
// top one's times the zoom of the elements around it.
func (s *scan) zooms(ctx context.Context, controls []control, top float64) (map[proto.FrameID]float64, error) {
	zoom := map[proto.FrameID]float64{s.main.ID: 1}
	var asked []proto.FrameID
	ask := func(id proto.FrameID) {
		if _, known := zoom[id]; !known {
			zoom[id] = 1
			asked = append(asked, id)
		}
	}
	for _, c := range controls {
		ask(c.frame)
		for _, o := range c.owners {
			ask(o.frame)
		}
	}
	if len(asked) == 0 {
		return zoom, nil
	}
	frames, err := s.page.Frames(ctx)
	if err != nil {
		return nil, err
	}
	got := make([]float64, len(asked))
	err = each(ctx, len(asked), func(ctx context.Context, i int) error {
		at := slices.IndexFunc(frames, func(f browser.Frame) bool { return f.ID == asked[i] })
		if at < 0 {
			return nil // gone, and its controls with it
		}
		e, err := s.page.Evaluate(ctx, frames[at], false, "devicePixelRatio")
		if refused(err) || errors.As(err, new(*browser.FrameGoneError)) {
			return nil
		}
		if err != nil {
			return err
		}
		got[i], err = strconv.ParseFloat(string(e.Value), 64)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, id := range asked {
		zoom[id] = got[i] / top // 0 for a frame that is gone: its controls have no place
	}
	return zoom, nil
}

func scaled(r browser.Rect, by float64) browser.Rect {
	return browser.Rect{X: r.X * by, Y: r.Y * by, W: r.W * by, H: r.H * by}
}

// viewport is the top viewport, asked for once; one of no size for a tab that has none.
func (s *scan) viewport(ctx context.Context) (browser.Viewport, error) {
	if s.view != nil {
		return *s.view, nil
	}
	v, err := s.page.Viewport(ctx)
	if errors.As(err, new(*browser.NoViewportError)) {
		v, err = browser.Viewport{DPR: 1}, nil
	}
	if err != nil {
		return browser.Viewport{}, err
	}
	s.view = &v
	return v, nil
}

// holdsMiddle reports whether the middle of inner is in outer.
func holdsMiddle(outer, inner browser.Rect) bool {
	x, y := inner.X+inner.W/2, inner.Y+inner.H/2
	return x >= outer.X && x < outer.X+outer.W && y >= outer.Y && y < outer.Y+outer.H
}
