package cdp

import (
	"sync"

	"github.com/chromedp/cdproto/cdp/jsonv2"
)

// events hands the events of one session to those who asked for them. Delivery promise: everything, in order; a slow
// subscriber grows its own queue and holds up nobody.
type events struct {
	// mu guards the fields below; the reader takes it for each event, subscribers when they come and go.
	mu        sync.Mutex
	closed    bool
	queues    map[string]map[*queue]struct{}
	listeners map[*listener]struct{}
}

type listener struct{ fn func(string, jsonv2.Value) }

func newEvents() *events {
	return &events{queues: map[string]map[*queue]struct{}{}, listeners: map[*listener]struct{}{}}
}

func (e *events) subscribe(method string) (<-chan jsonv2.Value, func()) {
	q := newQueue()
	e.mu.Lock()
	if e.closed {
		q.finish()
	} else {
		if e.queues[method] == nil {
			e.queues[method] = map[*queue]struct{}{}
		}
		e.queues[method][q] = struct{}{}
	}
	e.mu.Unlock()
	go q.pump()
	return q.out, func() {
		e.mu.Lock()
		delete(e.queues[method], q)
		e.mu.Unlock()
		q.stop()
	}
}

func (e *events) listen(fn func(string, jsonv2.Value)) func() {
	l := &listener{fn}
	e.mu.Lock()
	if !e.closed {
		e.listeners[l] = struct{}{}
	}
	e.mu.Unlock()
	return func() {
		e.mu.Lock()
		delete(e.listeners, l)
		e.mu.Unlock()
	}
}

func (e *events) deliver(method string, params jsonv2.Value) {
	e.mu.Lock()
	for q := range e.queues[method] {
		q.push(params)
	}
	listeners := make([]*listener, 0, len(e.listeners))
	for l := range e.listeners {
		listeners = append(listeners, l)
	}
	e.mu.Unlock()
	// Outside the lock, so that a listener can subscribe or cancel.
	for _, l := range listeners {
		l.fn(method, params)
	}
}

// close ends the subscriptions after what they hold has been read.
func (e *events) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	for _, queues := range e.queues {
		for q := range queues {
			q.finish()
		}
	}
	clear(e.queues)
	clear(e.listeners)
}

// queue is an unbounded channel.
type queue struct {
	out  chan jsonv2.Value
	wake chan struct{} // holds at most one signal: something changed below
	quit chan struct{}
	once sync.Once

	mu       sync.Mutex // guards items and finished, between the reader and pump
	items    []jsonv2.Value
	finished bool
}

func newQueue() *queue {
	return &queue{out: make(chan jsonv2.Value), wake: make(chan struct{}, 1), quit: make(chan struct{})}
}

func (q *queue) push(v jsonv2.Value) {
	q.mu.Lock()
	q.items = append(q.items, v)
	q.mu.Unlock()
	q.signal()
}

func (q *queue) finish() {
	q.mu.Lock()
	q.finished = true
	q.mu.Unlock()
	q.signal()
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// stop drops what is queued.
func (q *queue) stop() { q.once.Do(func() { close(q.quit) }) }

func (q *queue) pump() {
	defer close(q.out)
	for {
		q.mu.Lock()
		items, finished := q.items, q.finished
		q.items = nil
		q.mu.Unlock()
		for _, v := range items {
			select {
			case q.out <- v:
			case <-q.quit:
				return
			}
		}
		if finished && len(items) == 0 {
			return
		}
		if len(items) > 0 {
			continue
		}
		select {
		case <-q.wake:
		case <-q.quit:
			return
		}
	}
}
