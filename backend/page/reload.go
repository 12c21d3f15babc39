package page

import (
	"context"

	"kuang/backend/verb"
)

// ReloadIn says how to reload.
type ReloadIn struct {
	Hard bool `json:"hard,omitempty" jsonschema:"Fetch everything again, past the cache. Default false."`
	Wait
}

func (v *verbs) reload() verb.Definition {
	return verb.Define(verb.Definition{
		Name: "reload", Title: "Reload the page", Domain: "page.reload",
		Summary:     "Load the tab's page again.",
		Description: "Loads the page again; what was typed into it is lost, and all its marks are gone.",
		Effect:      verb.Act, Target: verb.OwnTab, Untrusted: true,
		Sentence: func(_, out any) string {
			if o, ok := out.(NavigationOut); ok {
				return "Reloaded " + o.place()
			}
			return ""
		},
	}, func(ctx context.Context, call *verb.Call, in ReloadIn) (NavigationOut, error) {
		defer v.acted.now()
		n, err := call.Tab.Reload(ctx, in.Hard, in.until(), in.timeout())
		if err != nil {
			return NavigationOut{}, err
		}
		return arrival(n), nil
	})
}
