package runs

import (
	"maps"
	"slices"
	"sync"
)

// subscribers are the functions to call after a record. The zero value has none.
type subscribers struct {
	// mu guards the map and next; it is not held while a function runs, so that one may cancel.
	mu   sync.Mutex
	fns  map[int]func(Run, Entry)
	next int
}

func (s *subscribers) add(fn func(Run, Entry)) (cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fns == nil {
		s.fns = map[int]func(Run, Entry){}
	}
	id := s.next
	s.next++
	s.fns[id] = fn
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.fns, id)
	}
}

// tell calls every subscriber, in the order of subscription.
func (s *subscribers) tell(r Run, e Entry) {
	s.mu.Lock()
	fns := make([]func(Run, Entry), 0, len(s.fns))
	for _, id := range slices.Sorted(maps.Keys(s.fns)) {
		fns = append(fns, s.fns[id])
	}
	s.mu.Unlock()
	for _, fn := range fns {
		fn(r, e)
	}
}
