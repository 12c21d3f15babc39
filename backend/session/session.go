// Package session says whose tab is whose: every client of the agent API has a session, and a session owns the tabs it
// opened and the tabs those opened.
package session

import (
	"context"
	"errors"

	"kuang/backend/browser"
)

// ErrNoTab is a session that has no tab yet.
var ErrNoTab = errors.New("the session has no tab")

// UnknownTabError is a tab id that names no open tab.
type UnknownTabError struct{ ID string }

func (e *UnknownTabError) Error() string { return "there is no tab " + e.ID }

// NotOwnedError is a tab that belongs to the person or to another session.
type NotOwnedError struct{ ID string }

func (e *NotOwnedError) Error() string { return "the tab " + e.ID + " belongs to somebody else" }

// Sessions are all sessions of one browser.
type Sessions struct{}

// Session is one client's set of tabs.
type Session struct{}

var errSkeleton = errors.New("session: under construction")

func New(b *browser.Browser) *Sessions                  { return &Sessions{} }
func (s *Sessions) For(client, surface string) *Session { return &Session{} }
func (s *Sessions) List() []*Session                    { return nil }
func (s *Sessions) Clients() int                        { return 0 }
func (x *Session) ID() string                           { return "" }
func (x *Session) Client() string                       { return "" }
func (x *Session) Surface() string                      { return "" }
func (x *Session) Open(ctx context.Context, url string, background bool) (*browser.Tab, error) {
	return nil, errSkeleton
}
func (x *Session) Tab(id string) (*browser.Tab, error)        { return nil, ErrNoTab }
func (x *Session) Active() string                             { return "" }
func (x *Session) Select(id string) error                     { return errSkeleton }
func (x *Session) Close(ctx context.Context, id string) error { return errSkeleton }
func (x *Session) Owned() []*browser.Tab                      { return nil }
