package settings

import (
	"maps"
	"slices"
	"sync"
)

// subscribers are the functions to call after a change. The zero value has none.
type subscribers[T any] struct {
	// mu guards the map and next.
	mu   sync.Mutex
	fns  map[int]func(T)
	next int
	// telling makes deliveries one at a time, so that the newest value is the last one told.
	telling sync.Mutex
}

func (s *subscribers[T]) add(fn func(T)) (cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fns == nil {
		s.fns = map[int]func(T){}
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

// tell calls every subscriber, in the order of subscription, with what now returns then.
func (s *subscribers[T]) tell(now func() T) {
	s.telling.Lock()
	defer s.telling.Unlock()
	s.mu.Lock()
	ids := slices.Sorted(maps.Keys(s.fns))
	fns := make([]func(T), 0, len(ids))
	for _, id := range ids {
		fns = append(fns, s.fns[id])
	}
	s.mu.Unlock()
	v := now()
	for _, fn := range fns {
		fn(v)
	}
}
