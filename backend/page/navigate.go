package page

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"kuang/backend/browser"
	"kuang/backend/ledger"
	"kuang/backend/verb"
)

// defaultLoad is how long a navigation may take when the caller does not say: slow pages load in less, and what takes
// longer rarely ends.
const defaultLoad = 30 * time.Second

// NavigateIn says where to go.
type NavigateIn struct {
	URL string `json:"url" jsonschema:"Address to open; https:// is added when the scheme is missing."`
	Wait
}

// Wait says how far a navigation must have come.
type Wait struct {
	WaitUntil string `json:"wait_until,omitempty" enum:"load,domcontentloaded,networkidle,none" jsonschema:"When the navigation counts as done. Default load."`
	TimeoutMS int    `json:"timeout_ms,omitempty" min:"1" max:"120000" jsonschema:"Longest wait in milliseconds. Default 30000."`
}

func (w Wait) until() browser.WaitUntil { return browser.WaitUntil(cmp.Or(w.WaitUntil, "load")) }

func (w Wait) timeout() time.Duration {
	return cmp.Or(time.Duration(w.TimeoutMS)*time.Millisecond, defaultLoad)
}

// NavigationOut is where a navigation ended.
type NavigationOut struct {
	URL    string `json:"url" jsonschema:"Address of the page, after redirects."`
	Title  string `json:"title"`
	Status int    `json:"status" jsonschema:"HTTP status of the document; 0 when it did not come over HTTP."`
	Chars  int    `json:"chars" jsonschema:"Characters of page text in this reply."`
}

func arrival(n browser.Navigation) NavigationOut {
	return NavigationOut{URL: n.URL, Title: n.Title, Status: n.Status, Chars: utf8.RuneCountInString(n.Title)}
}

func (v *verbs) navigate() verb.Definition {
	return verb.Define(verb.Definition{
		Name: "navigate", Title: "Open an address", Domain: "page.navigate",
		Summary: "Open an address in the tab and wait until it is there.",
		Description: "Opens url in the session's tab, and opens a tab when there is none. Afterwards observe the page. " +
			"networkidle waits for pages that fetch their content; some never become idle, so give it a timeout_ms.",
		Effect: verb.Act, Target: verb.OpenTab, Untrusted: true, Idempotent: true,
		Sentence: func(_, out any) string {
			if o, ok := out.(NavigationOut); ok {
				return "Opened " + o.place()
			}
			return ""
		},
		Undo: func(_, out any) string {
			if _, ok := out.(NavigationOut); ok {
				return "back"
			}
			return ""
		},
	}, func(ctx context.Context, call *verb.Call, in NavigateIn) (NavigationOut, error) {
		defer v.acted.now()
		n, err := call.Tab.Navigate(ctx, in.URL, in.until(), in.timeout())
		if err != nil {
			return NavigationOut{}, err
		}
		return arrival(n), nil
	})
}

// place is what a sentence calls the page: its title on its site, or the site alone where a page has no title.
func (o NavigationOut) place() string {
	if strings.TrimSpace(o.Title) == "" {
		return site(o.URL)
	}
	return ledger.Quote(o.Title) + " on " + site(o.URL)
}

// site is the host of an address as a sentence names it.
func site(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ledger.Quote(address)
	}
	return u.Host
}
