package page

import (
	"context"

	"kuang/backend/browser"
	"kuang/backend/verb"
)

// HistoryIn says how to wait after a step through the history.
type HistoryIn struct{ Wait }

func (v *verbs) back() verb.Definition {
	return verb.Define(v.historyStep(verb.Definition{
		Name: "back", Title: "Go back", Domain: "page.back",
		Summary:     "Go one page back in the tab's history.",
		Description: "Goes back as the browser's button does. Without a page to go back to it fails and stays.",
	}, "Went back to ", "forward"), v.step(-1))
}

// historyStep completes the definition of back or forward.
func (v *verbs) historyStep(d verb.Definition, done, undo string) verb.Definition {
	d.Effect, d.Target, d.Untrusted = verb.Act, verb.OwnTab, true
	d.Sentence = func(_, out any) string {
		if o, ok := out.(NavigationOut); ok {
			return done + o.place()
		}
		return ""
	}
	d.Undo = func(_, out any) string {
		if _, ok := out.(NavigationOut); ok {
			return undo
		}
		return ""
	}
	return d
}

// step moves through the history.
func (v *verbs) step(delta int) func(context.Context, *verb.Call, HistoryIn) (NavigationOut, error) {
	return func(ctx context.Context, call *verb.Call, in HistoryIn) (NavigationOut, error) {
		defer v.acted.now()
		var n browser.Navigation
		n, err := call.Tab.History(ctx, delta, in.until(), in.timeout())
		if err != nil {
			return NavigationOut{}, err
		}
		return arrival(n), nil
	}
}
