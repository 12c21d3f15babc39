package panel

import (
	"context"
	"net/url"

	"kuang/backend/browser"
	"kuang/backend/session"
)

// TabsOf looks at the tabs of the browser b.
func TabsOf(b *browser.Browser) Tabs { return browserTabs{b} }

type browserTabs struct{ b *browser.Browser }

func (t browserTabs) Tab(id string) (TabRef, bool) {
	tab, ok := t.b.Tab(id)
	if !ok {
		return TabRef{}, false
	}
	return TabRef{ID: id, Host: Host(tab.URL()), Title: tab.Title()}, true
}

func (t browserTabs) Frames(ctx context.Context, id string) (frames, otherSite int, err error) {
	tab, ok := t.b.Tab(id)
	if !ok {
		return 0, 0, errNoTab
	}
	all, err := tab.Frames(ctx)
	if err != nil {
		return 0, 0, err
	}
	for _, f := range all {
		if f.ParentID == "" {
			continue
		}
		frames++
		if f.OOPIF {
			otherSite++
		}
	}
	return frames, otherSite, nil
}

func (t browserTabs) Reload(ctx context.Context, id string) error {
	tab, ok := t.b.Tab(id)
	if !ok {
		return errNoTab
	}
	_, err := tab.Reload(ctx, false, browser.UntilNone, reloadLimit)
	return err
}

func (t browserTabs) Counts(id string) map[string]int64 {
	if id == "" {
		if c := t.b.Connection(); c != nil {
			return c.Counts()
		}
		return nil
	}
	if tab, ok := t.b.Tab(id); ok {
		return tab.Session().Counts()
	}
	return nil
}

func (t browserTabs) ResetCounts() {
	if c := t.b.Connection(); c != nil {
		c.Reset()
	}
}

// SessionsOf lists the sessions of s.
func SessionsOf(s *session.Sessions) Sessions { return sessions{s} }

type sessions struct{ s *session.Sessions }

func (s sessions) Clients() int { return s.s.Clients() }

func (s sessions) Live() []LiveSession {
	all := s.s.List()
	live := make([]LiveSession, 0, len(all))
	for _, x := range all {
		l := LiveSession{ID: x.ID(), Client: x.Client(), Surface: x.Surface(), Active: x.Active()}
		for _, tab := range x.Owned() {
			l.Owned = append(l.Owned, tab.ID())
		}
		live = append(live, l)
	}
	return live
}

// Host is what a person calls the place of a page: its host with a port that is not the usual one, else its scheme.
func Host(raw string) string {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return raw
	case u.Host != "":
		return u.Host
	case u.Scheme == "about":
		return raw
	case u.Scheme == "":
		return raw
	}
	return u.Scheme
}
