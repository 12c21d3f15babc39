// Package browser drives one external Chromium: it starts it or attaches to it, keeps it alive, and gives tabs with
// navigation, frames, isolated script worlds, trusted input, pictures and a network log.
//
// A tab is quiet: attaching enables Page, Network, auto-attach to child frames and focus emulation, and nothing else.
// While nobody asks, no protocol message is sent.
package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/chromedp/cdproto/target"

	"kuang/backend/cdp"
)

const (
	// crashWindow is how soon after a crash a second one means that restarting does not help.
	crashWindow = 60 * time.Second
	// coolOff is how long a browser that went down is left alone before a call may start it again.
	coolOff = 15 * time.Second
)

// Options say which browser to drive and how. The zero value starts the first browser found, with a window, over the
// pipe, on a profile that Profile must name.
type Options struct {
	// Executable is a path or a program name; empty means KUANG_BROWSER, then the first browser found.
	Executable string
	// Profile is the user data directory. It is Kuang's own; a browser the person uses has another.
	Profile  string
	Headless bool
	// DebugPort 0 is the pipe. A port number, or -1 for a free one, is a debugging port on 127.0.0.1.
	DebugPort int
	// Attach is the address of a running browser (http://127.0.0.1:9222 or ws://…); it wins over all of the above.
	Attach string
	// WindowWidth and WindowHeight are in CSS pixels; 0 means 1280×800.
	WindowWidth, WindowHeight int
	// ExtraFlags are added to Chromium's command line as they are.
	ExtraFlags []string
	Log        *slog.Logger
}

// Browser is the one browser. Its methods may be called from any goroutine.
type Browser struct {
	opts   Options
	log    *slog.Logger
	now    func() time.Time
	events *announcer
	work   sync.WaitGroup // the goroutines that start, watch and adopt

	// mu guards what follows. The reader of the connection takes it for every target event and callers for a look at
	// the state; nothing blocks under it.
	mu        sync.Mutex
	state     State
	since     time.Time
	problem   *Problem
	retryAt   time.Time     // when a browser that is down may be started by a call
	lastCrash time.Time     // zero before the first
	giveUp    func()        // ends a start that is under way; nil before the first
	restarts  int           // by itself, after a crash
	changed   chan struct{} // closed and replaced at each change of state
	link      *link         // nil unless running
	lastTab   int           // the number of the newest tab id
	pages     map[target.ID]*pageTarget
	wishes    []expectation     // for new tabs, oldest first
	scripts   map[string]string // document-start scripts by key
}

// New prepares a browser; Start starts it.
func New(o Options) *Browser {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	b := &Browser{
		opts: o, log: o.Log, now: time.Now, events: newAnnouncer(),
		state: Stopped, changed: make(chan struct{}),
		pages: map[target.ID]*pageTarget{}, scripts: map[string]string{},
	}
	b.since = b.now()
	return b
}

// Start starts the browser, or attaches to it, and returns when it answers. The error is an *UnavailableError.
func (b *Browser) Start(ctx context.Context) error {
	b.mu.Lock()
	if b.state == Stopped || b.state == Down {
		b.begin(Starting)
	}
	b.mu.Unlock()
	return b.settled(ctx)
}

// Ready returns when the browser can be used: at once when it runs, else after the start or restart that is under
// way. A browser that went down is started again when it has been left alone long enough.
func (b *Browser) Ready(ctx context.Context) error {
	b.mu.Lock()
	if b.answers() {
		b.mu.Unlock()
		return nil
	}
	if b.state == Down && !b.now().Before(b.retryAt) {
		b.begin(Restarting)
	}
	b.mu.Unlock()
	return b.settled(ctx)
}

// Restart ends the browser, with all its tabs, and starts it anew. It is the person's way out and always tries.
func (b *Browser) Restart(ctx context.Context) error {
	b.mu.Lock()
	for b.state == Starting || b.state == Restarting {
		changed := b.changed
		b.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("restarting the browser: %w", ctx.Err())
		}
		b.mu.Lock()
	}
	old := b.drop()
	b.lastCrash = time.Time{}
	b.set(Restarting, nil) // Keeps other callers waiting while the old browser saves its profile.
	b.mu.Unlock()
	if old != nil {
		old.shut(ctx)
	}
	b.mu.Lock()
	if b.state == Restarting {
		b.begin(Restarting)
	}
	b.mu.Unlock()
	return b.settled(ctx)
}

// Close ends the browser and everything that belongs to it. A browser that we attached to keeps running.
func (b *Browser) Close(ctx context.Context) error {
	b.mu.Lock()
	old := b.drop()
	b.set(Stopped, nil)
	if b.giveUp != nil {
		b.giveUp()
	}
	b.mu.Unlock()
	if old != nil {
		old.shut(ctx)
	}
	b.work.Wait()
	return nil
}

