package browser

import "sync"

// signal wakes everyone who waits for something to change. Who waits takes the channel first, looks at the state and
// then waits, so that no change is missed.
type signal struct {
	mu sync.Mutex // guards ch
	ch chan struct{}
}

func newSignal() *signal { return &signal{ch: make(chan struct{})} }

func (s *signal) wait() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ch
}

func (s *signal) fire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.ch)
	s.ch = make(chan struct{})
}
