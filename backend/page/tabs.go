package page

import (
	"context"
	"unicode/utf8"

	"kuang/backend/verb"
)

// TabsIn says what to do with the session's tabs.
type TabsIn struct {
	Action string `json:"action" enum:"list,create,select,close" jsonschema:"list shows the tabs; create opens one; select makes one the active tab; close closes one."`
	ID     string `json:"id,omitempty" jsonschema:"For select and close: the tab, such as t1. close without it closes the active tab."`
	URL    string `json:"url,omitempty" jsonschema:"For create: address to open. Default: an empty page."`
	Active *bool  `json:"active,omitempty" jsonschema:"For create: make it the active tab. Default true."`
}

// TabRow is one tab.
type TabRow struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	URL    string `json:"url,omitempty" jsonschema:"Address; of the person's tabs only the site is told."`
	Site   string `json:"site,omitempty"`
	Active bool   `json:"active" jsonschema:"The session's active tab, on which verbs act that name none."`
	Owner  string `json:"owner" jsonschema:"you, person, or another session."`
	Opener string `json:"opener,omitempty" jsonschema:"The tab that opened it."`
}

// TabsOut is the tabs after the action.
type TabsOut struct {
	Action string   `json:"action"`
	ID     string   `json:"id,omitempty" jsonschema:"The tab that was opened, selected or closed."`
	Tabs   []TabRow `json:"tabs"`
	Chars  int      `json:"chars" jsonschema:"Characters of page text in this reply."`
}

func (v *verbs) tabsVerb() verb.Definition {
	return verb.Define(verb.Definition{
		Name: "tabs", Title: "Tabs", Domain: "tabs.list",
		Summary: "List, open, select and close the session's tabs.",
		Description: "A session acts only on tabs it opened, and on those that these opened. One of them is active: verbs " +
			"without a tab act there. The person's tabs are listed by title and site and cannot be used.",
		Effect: verb.Act, Target: verb.NoTab, Untrusted: true,
		Sentence: func(in, out any) string {
			o, ok := out.(TabsOut)
			if !ok {
				return ""
			}
			switch o.Action {
			case "create":
				return "Opened tab " + o.ID
			case "close":
				return "Closed tab " + o.ID
			default:
				return "" // Looking, and pointing at another tab, changes nothing.
			}
		},
		Undo: func(_, out any) string {
			if o, ok := out.(TabsOut); ok && o.Action == "create" {
				return "close tab " + o.ID
			}
			return ""
		},
	}, func(ctx context.Context, call *verb.Call, in TabsIn) (TabsOut, error) {
		if err := v.Browser.Ready(ctx); err != nil {
			return TabsOut{}, err
		}
		out := TabsOut{Action: in.Action, ID: in.ID}
		if err := v.onTabs(ctx, call, in, &out); err != nil {
			return TabsOut{}, err
		}
		out.Tabs = v.listTabs(call)
		for _, t := range out.Tabs {
			out.Chars += utf8.RuneCountInString(t.Title)
		}
		return out, nil
	})
}

func (v *verbs) onTabs(ctx context.Context, call *verb.Call, in TabsIn, out *TabsOut) error {
	if in.Action != "create" && (in.URL != "" || in.Active != nil) || (in.Action == "list" || in.Action == "create") && in.ID != "" {
		return &verb.Error{
			Code: verb.BadRequest, Message: "The action " + in.Action + " does not take these fields.",
			Hint: "id goes with select and close; url and active go with create.",
		}
	}
	switch in.Action {
	case "create":
		defer v.acted.now()
		active := in.Active == nil || *in.Active
		t, err := call.Session.Open(ctx, in.URL, !active)
		if err != nil {
			return err
		}
		out.ID = t.ID()
	case "select":
		if in.ID == "" {
			return &verb.Error{Code: verb.BadRequest, Message: "select needs id.", Hint: "tabs with action list shows the ids."}
		}
		t, err := call.Session.Tab(in.ID)
		if err != nil {
			return err
		}
		if err := call.Session.Select(in.ID); err != nil {
			return err
		}
		return t.Activate(ctx)
	case "close":
		t, err := call.Session.Tab(in.ID)
		if err != nil {
			return err
		}
		defer v.acted.now()
		out.ID = t.ID()
		return call.Session.Close(ctx, t.ID())
	}
	return nil
}

// listTabs lists the session's tabs first, as they were opened, then everybody else's by title and site.
func (v *verbs) listTabs(call *verb.Call) []TabRow {
	rows := []TabRow{}
	mine := map[string]bool{}
	active := call.Session.Active()
	for _, t := range call.Session.Owned() {
		mine[t.ID()] = true
		rows = append(rows, TabRow{
			ID: t.ID(), Title: t.Title(), URL: t.URL(), Active: t.ID() == active, Owner: "you", Opener: t.OpenerID(),
		})
	}
	for _, l := range v.Browser.Listed() {
		if mine[l.ID] {
			continue
		}
		owner := "person"
		if l.Attached {
			owner = "another session"
		}
		rows = append(rows, TabRow{ID: l.ID, Title: l.Title, Site: site(l.URL), Owner: owner})
	}
	return rows
}
