package page

import (
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"kuang/backend/browser"
	"kuang/backend/ledger"
	"kuang/backend/verb"
)

// mostValue bounds the value that one reply carries, in characters of JSON.
const mostValue = 100_000

// EvaluateIn is script to run.
type EvaluateIn struct {
	Expression string `json:"expression" jsonschema:"JavaScript expression; its value, or what its promise resolves to, is the answer. Top-level await works."`
	World      string `json:"world,omitempty" enum:"main,isolated" jsonschema:"main runs as the page's own script; isolated sees the same document but not the page's variables, and the page sees nothing of it. Default main."`
	Frame      string `json:"frame,omitempty" jsonschema:"Id of a child frame, as rows of observe and find give it. Default: the main frame."`
}

// EvaluateOut is how it ended.
type EvaluateOut struct {
	// Value is any JSON; it is the text of the JSON when it was cut.
	Value     any    `json:"value" jsonschema:"The value as JSON; null when there is none. A value that was cut is the beginning of its JSON, as text."`
	Type      string `json:"type,omitempty" jsonschema:"typeof the value, null, or an object's class."`
	Exception string `json:"exception,omitempty" jsonschema:"What was thrown, when something was."`
	Chars     int    `json:"chars" jsonschema:"Characters of JSON in value."`
	Truncated bool   `json:"truncated,omitempty" jsonschema:"The value was longer than a reply carries; return less, for example a slice."`
	Total     int    `json:"total,omitempty" jsonschema:"Characters of the whole JSON, when it was cut."`

	url string
}

func (v *verbs) evaluate() verb.Definition {
	return verb.Define(verb.Definition{
		Name: "evaluate_javascript", Title: "Run script", Domain: "interact.evaluate_javascript",
		Summary: "Run JavaScript in the page.",
		Description: "Use it deliberately, when no other verb does the job: the page can notice what it does in the main world, " +
			"and its events are not trusted. An exception is a result, not a failure. Marks mean nothing in it.",
		Effect: verb.Act, Target: verb.OwnTab, Tier: 3, Untrusted: true,
		Sentence: func(in, out any) string {
			i, _ := in.(EvaluateIn)
			o, ok := out.(EvaluateOut)
			if !ok {
				return ""
			}
			return "Ran script " + ledger.Quote(i.Expression) + " on " + site(o.url)
		},
	}, func(ctx context.Context, call *verb.Call, in EvaluateIn) (EvaluateOut, error) {
		frame, err := frameOf(ctx, call.Tab, in.Frame)
		if err != nil {
			return EvaluateOut{}, err
		}
		defer v.acted.now()
		e, err := call.Tab.Evaluate(ctx, frame, in.World != "isolated", in.Expression)
		if err != nil {
			return EvaluateOut{}, err
		}
		out := EvaluateOut{Type: e.Type, Exception: e.Exception, Chars: utf8.RuneCount(e.Value), url: frame.URL}
		if out.Chars > mostValue {
			out.Total, out.Truncated, out.Chars = out.Chars, true, mostValue
			out.Value = string([]rune(string(e.Value))[:mostValue])
			return out, nil
		}
		if len(e.Value) > 0 {
			out.Value = json.RawMessage(e.Value)
		}
		return out, nil
	})
}

// frameOf finds a frame by the id that replies give; empty is the main frame.
func frameOf(ctx context.Context, tab *browser.Tab, id string) (browser.Frame, error) {
	if id == "" {
		return tab.MainFrame(ctx)
	}
	frames, err := tab.Frames(ctx)
	if err != nil {
		return browser.Frame{}, err
	}
	for _, f := range frames {
		if string(f.ID) == id {
			return f, nil
		}
	}
	return browser.Frame{}, &verb.Error{
		Code: verb.NoTarget, Message: fmt.Sprintf("The tab has no frame %s.", quoted(id)), Hint: "Use the frame id of a row of observe or find.",
	}
}
