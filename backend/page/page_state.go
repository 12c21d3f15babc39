package page

import (
	"context"
	"fmt"
	"unicode/utf8"

	"kuang/backend/verb"
)

// PageStateIn is empty: the state is one thing.
type PageStateIn struct{}

// PageStateOut is the page in a few numbers.
type PageStateOut struct {
	URL         string   `json:"url"`
	Title       string   `json:"title"`
	ReadyState  string   `json:"ready_state" jsonschema:"loading, interactive or complete."`
	NodeCount   int      `json:"node_count" jsonschema:"Elements, through open shadow roots."`
	ShadowRoots int      `json:"shadow_roots" jsonschema:"Open shadow roots."`
	Frames      int      `json:"frames" jsonschema:"Child frames."`
	Width       int      `json:"width" jsonschema:"Width of the whole document in CSS pixels."`
	Height      int      `json:"height" jsonschema:"Height of the whole document in CSS pixels."`
	ScrollX     float64  `json:"scroll_x"`
	ScrollY     float64  `json:"scroll_y"`
	TextChars   int      `json:"text_chars" jsonschema:"Characters of painted text."`
	TextHash    string   `json:"text_hash" jsonschema:"Changes when the painted text does."`
	Marks       int      `json:"marks" jsonschema:"Marks whose elements are there."`
	Focus       string   `json:"focus,omitempty" jsonschema:"What has the focus."`
	Dialogs     []string `json:"dialogs,omitempty" jsonschema:"Dialogs that show on the page."`
	InFlight    int      `json:"in_flight" jsonschema:"Requests that are not answered yet."`
	Revision    int64    `json:"revision" jsonschema:"Rises with every change that was noticed."`
	Chars       int      `json:"chars" jsonschema:"Characters of page text in this reply."`
}

func (v *verbs) pageState() verb.Definition {
	return verb.Define(verb.Definition{
		Name: "page_state", Title: "State of the page", Domain: "inspect.page_state",
		Summary: "The page in a few numbers, to see whether it changed.",
		Description: "Cheaper than reading the page again: compare text_hash, node_count and revision with an earlier reply. " +
			"Its revision rises also when the page changed by itself.",
		Effect: verb.Read, Target: verb.OwnTab, Untrusted: true, Levers: []string{deepOpen},
	}, func(ctx context.Context, call *verb.Call, _ PageStateIn) (PageStateOut, error) {
		h := v.hand(call)
		frames, err := h.tab.Frames(ctx)
		if err != nil {
			return PageStateOut{}, err
		}
		var out PageStateOut
		if err := h.run(ctx, frames[0], "state", nil, &out); err != nil {
			return PageStateOut{}, err
		}
		out.Frames, out.InFlight = len(frames)-1, h.tab.Network().InFlight()
		out.Chars = utf8.RuneCountInString(out.Title) + utf8.RuneCountInString(out.Focus)
		signature := fmt.Sprint(frames[0].LoaderID, out.URL, out.NodeCount, out.Height, out.TextHash, out.Frames)
		out.Revision = h.tab.Revision()
		if h.state.differs(signature) {
			out.Revision = h.tab.Bump()
		}
		return out, nil
	})
}
