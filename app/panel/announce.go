package panel

import (
	"sync"
	"time"
)

// Event is the name of the one event on the bridge; its payload is Changed.
const Event = "changed"

// announceGap is the shortest time between two announcements of one topic: a busy agent makes hundreds of calls a
// second, and nobody reads faster than this.
const announceGap = 150 * time.Millisecond

// announcer tells the panel's script which topics changed: the first change at once, those within the gap after it
// together at its end. Nothing is lost; what falls together is told once.
type announcer struct {
	mu sync.Mutex // guards all fields
	// emit is nil before the window is there and after close. What changes before is told by the first look.
	emit func(topic string, data any)
	// held are the topics within their gap; true when they changed again meanwhile.
	held map[Topic]bool
}

func newAnnouncer() *announcer { return &announcer{held: map[Topic]bool{}} }

func (a *announcer) attach(emit func(topic string, data any)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.emit = emit
}

func (a *announcer) close() { a.attach(nil) }

// changed returns at once and calls nobody: those who tell of changes do so under locks of their own.
func (a *announcer) changed(topics ...Topic) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.emit == nil {
		return
	}
	for _, t := range topics {
		_, held := a.held[t]
		a.held[t] = held
		if !held {
			go a.emit(Event, Changed{t})
			time.AfterFunc(announceGap, func() { a.release(t) })
		}
	}
}

// release ends a topic's gap, or tells of it and begins another.
func (a *announcer) release(t Topic) {
	a.mu.Lock()
	again := a.held[t]
	delete(a.held, t)
	a.mu.Unlock()
	if again {
		a.changed(t)
	}
}
