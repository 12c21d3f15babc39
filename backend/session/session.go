// Package session says whose tab is whose: every client of the agent API has a session, and a session owns the tabs it
// opened and the tabs those opened.
package session

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"kuang/backend/browser"
)

// ErrNoTab is a session that has no tab yet.
var ErrNoTab = errors.New("the session has no tab")

// UnknownTabError is an id that names no open tab.
type UnknownTabError struct{ ID string }

// Error satisfies the error interface.
func (e *UnknownTabError) Error() string { return fmt.Sprintf("there is no tab %q", e.ID) }

// NotOwnedError is a tab that belongs to the person or to another session.
type NotOwnedError struct{ ID string }

// Error satisfies the error interface.
func (e *NotOwnedError) Error() string {
	return "the tab " + e.ID + " belongs to the person or to another session"
}

// tabs is what sessions need of the browser.
type tabs interface {
	Open(context.Context, browser.OpenOptions) (*browser.Tab, error)
	Tab(id string) (*browser.Tab, bool)
	Listed() []browser.Listing
	Subscribe(func(browser.Event)) (cancel func())
}

// Sessions are all sessions of one browser.
type Sessions struct {
	browser tabs

	// mu guards what follows and the fields of every session. Nothing blocks under it.
	mu       sync.Mutex
	byWho    map[who]*Session
	ordered  []*Session          // oldest first
	ids      map[string]bool     // every id ever given
	owner    map[string]*Session // tab id → session; never reassigned, because tab ids are not
	random   func(n int) int
	adopting map[string]string // popup → opener, for popups heard of before their opener's Open returned
}

// who tells clients apart: the same name over two surfaces is two clients.
type who struct{ client, surface string }

// Session is one client's set of tabs.
type Session struct {
	all             *Sessions
	id              string
	client, surface string
	tabs            []string // in the order of opening; closed ones leave
	active          string
}

// New makes the sessions of a browser and follows its popups for as long as the browser lives.
func New(b *browser.Browser) *Sessions { return over(b, rand.IntN) }

func over(b tabs, random func(n int) int) *Sessions {
	s := &Sessions{
		browser: b, byWho: map[who]*Session{}, ids: map[string]bool{}, owner: map[string]*Session{},
		random: random, adopting: map[string]string{},
	}
	b.Subscribe(s.hear)
	return s
}

// For returns the client's session and makes it at the first call.
func (s *Sessions) For(client, surface string) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := who{client, surface}
	if x, ok := s.byWho[key]; ok {
		return x
	}
	x := &Session{all: s, id: s.newID(), client: client, surface: surface}
	s.byWho[key] = x
	s.ordered = append(s.ordered, x)
	return x
}

// newID returns four letters that were never given before. There are 456,976 of them; a client holds one.
func (s *Sessions) newID() string {
	for {
		var id [4]byte
		for i := range id {
			id[i] = byte('a' + s.random(26))
		}
		if !s.ids[string(id[:])] {
			s.ids[string(id[:])] = true
			return string(id[:])
		}
	}
}

// List are all sessions, oldest first.
func (s *Sessions) List() []*Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ordered)
}

// Clients is how many clients have a session.
func (s *Sessions) Clients() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.ordered)
}

// hear follows the browser: a popup goes to its opener's session, a closed tab leaves its session.
func (s *Sessions) hear(e browser.Event) {
	switch e.Kind {
	case browser.TabOpened, browser.TabChanged:
		if t, ok := s.browser.Tab(e.TabID); ok && t.OpenerID() != "" {
			s.adopt(t.ID(), t.OpenerID())
		}
	case browser.TabClosed:
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.adopting, e.TabID)
		if x, ok := s.owner[e.TabID]; ok {
			x.lose(e.TabID)
		}
	}
}

func (s *Sessions) adopt(popup, opener string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owner[popup] != nil {
		return
	}
	x := s.owner[opener]
	if x == nil {
		s.adopting[popup] = opener
		return
	}
	x.own(popup, false)
}

