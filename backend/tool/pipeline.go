package tool

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"runtime/debug"
	"sync/atomic"
	"time"

	"kuang/backend/browser"
	"kuang/backend/cdp"
	"kuang/backend/ledger"
	"kuang/backend/runs"
	"kuang/backend/session"
	"kuang/backend/verb"
	"kuang/settings"
)

// What the pipeline needs of the services below it.
type (
	// Sessions finds or makes the session of a caller.
	Sessions interface {
		For(client, surface string) *session.Session
	}
	// Browser says whether there is a browser to work on.
	Browser interface {
		Ready(ctx context.Context) error
		Status() browser.Status
	}
	// Settings gives the policy of the moment.
	Settings interface{ Policy() settings.Policy }
	// Runs keeps every call.
	Runs interface {
		Record(ctx context.Context, session, client, surface string, e runs.Entry) (runs.Entry, error)
	}
	// Ledger keeps every action.
	Ledger interface {
		Add(ctx context.Context, a ledger.Action) (ledger.Action, error)
	}
)

// defaultMaxCall is the bound of a whole call, waiting for its turn on the tab included. The longest wait that a verb
// offers is two minutes; a call over five has lost its way.
const defaultMaxCall = 5 * time.Minute

// recordTimeout bounds what is written after a call, which goes on when the caller has left. SQLite waits up to five
// seconds for its lock.
const recordTimeout = 10 * time.Second

// Config is what a pipeline works with.
type Config struct {
	Registry *Registry
	Sessions Sessions
	Browser  Browser
	Settings Settings
	Runs     Runs
	Ledger   Ledger
	Log      *slog.Logger
	// MaxCall bounds a whole call; 0 means five minutes.
	MaxCall time.Duration
}

// Pipeline runs calls. It is safe for concurrent use.
type Pipeline struct {
	cfg        Config
	typed      *memory
	unrecorded atomic.Pointer[recordFailure]
}

// NewPipeline returns the pipeline over the services in c.
func NewPipeline(c Config) *Pipeline {
	if c.MaxCall == 0 {
		c.MaxCall = defaultMaxCall
	}
	return &Pipeline{cfg: c, typed: &memory{}}
}

// run is one call on its way through the pipeline.
type run struct {
	who     verb.Caller
	name    string // as the caller wrote it, until the verb is found
	body    []byte
	started time.Time
	session *session.Session
	tool    Tool
	input   []byte // validated, without tab; nil until then
	tab     *browser.Tab
	site    string // where the call began
	in, out any
	ran     bool // the verb was entered
	scrub   scrubber
	meter   *cdp.Meter
}

// Call runs one call from raw input to reply. It never panics and never fails: what goes wrong is in the reply, and
// every call is in the run log, refused ones too.
func (p *Pipeline) Call(ctx context.Context, who verb.Caller, name string, input []byte) Reply {
	// The bound is a cancellation and not a deadline: a protocol call without a deadline gets a much shorter one of its own.
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := time.AfterFunc(p.cfg.MaxCall, func() { cancel(errCallTooLong) })
	defer late.Stop()

	r := &run{who: named(who), name: name, body: input, started: time.Now()}
	ctx, r.meter = cdp.WithMeter(ctx)
	reply := p.serve(ctx, r)
	p.record(ctx, r, &reply)
	return reply
}

// serve takes the call through every step and turns its outcome into a reply.
func (p *Pipeline) serve(ctx context.Context, r *run) Reply {
	err := p.guarded(ctx, r)
	if err == nil {
		at := place{}
		if r.tab != nil {
			at = place{tab: r.tab.ID(), revision: r.tab.Revision()}
		}
		var reply Reply
		if reply, err = success(r.out, at, r.scrub, r.tool.Untrusted); err == nil {
			if pictured, ok := r.out.(verb.Pictured); ok {
				reply.Image = pictured.Picture()
			}
			return reply
		}
	}
	e := p.translate(ctx, r.session, r.tab, err)
	if e.Code == verb.Internal {
		p.logFault(r, err)
	}
	// An error of a verb that ran may quote the page; one from before it quotes nothing but names.
	return failure(e, r.scrub, r.ran && r.tool.Untrusted)
}

