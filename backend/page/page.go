// Package page holds the verbs that read and act on pages, one a file, and what they share: the script in the isolated
// world of every frame, the marks of a tab, and where its frames lie.
//
// Nothing here sends a DOM, CSS or accessibility command unless the call asks for sealed controls or types into one;
// pages are read by script that they cannot see.
package page

import (
	"sync"

	"kuang/assets"
	"kuang/backend/browser"
	"kuang/backend/session"
	"kuang/backend/shadowwalk"
	"kuang/backend/verb"
	"kuang/settings"
)

// Deps is what the verbs work with.
type Deps struct {
	Browser   *browser.Browser
	Sessions  *session.Sessions
	Walker    *shadowwalk.Walker
	ForceOpen *shadowwalk.ForceOpen
	Settings  *settings.Store
	// Version is Kuang's own.
	Version string
	// Shots is the folder that pictures are written to; it is made when the first one is.
	Shots string
	// Problems lists what was found damaged at the start, a sentence each; nil when nobody looks.
	Problems func() []string
}

// Verbs are the page verbs of this build.
func Verbs(d Deps) []verb.Definition {
	v := &verbs{
		Deps: d, library: browser.Library{Name: "kuang", Source: assets.PageScript()},
		tabs: map[*browser.Tab]*tabState{},
	}
	list := []verb.Definition{
		v.navigate(), v.back(), v.forward(), v.reload(), v.tabsVerb(),
		v.observe(), v.find(), v.act(), v.waitFor(), v.pageState(), v.screenshot(), v.evaluate(),
	}
	return append([]verb.Definition{v.health(list)}, list...)
}

// verbs is what all verbs of the group share.
type verbs struct {
	Deps
	library browser.Library
	acted   lastAction

	mu   sync.Mutex // guards tabs
	tabs map[*browser.Tab]*tabState
}

// state is what is remembered of a tab for as long as it is open.
func (v *verbs) state(t *browser.Tab) *tabState {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s, ok := v.tabs[t]; ok {
		return s
	}
	for other := range v.tabs {
		select {
		case <-other.Closed():
			delete(v.tabs, other)
		default:
		}
	}
	s := newTabState()
	v.tabs[t] = s
	return s
}