// begin starts the browser in the background; the caller holds mu. The start belongs to no call, so that a caller who
// gives up does not take the browser from the others.
func (b *Browser) begin(s State) {
	b.set(s, nil)
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	b.giveUp = cancel
	b.work.Go(func() {
		defer cancel()
		began := b.now()
		l, err := b.connect(ctx)
		if err == nil {
			err = b.adopt(ctx, l)
		}
		b.mu.Lock()
		if err != nil {
			if b.state == s {
				b.down(problemOf(err), b.now().Add(coolOff))
			}
			b.mu.Unlock()
			b.log.Warn("the browser did not start", "error", err)
			return
		}
		if b.state != s { // Closed meanwhile.
			b.mu.Unlock()
			l.shut(ctx)
			return
		}
		b.link = l
		b.set(Running, nil)
		b.mu.Unlock()
		b.log.Info("the browser runs", "product", l.product, "version", l.version, "transport", l.transport,
			"took_ms", b.now().Sub(began).Milliseconds())
		b.work.Go(func() { b.watch(l) })
	})
}

// adopt starts to follow the targets of a fresh link.
func (b *Browser) adopt(ctx context.Context, l *link) error {
	if err := b.discover(ctx, l); err != nil {
		l.shut(ctx)
		b.mu.Lock()
		b.drop()
		b.mu.Unlock()
		return &UnavailableError{Problem{
			What: "The browser started but its tabs cannot be followed: " + err.Error() + ".",
			Fix:  "Update the browser; Kuang needs a Chromium of the last two years.",
		}}
	}
	return nil
}

// watch waits for the end of a link and deals with one that nobody asked for.
func (b *Browser) watch(l *link) {
	<-l.conn.Done()
	b.mu.Lock()
	if l.closing {
		b.mu.Unlock()
		return
	}
	b.drop()
	crashedAt := b.now()
	again := b.lastCrash.IsZero() || crashedAt.Sub(b.lastCrash) > crashWindow
	b.set(Restarting, nil) // Callers wait while we find out how it ended.
	b.mu.Unlock()

	what, left := b.autopsy(l)
	b.log.Warn("the browser went away", "what", what, "restart", again && !left)

	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != Restarting {
		return // Closed meanwhile.
	}
	switch {
	case left:
		b.down(&Problem{What: what, Fix: "It starts again with the next call, or press Restart."}, crashedAt)
	case again:
		b.lastCrash = crashedAt
		b.restarts++
		b.begin(Restarting)
	default:
		b.lastCrash = crashedAt
		b.down(&Problem{
			What: what + " It was the second time within a minute.",
			Fix:  "Press Restart; when it goes on, update the browser or start it on a fresh profile.",
		}, crashedAt.Add(coolOff))
	}
}

// autopsy says how a browser ended, and whether it left by itself. Nothing of it is left running.
func (b *Browser) autopsy(l *link) (what string, left bool) {
	if l.proc == nil {
		return "The connection to the browser at " + l.endpoint + " ended.", false
	}
	ctx, cancel := context.WithTimeout(context.Background(), exitTimeout)
	defer cancel()
	if !l.proc.wait(ctx) {
		l.proc.kill()
		return "The browser closed its connection and was ended.", false
	}
	if l.proc.left() {
		return "The browser was closed.", true
	}
	return fmt.Sprintf("The browser ended unexpectedly (%s).", l.proc.cmd.ProcessState), false
}

// drop parts from the link and closes its tabs; the caller holds mu.
func (b *Browser) drop() *link {
	l := b.link
	b.link = nil
	if l != nil {
		l.closing = true
	}
	for id := range b.pages {
		b.forget(id)
	}
	return l
}

func (b *Browser) down(p *Problem, retryAt time.Time) {
	b.retryAt = retryAt
	b.set(Down, p)
}

// set changes the state and wakes who waits for it; the caller holds mu.
func (b *Browser) set(s State, p *Problem) {
	b.state, b.problem, b.since = s, p, b.now().UTC().Truncate(time.Millisecond)
	close(b.changed)
	b.changed = make(chan struct{})
	b.events.announce(Event{Kind: StatusChanged})
}

// settled waits for the end of a start or restart.
func (b *Browser) settled(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout+closeTimeout)
	defer cancel()
	for {
		b.mu.Lock()
		state, problem, changed, answers := b.state, b.problem, b.changed, b.answers()
		b.mu.Unlock()
		if answers {
			return nil
		}
		switch state {
		case Down:
			return &UnavailableError{*problem}
		case Stopped:
			return &UnavailableError{Problem{What: "The browser is not started.", Fix: "Press Restart."}}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for the browser: %w", ctx.Err())
		}
	}
}

// leaving reports whether the link ends because we want it to.
func (b *Browser) leaving(l *link) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return l.closing
}

// answers reports whether the browser runs; the caller holds mu. A connection that has just dropped has failed its calls
// before watch took note of it, and whoever calls again at once must wait for the restart.
func (b *Browser) answers() bool { return b.state == Running && b.link.conn.Err() == nil }

// running returns the link of a browser that runs.
func (b *Browser) running() (*link, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.link, b.link != nil
}

// Connection is the protocol connection of the running browser, for its counters; nil when there is none.
func (b *Browser) Connection() *cdp.Conn {
	if l, ok := b.running(); ok {
		return l.conn
	}
	return nil
}

func problemOf(err error) *Problem {
	var u *UnavailableError
	if errors.As(err, &u) {
		return &u.Problem
	}
	return &Problem{What: "The browser could not be started: " + err.Error() + ".", Fix: "Press Restart."}
}
