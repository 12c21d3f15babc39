package cdp

import (
	"context"
	"maps"
	"sync"
)

// Meter counts the protocol calls that were sent under one context, so that the run log can say what a verb cost.
type Meter struct {
	mu     sync.Mutex // guards counts; parallel calls of one verb share the meter
	counts map[string]int64
}

type meterKey struct{}

// WithMeter returns a context whose calls are counted, and their meter.
func WithMeter(ctx context.Context) (context.Context, *Meter) {
	m := &Meter{counts: map[string]int64{}}
	return context.WithValue(ctx, meterKey{}, m), m
}

// Counts returns the calls so far, by protocol method.
func (m *Meter) Counts() map[string]int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.counts)
}

func meterFrom(ctx context.Context) *Meter {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return m
}

func (m *Meter) add(method string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	m.counts[method]++
	m.mu.Unlock()
}
