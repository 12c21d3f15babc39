// Package app puts Kuang together: it builds every service once, starts and ends them in order, and runs the whole as
// a desktop program, as a server or as a command.
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"kuang/backend/api"
	"kuang/backend/browser"
	"kuang/backend/ledger"
	"kuang/backend/mcp"
	"kuang/backend/page"
	"kuang/backend/runs"
	"kuang/backend/session"
	"kuang/backend/shadowwalk"
	"kuang/backend/store"
	"kuang/backend/tool"
	"kuang/settings"
)

// portFromSettings asks for the port that the person set.
const portFromSettings = -1

// Config is what a start decides; everything else is in the settings.
type Config struct {
	// Home is the data directory; empty means $KUANG_HOME, else the platform's.
	Home string
	Env  func(name string) string
	// Port of the API: portFromSettings, 0 for a free one, or a number.
	Port int
	// Headless keeps the browser's window away.
	Headless bool
	// Attach is the address of a running browser (--cdp); DebugPort drives the browser over a loopback port.
	Attach    string
	DebugPort int
	Log       *slog.Logger
}

// App is the graph of services of one Kuang.
type App struct {
	config    Config
	home      home
	log       *slog.Logger
	unlock    func()
	settings  *settings.Store
	prefs     *settings.PreferenceStore
	token     *api.Token
	db        *store.DB
	runs      *runs.Log
	ledger    *ledger.Ledger
	browser   *browser.Browser
	sessions  *session.Sessions
	walker    *shadowwalk.Walker
	forceOpen *shadowwalk.ForceOpen
	registry  *tool.Registry
	pipeline  *tool.Pipeline
	api       *api.Server
	started   bool
}

// New opens what is stored and builds the graph. It starts nothing: no port is open and no browser runs yet.
func New(c Config) (*App, error) {
	env := c.Env
	if c.Home != "" {
		env = func(name string) string {
			if name == "KUANG_HOME" {
				return c.Home
			}
			return c.Env(name)
		}
	}
	h, err := openHome(env)
	if err != nil {
		return nil, err
	}
	unlock, err := h.lock()
	if err != nil {
		return nil, err
	}
	a := &App{config: c, home: h, log: c.Log, unlock: unlock}
	if err := a.build(env); err != nil {
		return nil, errors.Join(err, a.closeStores())
	}
	return a, nil
}

func (a *App) build(env func(string) string) error {
	var err error
	if a.settings, err = settings.Open(string(a.home), env); err != nil {
		return fmt.Errorf("opening the policy: %w", err)
	}
	if a.prefs, err = settings.OpenPreferences(string(a.home)); err != nil {
		return fmt.Errorf("opening the settings: %w", err)
	}
	if a.token, err = api.OpenToken(a.home.path(api.TokenFile)); err != nil {
		return fmt.Errorf("opening the token: %w", err)
	}
	if a.db, err = store.Open(a.home.path("kuang.db")); err != nil {
		return fmt.Errorf("opening the database: %w", err)
	}
	a.runs, a.ledger = runs.New(a.db), ledger.New(a.db)
	p := a.prefs.Get()
	a.browser = browser.New(browser.Options{
		Executable: executable(env, p),
		Profile:    a.home.path("profile"),
		Headless:   a.config.Headless,
		DebugPort:  a.debugPort(p),
		Attach:     cmp.Or(a.config.Attach, p.Browser.Attach),
		Log:        a.log.With("part", "browser"),
	})
	a.sessions = session.New(a.browser)
	a.walker = shadowwalk.New(a.log.With("part", "shadowwalk"))
	a.forceOpen = shadowwalk.NewForceOpen(a.browser, a.settings, a.log.With("part", "shadowwalk"))
	a.registry, err = tool.NewRegistry(page.Verbs(page.Deps{
		Browser: a.browser, Sessions: a.sessions, Walker: a.walker, ForceOpen: a.forceOpen,
		Settings: a.settings, Version: Version(), Shots: a.home.path("shots"), Problems: a.problems,
	})...)
	if err != nil {
		return fmt.Errorf("building the registry: %w", err)
	}
	a.pipeline = tool.NewPipeline(tool.Config{
		Registry: a.registry, Sessions: a.sessions, Browser: a.browser, Settings: a.settings,
		Runs: a.runs, Ledger: a.ledger, Log: a.log.With("part", "pipeline"),
	})
	a.api = api.New(api.Config{
		Registry: a.registry, Pipeline: a.pipeline, Runs: a.runs, Ledger: a.ledger, Browser: a.browser,
		Token: a.token, Version: Version(), MCP: mcp.New(a.registry, a.pipeline, Version()).Handler(),
		Log: a.log.With("part", "api"),
	})
	return nil
}

