package page

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	_ "image/jpeg" // the formats whose size is read back from the picture
	_ "image/png"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"kuang/backend/browser"
	"kuang/backend/verb"
)

// ScreenshotIn says what to picture.
type ScreenshotIn struct {
	Ref      int    `json:"ref,omitempty" min:"1" jsonschema:"Mark of an element: only its box is pictured. Default: the viewport."`
	FullPage bool   `json:"full_page,omitempty" jsonschema:"Picture the whole document; the page may notice the change of size. Default false."`
	Format   string `json:"format,omitempty" enum:"png,jpeg,webp" jsonschema:"Default png."`
	Quality  int    `json:"quality,omitempty" min:"1" max:"100" jsonschema:"For jpeg and webp. Default 80."`
}

// ScreenshotOut is the picture and where it is kept.
type ScreenshotOut struct {
	Path   string       `json:"path" jsonschema:"The file, on the machine that Kuang runs on."`
	Format string       `json:"format"`
	Width  int          `json:"width" jsonschema:"In pixels of the picture."`
	Height int          `json:"height" jsonschema:"In pixels of the picture."`
	Bytes  int          `json:"bytes"`
	Rect   browser.Rect `json:"rect" jsonschema:"What it shows, in CSS pixels of the top viewport."`

	picture verb.Image
}

// Picture is the picture for surfaces that can carry one.
func (o ScreenshotOut) Picture() *verb.Image { return &o.picture }

func (v *verbs) screenshot() verb.Definition {
	return verb.Define(verb.Definition{
		Name: "screenshot", Title: "Take a picture", Domain: "inspect.screenshot", Aliases: []string{"take_screenshot"},
		Summary: "Picture the viewport, an element or the whole page.",
		Description: "Use it when the look matters, or to find coordinates that no reading gives. rect maps the picture to " +
			"the x and y of act. The file is kept; over MCP the picture comes with the reply.",
		Effect: verb.Read, Target: verb.OwnTab, Tier: 2, Untrusted: true,
	}, func(ctx context.Context, call *verb.Call, in ScreenshotIn) (ScreenshotOut, error) {
		o := browser.ScreenshotOptions{Format: cmp.Or(in.Format, "png"), FullPage: in.FullPage}
		if o.Format != "png" {
			o.Quality = cmp.Or(in.Quality, 80)
		} else if in.Quality != 0 {
			return ScreenshotOut{}, &verb.Error{Code: verb.BadRequest, Message: "A png has no quality.", Hint: "Leave quality out, or use jpeg or webp."}
		}
		if in.Ref != 0 {
			if in.FullPage {
				return ScreenshotOut{}, &verb.Error{Code: verb.BadRequest, Message: "ref and full_page exclude each other.", Hint: "Give one of them."}
			}
			box, err := v.hand(call).box(ctx, in.Ref)
			if err != nil {
				return ScreenshotOut{}, err
			}
			o.Clip = &box
		}
		data, shown, err := call.Tab.Screenshot(ctx, o)
		if err != nil {
			return ScreenshotOut{}, err
		}
		out := ScreenshotOut{Format: o.Format, Bytes: len(data), Rect: shown, picture: verb.Image{MIME: "image/" + o.Format, Data: data}}
		out.Width, out.Height = pictureSize(data)
		out.Path, err = v.keep(call.Tab.ID(), o.Format, data)
		return out, err
	})
}

// box is where a marked element is now.
func (h *hand) box(ctx context.Context, mark int) (browser.Rect, error) {
	panes, _, err := h.panes(ctx)
	if err != nil {
		return browser.Rect{}, err
	}
	at, err := h.paneOf(panes, mark)
	if err != nil {
		return browser.Rect{}, err
	}
	var aimed aimed
	if err := h.run(ctx, at[0].frame, "aim", args{"mark": mark, "action": "hover", "dry": true}, &aimed); err != nil {
		return browser.Rect{}, err
	}
	if aimed.Target.Rect == nil {
		return browser.Rect{}, &verb.Error{
			Code: verb.NoTarget, Message: fmt.Sprintf("The element with mark %d has no size on the page.", mark), Hint: "Picture the viewport instead.",
		}
	}
	return at[0].rect(*aimed.Target.Rect), nil
}

// pictureSize reads the size of a picture from its header.
func pictureSize(data []byte) (width, height int) {
	if c, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil {
		return c.Width, c.Height
	}
	return webpSize(data)
}

// webpSize reads the size from the three kinds of WebP header, or 0 for anything else.
func webpSize(d []byte) (width, height int) {
	if len(d) < 30 || string(d[:4]) != "RIFF" || string(d[8:12]) != "WEBP" {
		return 0, 0
	}
	switch string(d[12:16]) {
	case "VP8 ": // lossy: 14 bits each, after the start code
		return int(d[26]) | int(d[27]&0x3f)<<8, int(d[28]) | int(d[29]&0x3f)<<8
	case "VP8L": // lossless: 14 bits each, less one
		bits := uint32(d[21]) | uint32(d[22])<<8 | uint32(d[23])<<16 | uint32(d[24])<<24
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
	case "VP8X": // extended: 24 bits each, less one
		return int(d[24]) | int(d[25])<<8 | int(d[26])<<16 + 1, int(d[27]) | int(d[28])<<8 | int(d[29])<<16 + 1
	}
	return 0, 0
}

// keep writes the picture whole to the folder of pictures.
func (v *verbs) keep(tab, format string, data []byte) (string, error) {
	if err := os.MkdirAll(v.Shots, 0o700); err != nil {
		return "", unkept(err)
	}
	ending := format
	if format == "jpeg" {
		ending = "jpg"
	}
	name := time.Now().UTC().Format("20060102-150405.000000") + "-" + tab + "." + ending
	path := filepath.Join(v.Shots, name)
	if err := renameio.WriteFile(path, data, 0o600); err != nil {
		return "", unkept(err)
	}
	return path, nil
}

// unkept is a picture that the disk did not take. It names what a person can mend, and no path but that of pictures.
func unkept(err error) error {
	return &verb.Error{
		Code: verb.Internal, Message: "The picture could not be kept: " + err.Error() + ".",
		Hint: "The person has to free space, or make the folder of pictures writable. The other verbs work without it.", Cause: err,
	}
}
