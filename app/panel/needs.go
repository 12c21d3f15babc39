package panel

import (
	"context"
	"io"
	"log/slog"
	"time"

	"kuang/backend/browser"
	"kuang/backend/ledger"
	"kuang/backend/runs"
	"kuang/settings"
)

// Config is what the panel is built from. Every field but Log is needed.
type Config struct {
	Browser     Browser
	Tabs        Tabs
	Sessions    Sessions
	Policy      Policy
	Preferences Preferences
	Runs        Runs
	Ledger      Ledger
	Walker      Walker
	// Patched lists the tabs whose documents are patched by force-open, as the documents themselves say.
	Patched  func(context.Context) []PatchedTab
	Database Database
	API      API
	Token    TokenFile
	Version  string
	// Program is the path of the running binary and TokenPath the token's file, for the commands that connect an agent.
	Program, TokenPath string
	Log                *slog.Logger
}

// Browser is the one browser; *browser.Browser is one.
type Browser interface {
	Status() browser.Status
	Restart(context.Context) error
	Listed() []browser.Listing
	Subscribe(func(browser.Event)) (cancel func())
}

// Tabs looks at single tabs; TabsOf makes one.
type Tabs interface {
	// Tab returns the tab at id, unless it is gone.
	Tab(id string) (TabRef, bool)
	// Frames counts the child frames of a tab and those of them that live in a process of their own.
	Frames(ctx context.Context, id string) (frames, otherSite int, err error)
	Reload(ctx context.Context, id string) error
	// Counts are the protocol commands sent for a tab, by method; "" is all tabs. ResetCounts begins anew.
	Counts(id string) map[string]int64
	ResetCounts()
}

// Sessions lists who is connected; SessionsOf makes one.
type Sessions interface {
	Live() []LiveSession
	Clients() int
}

// LiveSession is a session as it is now.
type LiveSession struct {
	ID, Client, Surface string
	// Active is the id of the active tab, or empty.
	Active string
	// Owned are the ids of all its tabs.
	Owned []string
}

// Policy is the Shadow Walk policy; *settings.Store is one.
type Policy interface {
	Policy() settings.Policy
	Set(key string, value any) error
	Arm(key, word string) error
	Reset() error
	Report() settings.Report
	Subscribe(func(settings.Policy)) (cancel func())
}

// Preferences are the program's own settings; *settings.PreferenceStore is one.
type Preferences interface {
	Get() settings.Preferences
	Set(settings.Preferences) error
	Report() settings.Report
}

// Runs is the log of calls; *runs.Log is one.
type Runs interface {
	Runs(context.Context, runs.Filter) (runs.Page, error)
	Run(ctx context.Context, id string, limit int) (runs.Detail, error)
	Sites(context.Context) ([]string, error)
	Export(ctx context.Context, id string, w io.Writer) error
	Subscribe(func(runs.Run, runs.Entry)) (cancel func())
}

// Ledger is the list of actions; *ledger.Ledger is one.
type Ledger interface {
	List(ctx context.Context, before string, limit int) ([]ledger.Action, error)
	Subscribe(func(ledger.Action)) (cancel func())
}

// Walker reads sealed controls; *shadowwalk.Walker is one.
type Walker interface {
	Reading() bool
	// LastRead says how many sealed controls the last read of a tab found, and when.
	LastRead(tabID string) (controls int, at time.Time, ok bool)
	Subscribe(func(reading bool)) (cancel func())
}

// Database is where runs and ledger are kept; *store.DB is one.
type Database interface {
	// Broken is the file that was set aside because it was damaged, or empty.
	Broken() string
}

// API is the agent API; *api.Server is one.
type API interface {
	// URL is where it listens; empty while it does not.
	URL() string
}

// TokenFile is the API's token; *api.Token is one.
type TokenFile interface {
	Value() string
	Rotate() error
}