// own adds a tab, and the popups that it opened before it was known; the caller holds mu.
func (x *Session) own(id string, activate bool) {
	x.all.owner[id] = x
	x.tabs = append(x.tabs, id)
	if activate || x.active == "" {
		x.active = id
	}
	for popup, opener := range x.all.adopting {
		if opener == id {
			delete(x.all.adopting, popup)
			x.own(popup, false)
		}
	}
}

// lose removes a closed tab; the newest of the others becomes active in its place. The caller holds mu.
func (x *Session) lose(id string) {
	x.tabs = slices.DeleteFunc(x.tabs, func(t string) bool { return t == id })
	if x.active != id {
		return
	}
	x.active = ""
	if n := len(x.tabs); n > 0 {
		x.active = x.tabs[n-1]
	}
}

// ID is four letters, never given twice while the app runs.
func (x *Session) ID() string { return x.id }

// Client is the name the client gave itself.
func (x *Session) Client() string { return x.client }

// Surface is the door the client came through.
func (x *Session) Surface() string { return x.surface }

// Open opens a tab for the session and makes it the active one unless it is opened in the background. A
// *browser.TimeoutError comes together with the tab, which is still loading.
func (x *Session) Open(ctx context.Context, url string, background bool) (*browser.Tab, error) {
	t, err := x.all.browser.Open(ctx, browser.OpenOptions{URL: url, Background: background})
	if t == nil {
		return nil, err
	}
	x.all.mu.Lock()
	defer x.all.mu.Unlock()
	select {
	case <-t.Closed(): // Its end may have been told before it was ours.
		return nil, &UnknownTabError{t.ID()}
	default:
	}
	x.own(t.ID(), !background)
	return t, err
}

// Tab returns a tab of the session; the empty id is the active one.
func (x *Session) Tab(id string) (*browser.Tab, error) {
	x.all.mu.Lock()
	if id == "" {
		id = x.active
	}
	owner := x.all.owner[id]
	x.all.mu.Unlock()
	if id == "" {
		return nil, ErrNoTab
	}
	t, open := x.all.browser.Tab(id)
	switch {
	case !open && !x.listed(id):
		return nil, &UnknownTabError{id}
	case owner != x || !open:
		return nil, &NotOwnedError{id}
	}
	return t, nil
}

func (x *Session) listed(id string) bool {
	return slices.ContainsFunc(x.all.browser.Listed(), func(l browser.Listing) bool { return l.ID == id })
}

// Active is the id of the tab that calls without one act on; empty when the session has none.
func (x *Session) Active() string {
	x.all.mu.Lock()
	defer x.all.mu.Unlock()
	return x.active
}

// Select makes a tab of the session the active one. It does not bring it to the front of the window.
func (x *Session) Select(id string) error {
	if id == "" {
		return &UnknownTabError{id}
	}
	if _, err := x.Tab(id); err != nil {
		return err
	}
	x.all.mu.Lock()
	defer x.all.mu.Unlock()
	x.active = id
	return nil
}

// Close closes a tab of the session; the empty id is the active one.
func (x *Session) Close(ctx context.Context, id string) error {
	t, err := x.Tab(id)
	if err != nil {
		return err
	}
	if err := t.Close(ctx); err != nil {
		return err
	}
	x.all.mu.Lock()
	defer x.all.mu.Unlock()
	x.lose(t.ID())
	return nil
}

// Owned are the session's open tabs, in the order of opening.
func (x *Session) Owned() []*browser.Tab {
	x.all.mu.Lock()
	ids := slices.Clone(x.tabs)
	x.all.mu.Unlock()
	owned := make([]*browser.Tab, 0, len(ids))
	for _, id := range ids {
		if t, ok := x.all.browser.Tab(id); ok {
			owned = append(owned, t)
		}
	}
	return owned
}
