package browser

import "time"

// SetClock gives a browser another clock; a test calls it before Start.
func (b *Browser) SetClock(now func() time.Time) { b.now = now }

// The periods that tests step over.
const (
	CrashWindow = crashWindow
	CoolOff     = coolOff
)
