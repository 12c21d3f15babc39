package panel

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"kuang/settings"
)

// ShadowWalk returns every lever with its value.
func (p *Panel) ShadowWalk() (ShadowWalk, error) {
	policy, report := p.cfg.Policy.Policy(), p.cfg.Policy.Report()
	all := settings.Levers()
	w := ShadowWalk{
		Levers: make([]LeverState, 0, len(all)), SavedAt: report.SavedAt, Unknown: list(report.Unknown),
		Patched: p.patchedTabs(), Faults: p.faultsOf(AreaPolicy),
	}
	for _, l := range all {
		s := LeverState{
			Key: l.Key, Name: l.Name, Line: l.Line, Off: l.Off, Code: l.Code, Tier: l.Tier, Kind: l.Kind, Page: l.Page,
			Group: l.Group, Parent: l.Parent, Built: l.Built, Min: l.Min, Max: l.Max, Unit: l.Unit,
			Locked: policy.Locked(l.Key), On: policy.On(l.Key), Number: policy.Int(l.Key),
		}
		if l.Kind == settings.Switch {
			s.Default = l.Default == s.On
		} else {
			s.Default = l.Default == s.Number
		}
		w.Levers = append(w.Levers, s)
	}
	return w, nil
}

// SetSwitch turns a switch on or off and saves. A risky one is only turned off here; Arm turns it on.
func (p *Panel) SetSwitch(key string, on bool) (ShadowWalk, error) {
	return p.changePolicy(p.cfg.Policy.Set(key, on))
}

// SetNumber sets a number and saves.
func (p *Panel) SetNumber(key string, value int) (ShadowWalk, error) {
	return p.changePolicy(p.cfg.Policy.Set(key, value))
}

// Arm turns a risky lever on. The word is what the person typed.
func (p *Panel) Arm(key, word string) (ShadowWalk, error) {
	return p.changePolicy(p.cfg.Policy.Arm(key, word))
}

// ResetShadowWalk puts every lever back to its default and saves.
func (p *Panel) ResetShadowWalk() (ShadowWalk, error) {
	return p.changePolicy(p.cfg.Policy.Reset())
}

// changePolicy answers a change with the policy that holds now. A failed save is announced too, as a fault.
func (p *Panel) changePolicy(err error) (ShadowWalk, error) {
	if err != nil {
		p.announce.changed(TopicHud)
		return ShadowWalk{}, settingError(err)
	}
	return p.ShadowWalk()
}

// ReloadTab loads a tab's page again, which is what takes the patch off it.
func (p *Panel) ReloadTab(id string) error {
	ctx, cancel := context.WithTimeout(context.Background(), reloadLimit)
	defer cancel()
	err := p.cfg.Tabs.Reload(ctx, id)
	switch {
	case errors.Is(err, errNoTab):
		return &BridgeError{Code: CodeUnknownTab, What: "The tab " + id + " is closed already.", cause: err}
	case err != nil:
		return &BridgeError{Code: CodeInternal, What: "The tab " + id + " did not load again: " + err.Error() + ".",
			Do: "Load it again in the browser's window.", cause: err}
	}
	p.askDocuments()
	p.announce.changed(TopicHud, TopicShadowWalk, TopicOverview)
	return nil
}

// Overview returns what is known of the active tab, and the protocol counters.
func (p *Panel) Overview() (Overview, error) {
	tab, ok := p.activeTab()
	o := Overview{Counters: p.counters(tab.ID)}
	if !ok {
		return o, nil
	}
	r := &TabReading{Tab: tab}
	r.Sealed, r.ReadAt, _ = p.cfg.Walker.LastRead(tab.ID)
	ctx, cancel := context.WithTimeout(context.Background(), glanceLimit)
	defer cancel()
	if frames, other, err := p.cfg.Tabs.Frames(ctx, tab.ID); err == nil {
		r.Framed, r.Frames, r.OtherSite = true, frames, other
	}
	r.Patched = slices.ContainsFunc(p.patchedTabs(), func(t PatchedTab) bool { return t.ID == tab.ID })
	o.Tab = r
	return o, nil
}

// CountFromNow begins the protocol counters anew.
func (p *Panel) CountFromNow() (Overview, error) {
	p.cfg.Tabs.ResetCounts()
	p.mu.Lock()
	p.countedSince = time.Now()
	p.mu.Unlock()
	return p.Overview()
}

// activeTab is the active tab of the session that called last, else of any session.
func (p *Panel) activeTab() (TabRef, bool) {
	live := p.cfg.Sessions.Live()
	for _, w := range p.activity.all() {
		for _, s := range live {
			if s.ID == w.session && s.Active != "" {
				return p.cfg.Tabs.Tab(s.Active)
			}
		}
	}
	for _, s := range live {
		if s.Active != "" {
			return p.cfg.Tabs.Tab(s.Active)
		}
	}
	return TabRef{}, false
}

// quietDomains stay at 0 until a call asks for what needs them. Of Runtime only enable counts: a page can notice that
// one, and script in an isolated world does without it.
func quietDomains() []string {
	return []string{"Accessibility", "DOM", "CSS", "DOMSnapshot", "Overlay", runtimeEnable}
}

const runtimeEnable = "Runtime.enable"

func (p *Panel) counters(tab string) Counters {
	all := byDomain(p.cfg.Tabs.Counts(""))
	this := map[string]int64{}
	if tab != "" {
		this = byDomain(p.cfg.Tabs.Counts(tab))
	}
	p.mu.Lock()
	c := Counters{Since: p.countedSince, Quiet: []Counter{}, Driving: []Counter{}}
	p.mu.Unlock()
	// A browser that started since then brought counters of its own.
	if since := p.cfg.Browser.Status().Since; since.After(c.Since) {
		c.Since = since
	}
	quiet := quietDomains()
	for _, name := range quiet {
		c.Quiet = append(c.Quiet, Counter{name, this[name], all[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(quiet, name) {
			c.Driving = append(c.Driving, Counter{name, this[name], all[name]})
		}
	}
	return c
}

func byDomain(methods map[string]int64) map[string]int64 {
	domains := map[string]int64{}
	for method, n := range methods {
		domain, _, _ := strings.Cut(method, ".")
		if method == runtimeEnable {
			domain = method
		}
		domains[domain] += n
	}
	return domains
}