// debugPort is the browser's debugging port, 0 for the pipe. Settings that choose a port always name one.
func (a *App) debugPort(p settings.Preferences) int {
	if a.config.DebugPort == 0 && p.Browser.Transport == "port" {
		return p.Browser.DebugPort
	}
	return a.config.DebugPort
}

// problems lists what was found damaged or unreadable and how it was mended, for bridge_health and the panel.
func (a *App) problems() []string {
	var list []string
	for _, r := range []settings.Report{a.settings.Report(), a.prefs.Report()} {
		list = append(list, r.Problems...) // What was wrong, and what holds instead.
		if r.Broken != "" {
			list = append(list, "The file as it was is kept as "+r.Broken+".")
		}
	}
	if b := a.db.Broken(); b != "" {
		list = append(list, "The database was damaged; it is kept as "+b+" and a new one was begun.")
	}
	if err := a.pipeline.Unrecorded(); err != nil {
		list = append(list, "Calls are not being recorded: "+err.Error()+". Make room on the disk, or make the data directory writable.")
	}
	return list
}

// Start opens the API and then starts the browser. A browser that does not start is no error here: calls answer
// BROWSER_UNAVAILABLE with the fix, and the panel shows the same.
func (a *App) Start(ctx context.Context) error {
	port := a.config.Port
	if port == portFromSettings {
		port = a.prefs.Get().API.Port
	}
	if err := a.api.Start(ctx, port); err != nil {
		return err
	}
	a.started = true
	err := a.home.announce(endpoint{URL: a.api.URL(), PID: os.Getpid(), StartedAt: time.Now()})
	if err != nil {
		return fmt.Errorf("saying where the API listens: %w", err)
	}
	a.forceOpen.Start(ctx)
	go a.prune(ctx)
	if err := a.browser.Start(ctx); err != nil && !errors.As(err, new(*browser.UnavailableError)) {
		return err // The caller gave up; a browser that cannot start has said so in the log.
	}
	return nil
}

// keep bounds the log and the ledger.
func keep() store.Limits { return store.Limits{Age: 90 * 24 * time.Hour, Bytes: 200 << 20} }

// pruneEvery is how often the log is cut to its bounds while Kuang runs.
const pruneEvery = time.Hour

func (a *App) prune(ctx context.Context) {
	tick := time.NewTicker(pruneEvery)
	defer tick.Stop()
	for {
		if err := a.db.Prune(ctx, keep()); err != nil && ctx.Err() == nil {
			a.log.Warn("pruning the log", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// URL is where the API listens; empty before Start.
func (a *App) URL() string { return a.api.URL() }

// TokenPath is the file that holds the API's token.
func (a *App) TokenPath() string { return a.home.path(api.TokenFile) }

// Close ends what Start began, in the reverse order: no new calls, then the browser, then the stores.
func (a *App) Close(ctx context.Context) error {
	var errs []error
	if a.started {
		errs = append(errs, a.home.retract(), a.api.Close(ctx), a.forceOpen.Close(), a.browser.Close(ctx))
	}
	errs = append(errs, a.closeStores())
	return errors.Join(errs...)
}

func (a *App) closeStores() error {
	var err error
	if a.db != nil {
		err = a.db.Close()
	}
	a.unlock()
	return err
}

// executable is the browser that the settings name, unless the variable names one for this run: then the browser
// package finds it by itself, and can say so when it is missing.
func executable(env func(string) string, p settings.Preferences) string {
	if env("KUANG_BROWSER") != "" {
		return ""
	}
	return p.Browser.Executable
}
