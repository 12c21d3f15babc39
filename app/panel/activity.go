package panel

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"kuang/backend/runs"
)

// activityKept bounds how many sessions are remembered; the oldest are forgotten first.
const activityKept = 200

// activity remembers, for each session since the start, what its calls looked like. The log knows more; this is what
// cards show, without a query a card.
type activity struct {
	mu       sync.Mutex // guards sessions
	sessions map[string]*worked
}

// worked is what one session did.
type worked struct {
	session, client, surface string
	calls                    int
	first, last              time.Time
	verb, site, outcome      string
	run                      string
}

func newActivity() *activity { return &activity{sessions: map[string]*worked{}} }

func (a *activity) record(r runs.Run, e runs.Entry) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.sessions[r.Session]
	if w == nil {
		w = &worked{session: r.Session, first: e.At}
		a.sessions[r.Session] = w
	}
	w.client, w.surface, w.run = r.Client, r.Surface, r.ID
	w.calls++
	w.last, w.verb, w.site, w.outcome = e.At, e.Verb, e.Site, e.Outcome
	a.forget()
}

// forget drops the session that was silent for longest when there are too many.
func (a *activity) forget() {
	if len(a.sessions) <= activityKept {
		return
	}
	var oldest *worked
	for _, w := range a.sessions {
		if oldest == nil || w.last.Before(oldest.last) {
			oldest = w
		}
	}
	delete(a.sessions, oldest.session)
}

// of returns what the session did; the zero value when it made no call yet.
func (a *activity) of(session string) worked {
	a.mu.Lock()
	defer a.mu.Unlock()
	if w := a.sessions[session]; w != nil {
		return *w
	}
	return worked{session: session}
}

// all returns every session remembered, the most recent call first.
func (a *activity) all() []worked {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := make([]worked, 0, len(a.sessions))
	for _, w := range a.sessions {
		all = append(all, *w)
	}
	slices.SortFunc(all, func(x, y worked) int {
		return cmp.Or(y.last.Compare(x.last), cmp.Compare(x.session, y.session))
	})
	return all
}
