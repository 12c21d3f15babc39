package browser

import "sync"

// EventKind is what happened.
type EventKind string

// The kinds of events.
const (
	StatusChanged EventKind = "status"
	TabOpened     EventKind = "tab_opened"
	TabChanged    EventKind = "tab_changed" // its title, address or whether we are attached to it
	TabClosed     EventKind = "tab_closed"
)

// Event says that something a panel shows has changed. It carries no state: who is told asks.
type Event struct {
	Kind  EventKind `json:"kind"`
	TabID string    `json:"tab_id,omitempty"`
}

// announcer tells subscribers what happened, in order, on a goroutine of its own. Delivery promise: every event, as
// long as a subscriber returns.
type announcer struct {
	mu      sync.Mutex // guards the fields below
	queue   []Event
	running bool
	fns     map[int]func(Event)
	next    int
}

func newAnnouncer() *announcer {
	return &announcer{fns: map[int]func(Event){}}
}

// announce queues an event. It does not block and may be called under any lock.
func (a *announcer) announce(e Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.fns) == 0 {
		return
	}
	a.queue = append(a.queue, e)
	if !a.running {
		a.running = true
		go a.run()
	}
}

func (a *announcer) run() {
	for {
		a.mu.Lock()
		if len(a.queue) == 0 {
			a.running = false
			a.mu.Unlock()
			return
		}
		e := a.queue[0]
		a.queue = a.queue[1:]
		fns := make([]func(Event), 0, len(a.fns))
		for i := range a.next {
			if fn, ok := a.fns[i]; ok {
				fns = append(fns, fn)
			}
		}
		a.mu.Unlock()
		for _, fn := range fns {
			fn(e)
		}
	}
}

// Subscribe calls fn for every event, in order and one at a time, until cancel. A slow fn delays the others'.
func (b *Browser) Subscribe(fn func(Event)) (cancel func()) {
	a := b.events
	a.mu.Lock()
	defer a.mu.Unlock()
	id := a.next
	a.next++
	a.fns[id] = fn
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.fns, id)
	}
}
