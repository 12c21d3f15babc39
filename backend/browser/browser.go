// Package browser drives one external Chromium: it starts it or attaches to it, keeps it alive, and gives tabs with
// navigation, frames, isolated script worlds, trusted input, pictures and a network log.
//
// A tab is quiet: attaching enables Page, Network, auto-attach to child frames and focus emulation, and nothing else.
// While nobody asks, no protocol message is sent.
package browser

import (
	"context"
	"errors"
	"log/slog"
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
	ExtraFlags                []string
	Log                       *slog.Logger
}

// OpenOptions describe a new tab.
type OpenOptions struct {
	// URL is loaded before Open returns; empty means about:blank.
	URL string
	// Background leaves the active tab in front.
	Background bool
}

// Listing is a tab as a person sees it in the strip. A tab that is not attached belongs to the person.
type Listing struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	URL      string `json:"url"`
	Attached bool   `json:"attached"`
}

// Event says that something a panel shows has changed.
type Event struct {
	Kind  string `json:"kind"` // status, tab_opened, tab_changed or tab_closed
	TabID string `json:"tab_id,omitempty"`
}

// Browser is the one browser.
type Browser struct{ opts Options }

var errSkeleton = errors.New("browser: under construction")

// New prepares a browser; Start starts it.
func New(o Options) *Browser { return &Browser{opts: o} }

func (b *Browser) Start(ctx context.Context) error   { return errSkeleton }
func (b *Browser) Close(ctx context.Context) error   { return errSkeleton }
func (b *Browser) Restart(ctx context.Context) error { return errSkeleton }
func (b *Browser) Status() Status                    { return Status{} }
func (b *Browser) Ready(ctx context.Context) error   { return errSkeleton }
func (b *Browser) Open(ctx context.Context, o OpenOptions) (*Tab, error) {
	return nil, errSkeleton
}
func (b *Browser) Tab(id string) (*Tab, bool)               { return nil, false }
func (b *Browser) Tabs() []*Tab                             { return nil }
func (b *Browser) Listed() []Listing                        { return nil }
func (b *Browser) Subscribe(fn func(Event)) (cancel func()) { return func() {} }
func (b *Browser) SetDocumentStart(ctx context.Context, key, source string) error {
	return errSkeleton
}
