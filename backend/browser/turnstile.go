package browser

import (
	"context"
	"sync"

	"kuang/backend/cdp"
)

// turnstile lets one caller in at a time, in the order of asking.
type turnstile struct {
	mu    sync.Mutex // guards the fields below; nothing blocks under it
	taken bool
	queue []chan struct{}
}

// enter waits for the turn, until ctx ends or closed is closed.
func (q *turnstile) enter(ctx context.Context, closed <-chan struct{}) error {
	select {
	case <-closed:
		return cdp.ErrClosed
	default:
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	q.mu.Lock()
	if !q.taken {
		q.taken = true
		q.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	q.queue = append(q.queue, turn)
	q.mu.Unlock()

	var err error
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-closed:
		err = cdp.ErrClosed
	}
	q.mu.Lock()
	for i, other := range q.queue {
		if other == turn {
			q.queue = append(q.queue[:i], q.queue[i+1:]...)
			q.mu.Unlock()
			return err
		}
	}
	q.mu.Unlock()
	q.leave() // The turn came at the moment of giving up: pass it on.
	return err
}

// leave lets the next one in.
func (q *turnstile) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.queue) == 0 {
		q.taken = false
		return
	}
	next := q.queue[0]
	q.queue = q.queue[1:]
	close(next)
}