// guarded runs the steps and turns a panic into an error: a bug in one verb must not end the program.
func (p *Pipeline) guarded(ctx context.Context, r *run) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicked{value: v, stack: debug.Stack()}
		}
	}()
	r.session = p.cfg.Sessions.For(r.who.Client, r.who.Surface)
	return p.steps(ctx, r)
}

func (p *Pipeline) steps(ctx context.Context, r *run) error {
	var ok bool
	if r.tool, ok = p.cfg.Registry.Lookup(r.name); !ok {
		return p.cfg.Registry.Unknown(r.name)
	}
	r.name = r.tool.Name
	tabID, err := r.validate()
	if err != nil {
		return err
	}
	call := &verb.Call{
		Caller: r.who, Session: r.session, Policy: p.cfg.Settings.Policy(),
		Log: p.cfg.Log.With("verb", r.name, "session", r.session.ID()),
	}
	if r.tool.Target != verb.NoTab {
		unlock, err := p.takeTab(ctx, r, tabID)
		if err != nil {
			return err
		}
		defer unlock()
		call.Tab = r.tab
	}
	return p.enter(ctx, r, call)
}

// validate parses and checks the input and takes the common field out of it.
func (r *run) validate() (tabID string, err error) {
	object, err := parse(r.body)
	if err != nil {
		return "", err
	}
	if err := check(r.name, r.tool.InputSchema, object); err != nil {
		return "", err
	}
	if r.tool.Target != verb.NoTab {
		tabID, _ = object[tabField].(string) // The schema has made sure of the type.
		delete(object, tabField)
	}
	r.input, err = json.Marshal(object)
	return tabID, err
}

// takeTab finds the tab to work on and, for acting verbs, waits for the turn on it.
func (p *Pipeline) takeTab(ctx context.Context, r *run, id string) (unlock func(), err error) {
	if err := p.cfg.Browser.Ready(ctx); err != nil {
		return nil, err
	}
	r.tab, err = r.session.Tab(id)
	if errors.Is(err, session.ErrNoTab) && r.tool.Target == verb.OpenTab {
		r.tab, err = r.session.Open(ctx, "", false)
	}
	if err != nil {
		r.tab = nil
		return nil, err
	}
	unlock = func() {}
	if r.tool.Effect == verb.Act {
		if unlock, err = r.tab.Lock(ctx); err != nil {
			return nil, err
		}
	}
	r.site = host(r.tab.URL())
	return unlock, nil
}

// enter runs the verb itself and makes sure that an action shows in the tab's revision.
func (p *Pipeline) enter(ctx context.Context, r *run, call *verb.Call) error {
	var before int64
	if r.tab != nil {
		before = r.tab.Revision()
	}
	// The secrets are known before the verb runs, so that even a panic of it is redacted.
	in, secrets, err := r.tool.Decode(r.input)
	if err != nil {
		return err
	}
	r.in, r.scrub, r.ran = in, newScrubber(secrets), true
	p.typed.add(secrets)
	_, out, err := r.tool.Run(ctx, call, r.input)
	r.out = out
	if r.tab != nil && r.tool.Effect == verb.Act && r.tab.Revision() == before && r.sentence() != "" {
		r.tab.Bump()
	}
	return err
}

// sentence is the ledger's line for the call, or empty where nothing worth one happened.
func (r *run) sentence() string {
	if !r.ran || r.tool.Effect != verb.Act || r.in == nil {
		return ""
	}
	return r.tool.Sentence(r.in, r.out)
}

// logFault writes down a bug, with the stack where there is one. The caller is told nothing of it.
func (p *Pipeline) logFault(r *run, err error) {
	attrs := []any{"verb", clip(r.name), "error", r.scrub.text(err.Error())}
	var crash *panicked
	if errors.As(err, &crash) {
		attrs = append(attrs, "stack", r.scrub.text(string(crash.stack)))
	}
	p.cfg.Log.Error("running a verb", attrs...)
}

// protocol is what the call cost, by protocol method.
func (r *run) protocol() map[string]int64 {
	counts := maps.Clone(r.meter.Counts())
	if counts == nil {
		counts = map[string]int64{}
	}
	return counts
}
