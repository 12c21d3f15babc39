package browser_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg"
	_ "image/png"
	"testing"
	"time"

	"kuang/backend/browser"
	"kuang/backend/browser/browsertest"
)

func TestScreenshot(t *testing.T) {
	// Four colour fields, 400 px high each, so that a pixel tells where a picture was taken.
	ip, _ := browsertest.Serve(t, map[string]string{"/": `<!doctype html><style>body { margin: 0 } div { height: 1000px }</style>
		<div style="background: rgb(200,0,0)"></div><div style="background: rgb(0,200,0)"></div>
		<div style="background: rgb(0,0,200)"></div>
		<script>var resized = 0; addEventListener('resize', () => resized++)</script>`})
	tab := browsertest.Open(t, ip+"/")
	ctx := t.Context()
	view, err := tab.Viewport(ctx)
	if err != nil || view.Width < 800 || view.Height < 500 || view.DPR <= 0 {
		t.Fatalf("got %+v, %v", view, err)
	}
	t.Logf("the viewport is %+v", view)
	w, h := float64(view.Width), float64(view.Height)
	red, green, blue := color.RGBA{200, 0, 0, 255}, color.RGBA{0, 200, 0, 255}, color.RGBA{0, 0, 200, 255}
	cases := []struct {
		name    string
		scroll  int
		options browser.ScreenshotOptions
		want    browser.Rect
		top     color.RGBA
		bottom  color.RGBA
	}{
		{"the viewport", 0, browser.ScreenshotOptions{}, browser.Rect{W: w, H: h}, red, red},
		{"the viewport, scrolled", 1000, browser.ScreenshotOptions{}, browser.Rect{W: w, H: h}, green, green},
		{"a part, scrolled", 1000, browser.ScreenshotOptions{Clip: &browser.Rect{X: 10, Y: 20, W: 30, H: 40}}, browser.Rect{X: 10, Y: 20, W: 30, H: 40}, green, green},
		{"a part above and below", 1000, browser.ScreenshotOptions{Clip: &browser.Rect{X: 0, Y: -10, W: 50, H: 1020}}, browser.Rect{X: 0, Y: -10, W: 50, H: 1020}, red, blue},
		{"the whole page, scrolled", 1000, browser.ScreenshotOptions{FullPage: true}, browser.Rect{Y: -1000, W: w, H: 3000}, red, blue},
		{"jpeg", 0, browser.ScreenshotOptions{Format: "jpeg", Quality: 90}, browser.Rect{W: w, H: h}, red, red},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			browsertest.Eval(t, tab, fmt.Sprintf("scrollTo(0, %d); resized = 0", tc.scroll))
			began := time.Now()
			data, rect, err := tab.Screenshot(ctx, tc.options)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d bytes in %d ms", len(data), time.Since(began).Milliseconds())
			pic, format, err := image.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if want := tc.options.Format; want != "" && format != want {
				t.Errorf("the format is %s", format)
			}
			// A page with a scrollbar is a little narrower than the viewport.
			if rect.X != tc.want.X || rect.Y != tc.want.Y || rect.H != tc.want.H || rect.W > tc.want.W || rect.W < tc.want.W-20 {
				t.Errorf("the rect is %+v, want %+v", rect, tc.want)
			}
			b := pic.Bounds()
			if float64(b.Dx()) != rect.W*view.DPR || float64(b.Dy()) != rect.H*view.DPR {
				t.Errorf("the picture is %v for %+v", b, rect)
			}
			for name, at := range map[string]struct {
				y    int
				want color.RGBA
			}{"top": {1, tc.top}, "bottom": {b.Dy() - 2, tc.bottom}} {
				r, g, bl, _ := pic.At(5, at.y).RGBA()
				if near(r, at.want.R) && near(g, at.want.G) && near(bl, at.want.B) {
					continue
				}
				t.Errorf("%s is %d %d %d", name, r>>8, g>>8, bl>>8)
			}
			if got := browsertest.Eval(t, tab, "scrollY"); got != fmt.Sprint(tc.scroll) {
				t.Errorf("it left the page at %s", got)
			}
			if tc.options.Clip == nil && !tc.options.FullPage {
				if got := browsertest.Eval(t, tab, "resized"); got != "0" {
					t.Errorf("the page was resized %s times", got)
				}
			}
		})
	}
	if _, _, err := tab.Screenshot(ctx, browser.ScreenshotOptions{Clip: &browser.Rect{}}); err == nil {
		t.Error("an empty part was pictured")
	}
}

func near(got uint32, want uint8) bool {
	d := int(got>>8) - int(want)
	return d > -12 && d < 12
}

func TestScreenshotOfABackgroundTab(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{"/": `<body style="background: rgb(0,200,0)">`, "/b": `b`})
	covered := browsertest.Open(t, ip+"/")
	front := browsertest.Open(t, ip+"/b")
	if err := front.Activate(t.Context()); err != nil {
		t.Fatal(err)
	}
	never, err := browsertest.Browser(t).Open(t.Context(), browser.OpenOptions{URL: ip + "/", Background: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { never.Close(context.Background()) })
	for name, tab := range map[string]*browser.Tab{"covered": covered, "never shown": never} {
		// Several in a row: a page at rest draws nothing by itself between them.
		for i, want := range []string{"rgb(0,200,0)", "rgb(0,200,0)", "rgb(0,0,200)", "rgb(0,0,200)", "rgb(0,0,200)"} {
			browsertest.Eval(t, tab, "document.body.style.background = '"+want+"'")
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			o := browser.ScreenshotOptions{}
			if i == 4 {
				o.Clip = &browser.Rect{X: 10, Y: 10, W: 100, H: 100}
			}
			data, _, err := tab.Screenshot(ctx, o)
			if err != nil {
				t.Fatalf("%s, picture %d: %v", name, i, err)
			}
			pic, _, err := image.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			_, g, b, _ := pic.At(50, 50).RGBA()
			if got := fmt.Sprintf("rgb(0,%d,%d)", g>>8, b>>8); got != want {
				t.Errorf("%s, picture %d shows %s, want %s", name, i, got, want)
			}
		}
	}
}
