package shadowwalk

import (
	"sync"
	"time"
)

// activity is what the panel shows of the walker: whether it reads now, and what it last found in each tab.
type activity struct {
	// mu guards the fields below, between reads and those who look.
	mu      sync.Mutex
	running int
	last    map[string]lastRead
	subs    map[*subscriber]struct{}
	// telling makes the calls to subscribers one at a time and in order.
	telling sync.Mutex
}

type lastRead struct {
	controls int
	at       time.Time
}

type subscriber struct{ fn func(bool) }

func newActivity() *activity {
	return &activity{last: map[string]lastRead{}, subs: map[*subscriber]struct{}{}}
}

// begin and end surround a read.
func (a *activity) begin() { a.count(+1) }
func (a *activity) end()   { a.count(-1) }

func (a *activity) count(by int) {
	a.telling.Lock()
	defer a.telling.Unlock()
	a.mu.Lock()
	before := a.running > 0
	a.running += by
	after := a.running > 0
	var subs []*subscriber
	if before != after {
		for s := range a.subs {
			subs = append(subs, s)
		}
	}
	a.mu.Unlock()
	for _, s := range subs {
		s.fn(after)
	}
}

func (a *activity) record(tab string, controls int, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last[tab] = lastRead{controls, at}
}

func (a *activity) forget(tab string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.last, tab)
}

// Reading reports whether a sealed read runs now.
func (w *Walker) Reading() bool {
	w.activity.mu.Lock()
	defer w.activity.mu.Unlock()
	return w.activity.running > 0
}

// Subscribe calls fn with true when the first of overlapping reads begins and with false when the last ends. fn must
// be quick and must not read.
func (w *Walker) Subscribe(fn func(reading bool)) (cancel func()) {
	s := &subscriber{fn}
	w.activity.mu.Lock()
	defer w.activity.mu.Unlock()
	w.activity.subs[s] = struct{}{}
	return func() {
		w.activity.mu.Lock()
		defer w.activity.mu.Unlock()
		delete(w.activity.subs, s)
	}
}

// LastRead says how many sealed controls the last read of a tab found, and when. It is not ok before the first read
// and after the tab was closed.
func (w *Walker) LastRead(tabID string) (controls int, at time.Time, ok bool) {
	w.activity.mu.Lock()
	defer w.activity.mu.Unlock()
	l, ok := w.activity.last[tabID]
	return l.controls, l.at, ok
}
