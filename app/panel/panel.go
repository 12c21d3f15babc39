// Package panel is what the control panel can ask and change: one bound type, Panel, whose methods the desktop shell
// offers to the panel's script. It is the only way to change a setting.
//
// The methods take no context because the bridge has none to give; each bounds its own work, and none waits for the
// browser longer than a glance takes. Errors cross as JSON, see FormatError. Changes are announced by topic, see
// Changed; the panel then asks again for what it shows.
package panel

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"kuang/backend/browser"
	"kuang/backend/ledger"
	"kuang/backend/runs"
	"kuang/settings"
)

const (
	// storeLimit bounds a read of the log or the ledger; longer, and the panel had better say so.
	storeLimit = 5 * time.Second
	// glanceLimit bounds questions to pages: whoever shows the answer shows the last known one meanwhile.
	glanceLimit = time.Second
	// reloadLimit bounds the commit of a reload that a person asked for.
	reloadLimit = 10 * time.Second
)

// SaveFile asks the person where a file with the suggested name shall go, and returns the path, or "" for nowhere.
type SaveFile func(name string) (path string, err error)

// Panel is bound to the panel's script as window.go.panel.Panel. Its exported methods are the whole bridge.
type Panel struct {
	cfg      Config
	announce *announcer
	activity *activity
	cancels  []func()

	// mu guards what follows; held for no call to another package.
	mu sync.Mutex
	// save is given by the desktop shell once its window is there.
	save SaveFile
	// reads counts the sealed reads since the start.
	reads int
	// countedSince is when the counters were last begun anew.
	countedSince time.Time
	// startFault is why Kuang could not start whole.
	startFault *Fault
	// patched is the last answer of the documents; unasked says that one of them may answer otherwise now.
	patched []PatchedTab
	unasked bool
}

// New builds the panel and subscribes to what it shows. Close ends that.
func New(c Config) *Panel {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	p := &Panel{cfg: c, announce: newAnnouncer(), activity: newActivity(), countedSince: time.Now(), patched: []PatchedTab{}, unasked: true}
	p.cancels = []func(){
		c.Policy.Subscribe(func(settings.Policy) {
			p.askDocuments()
			p.announce.changed(TopicHud, TopicShadowWalk)
		}),
		c.Browser.Subscribe(p.browserChanged),
		c.Runs.Subscribe(func(r runs.Run, e runs.Entry) {
			p.activity.record(r, e)
			p.announce.changed(TopicRuns, TopicDeck, TopicHud, TopicAPI, TopicOverview)
		}),
		c.Ledger.Subscribe(func(ledger.Action) { p.announce.changed(TopicLedger, TopicDeck) }),
		c.Walker.Subscribe(p.sealedRead),
	}
	return p
}

// Attach gives the panel its window: emit sends an event to the panel's script, save asks where a file shall go. It
// is no method, so that the script cannot reach it.
func Attach(p *Panel, emit func(topic string, data any), save SaveFile) {
	p.mu.Lock()
	p.save = save
	p.mu.Unlock()
	p.announce.attach(emit)
}

// Close ends the subscriptions and the announcements.
func Close(p *Panel) {
	for _, cancel := range p.cancels {
		cancel()
	}
	p.announce.close()
}

func (p *Panel) browserChanged(e browser.Event) {
	if e.Kind != "status" {
		p.askDocuments() // A document that came or went may be a patched one.
	}
	p.announce.changed(TopicHud, TopicBrowser, TopicDeck, TopicOverview, TopicShadowWalk)
}

func (p *Panel) sealedRead(reading bool) {
	if reading {
		p.mu.Lock()
		p.reads++
		p.mu.Unlock()
	}
	p.announce.changed(TopicHud, TopicOverview)
}

// Hud returns the chips and the faults that hold now.
func (p *Panel) Hud() (Hud, error) {
	status, policy := p.cfg.Browser.Status(), p.cfg.Policy.Policy()
	p.mu.Lock()
	reads := p.reads
	p.mu.Unlock()
	return Hud{
		Version: p.cfg.Version,
		Browser: BrowserChip{
			State: status.State, Product: status.Product, Major: major(status.Version),
			Transport: status.Transport, Since: status.Since,
		},
		API:  APIChip{Address: address(p.cfg.API.URL()), Clients: p.cfg.Sessions.Clients()},
		Walk: WalkChip{On: policy.On(settings.Master), Locked: policy.Locked(settings.Master)},
		Patch: PatchChip{
			Armed: policy.Allow(settings.ForceOpen) == nil, Locked: policy.Locked(settings.ForceOpen), Tabs: p.patchedTabs(),
		},
		Sealed: SealedChip{Reading: p.cfg.Walker.Reading(), Reads: reads},
		Faults: p.faults(),
	}, nil
}

// askDocuments has the documents asked again at the next look.
func (p *Panel) askDocuments() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unasked = true
}

// patchedTabs returns the tabs whose documents say that they are patched. They are asked only when a document or the
// policy changed, so that looking at the panel sends nothing to a quiet page, and within a glance: what does not
// answer in time is asked at the next look, and the last answer stands.
func (p *Panel) patchedTabs() []PatchedTab {
	p.mu.Lock()
	ask, known := p.unasked, p.patched
	p.unasked = false
	p.mu.Unlock()
	if !ask {
		return known
	}
	ctx, cancel := context.WithTimeout(context.Background(), glanceLimit)
	defer cancel()
	tabs := p.cfg.Patched(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil {
		p.unasked = true
		return p.patched
	}
	p.patched = list(tabs)
	return p.patched
}

// list makes an empty list of none, since null is no list in script.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
