package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	proto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"kuang/backend/cdp"
)

// maxSide is the longest side of a picture in device pixels: beyond it Chromium's textures repeat what they show.
const maxSide = 16384

// Rect is in CSS pixels of the top viewport.
type Rect struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"w"`
	H float64 `json:"h"`
}

// Viewport is the visible part of the top document, in CSS pixels.
type Viewport struct {
	Width   int     `json:"width"`
	Height  int     `json:"height"`
	DPR     float64 `json:"dpr"` // device pixels in a CSS pixel
	ScrollX float64 `json:"scroll_x"`
	ScrollY float64 `json:"scroll_y"`
}

// NoViewportError is a tab whose viewport is 0×0: it has no layout, so nothing can be pressed or pictured.
type NoViewportError struct{ TabID string }

// Error satisfies the error interface.
func (e *NoViewportError) Error() string {
	return "the viewport of tab " + e.TabID + " is 0×0; show the browser window"
}

// Viewport measures the top document. It fails with a *NoViewportError when there is nothing to see.
func (t *Tab) Viewport(ctx context.Context) (Viewport, error) {
	frame, err := t.MainFrame(ctx)
	if err != nil {
		return Viewport{}, err
	}
	e, err := t.Evaluate(ctx, frame, false,
		"({width: innerWidth, height: innerHeight, dpr: devicePixelRatio, scroll_x: scrollX, scroll_y: scrollY})")
	if err != nil {
		return Viewport{}, fmt.Errorf("measuring the viewport: %w", err)
	}
	var v Viewport
	if err := json.Unmarshal(e.Value, &v); err != nil {
		return Viewport{}, fmt.Errorf("measuring the viewport: %w", err)
	}
	if v.Width <= 0 || v.Height <= 0 {
		return Viewport{}, &NoViewportError{t.id}
	}
	return v, nil
}

// ScreenshotOptions choose format and part.
type ScreenshotOptions struct {
	Format   string // png (default), jpeg or webp
	Quality  int    // 1 to 100 for jpeg and webp; 0 is Chromium's default
	FullPage bool   // the whole document instead of its visible part
	Clip     *Rect  // in CSS pixels of the top viewport; wins over FullPage
}

// Screenshot pictures the tab and says which part of it the picture shows, in CSS pixels of the top viewport. A
// document longer than a picture can be is cut at its end. Parts outside the viewport make Chromium lay the page out
// larger for a moment, which the page can notice; a picture of the viewport does not.
func (t *Tab) Screenshot(ctx context.Context, o ScreenshotOptions) ([]byte, Rect, error) {
	view, err := t.Viewport(ctx)
	if err != nil {
		return nil, Rect{}, err
	}
	params := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormat(o.Format)}
	if o.Quality > 0 && o.Format != "" && o.Format != "png" {
		params.Quality = new(int64(o.Quality))
	}
	visible := Rect{W: float64(view.Width), H: float64(view.Height)}
	shown := visible
	switch {
	case o.Clip != nil:
		shown = *o.Clip
	case o.FullPage:
		m, err := cdp.Call(ctx, t.session, page.GetLayoutMetrics, proto.Empty{})
		if err != nil {
			return nil, Rect{}, fmt.Errorf("measuring the page: %w", t.fault(err))
		}
		shown = Rect{X: -view.ScrollX, Y: -view.ScrollY, W: m.CSSContentSize.Width, H: m.CSSContentSize.Height}
	}
	if shown.W <= 0 || shown.H <= 0 {
		return nil, Rect{}, fmt.Errorf("picturing tab %s: the part is empty", t.id)
	}
	if shown != visible {
		side := maxSide / max(view.DPR, 1)
		shown.W, shown.H = min(shown.W, side), min(shown.H, side)
		params.Clip = &page.Viewport{X: shown.X + view.ScrollX, Y: shown.Y + view.ScrollY, Width: shown.W, Height: shown.H, Scale: 1}
		params.CaptureBeyondViewport = new(!visible.holds(shown))
	}
	data, err := t.capture(ctx, params)
	if err != nil {
		return nil, Rect{}, fmt.Errorf("picturing tab %s: %w", t.id, t.fault(err))
	}
	return data, shown, nil
}

// capture takes the picture, one at a time a tab, under a screencast that nobody watches. Chromium takes a picture when
// the frame that it draws for it has been shown, or has been replaced by a newer one. The frame of a tab behind another
// is never shown and a page at rest draws no newer one: without the screencast, which counts as showing, every second
// picture of such a tab never comes (seen on Chromium 156, with a window and without). The page notices nothing.
func (t *Tab) capture(ctx context.Context, params page.CaptureScreenshotParams) ([]byte, error) {
	if err := t.pictures.enter(ctx, t.closed); err != nil {
		return nil, err
	}
	defer t.pictures.leave()
	if err := t.usable(); err != nil {
		return nil, err
	}
	_, err := cdp.Call(ctx, t.session, page.StartScreencast, page.StartScreencastParams{
		Format: page.StartScreencastFormatJpeg, Quality: new(int64(1)), MaxWidth: 1, MaxHeight: 1,
		EveryNthFrame: 1000, // Its own frames are of no use.
	})
	if err != nil && !errors.As(err, new(*cdp.Error)) {
		return nil, err
	}
	if err == nil { // Refused means that one is running already, which serves as well.
		defer func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
			defer cancel()
			if _, err := cdp.Call(ctx, t.session, page.StopScreencast, proto.Empty{}); err != nil {
				t.browser.log.Debug("ending a picture", "tab", t.id, "error", err)
			}
		}()
	}
	r, err := cdp.Call(ctx, t.session, page.CaptureScreenshot, params)
	return r.Data, err
}

func (r Rect) holds(o Rect) bool {
	return o.X >= r.X && o.Y >= r.Y && o.X+o.W <= r.X+r.W && o.Y+o.H <= r.Y+r.H
}
