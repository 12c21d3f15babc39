package shadowwalk

import (
	"context"
	_ "embed"
	"log/slog"
	"net/url"
	"slices"
	"sync"
	"time"

	"kuang/backend/browser"
	"kuang/settings"
)

// ForceOpenLever is the settings key that arms force-open.
const ForceOpenLever = "shadow.forceOpen"

// scriptKey names our script among those at document start.
const scriptKey = "force-open"

const (
	// applyTimeout bounds one change of the script in all tabs.
	applyTimeout = 10 * time.Second
	// askTimeout is how long a tab's documents have to say whether they are patched; a page that is busy for longer is
	// left out rather than waited for.
	askTimeout = 2 * time.Second
)

//go:embed forceopen.js
var forceOpenScript string

// ForceOpen follows the lever of the same name. While it is armed every new document makes its closed roots open;
// documents that are there already keep what they have until they reload, either way. A frame of another site can begin
// its first document before its process has been told.
type ForceOpen struct {
	browser  *browser.Browser
	settings *settings.Store
	log      *slog.Logger

	wake   chan struct{} // holds at most one signal: the policy changed
	cancel context.CancelFunc
	done   sync.WaitGroup

	// mu guards ever, between the follower and who asks for patched tabs.
	mu sync.Mutex
	// ever is true once the script was in place in this run. Before, no document can have run it.
	ever bool
}

// PatchedTab is a tab with a document in which force-open ran.
type PatchedTab struct {
	ID   string `json:"id"`
	Host string `json:"host"` // of the tab's address; the whole address where it has no host
}

// NewForceOpen makes a follower; Start starts it.
func NewForceOpen(b *browser.Browser, s *settings.Store, log *slog.Logger) *ForceOpen {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &ForceOpen{browser: b, settings: s, log: log, wake: make(chan struct{}, 1)}
}

// Start puts the script where the policy wants it, so that the first tab opened after it has it, and follows the policy
// until Close.
func (f *ForceOpen) Start(ctx context.Context) {
	ctx, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
	unsubscribe := f.settings.Subscribe(func(settings.Policy) {
		select {
		case f.wake <- struct{}{}:
		default: // A signal is waiting already, and the newest policy is read when it is taken.
		}
	})
	armed := f.Armed()
	f.apply(ctx, armed)
	f.done.Go(func() {
		defer unsubscribe()
		for {
			select {
			case <-f.wake:
			case <-ctx.Done():
				return
			}
			if now := f.Armed(); now != armed {
				armed = now
				f.apply(ctx, armed)
			}
		}
	})
}

// Close ends the following. The script stays as it is; the browser ends with the program.
func (f *ForceOpen) Close() error {
	if f.cancel != nil {
		f.cancel()
	}
	f.done.Wait()
	return nil
}

// Armed reports whether the next documents are patched: the lever, its variable and the master switch together.
func (f *ForceOpen) Armed() bool { return f.settings.Policy().Allow(ForceOpenLever) == nil }

func (f *ForceOpen) apply(ctx context.Context, armed bool) {
	source := ""
	if armed {
		source = forceOpenScript
		f.mu.Lock()
		f.ever = true
		f.mu.Unlock()
	}
	ctx, cancel := context.WithTimeout(ctx, applyTimeout)
	defer cancel()
	if err := f.browser.SetDocumentStart(ctx, scriptKey, source); err != nil {
		// The tabs that failed are told again at the next change; the log names them.
		f.log.Error("changing the force-open script", "armed", armed, "error", err)
		return
	}
	f.log.Info("force-open", "armed", armed)
}

// Patched asks the documents of every tab whether force-open ran in them. It asks nothing while it was never armed in
// this run, unless the browser is one that an earlier run may have left documents in.
func (f *ForceOpen) Patched(ctx context.Context) []PatchedTab {
	f.mu.Lock()
	ever := f.ever
	f.mu.Unlock()
	if !ever && f.browser.Status().Transport != "attach" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	tabs := f.browser.Tabs()
	patched := make([]bool, len(tabs))
	var asked sync.WaitGroup
	for i, t := range tabs {
		asked.Go(func() {
			var err error
			if patched[i], err = t.Patched(ctx); err != nil {
				f.log.Debug("asking a tab whether it is patched", "tab", t.ID(), "error", err)
			}
		})
	}
	asked.Wait()
	var list []PatchedTab
	for i, t := range tabs {
		if patched[i] {
			list = append(list, PatchedTab{ID: t.ID(), Host: hostOf(t.URL())})
		}
	}
	return slices.Clip(list)
}

func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Hostname() != "" {
		return u.Hostname()
	}
	return address
}
