package browser

import "time"

// SetClock gives a browser another clock; a test calls it before Start.
func (b *Browser) SetClock(now func() time.Time) { b.now = now }

// The periods that tests step over.
const (
	CrashWindow = crashWindow
	CoolOff     = coolOff
)

// SetScriptTimeout makes the bound of script short until the test ends.
func SetScriptTimeout(t interface{ Cleanup(func()) }, d time.Duration) {
	was := scriptTimeout
	scriptTimeout = d
	t.Cleanup(func() { scriptTimeout = was })
}
