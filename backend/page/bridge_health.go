package page

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"kuang/backend/browser"
	"kuang/backend/verb"
	"kuang/settings"
)

// HealthIn asks for the health report.
type HealthIn struct {
	ResetCounters bool `json:"reset_counters,omitempty" jsonschema:"Set the protocol counters to zero after they were read. Default false."`
}

// HealthOut says how Kuang is and what it may do.
type HealthOut struct {
	Status       string           `json:"status" jsonschema:"ok, or degraded when the browser is not running or something was found damaged."`
	App          string           `json:"app"`
	Version      string           `json:"version"`
	Revision     int64            `json:"revision" jsonschema:"Of your active tab; 0 without one."`
	Capabilities []string         `json:"capabilities" jsonschema:"What this build can do."`
	Window       HealthWindow     `json:"window"`
	Input        HealthInput      `json:"input"`
	LastActionAt *time.Time       `json:"last_action_at,omitempty"`
	ShadowWalk   HealthShadowWalk `json:"shadow_walk"`
	Browser      browser.Status   `json:"browser"`
	Counters     []HealthCounters `json:"counters" jsonschema:"Protocol commands sent to each tab since the last reset, by method."`
	Problems     []string         `json:"problems" jsonschema:"What was found damaged at the start, and what holds instead."`
}

// HealthWindow is the browser window.
type HealthWindow struct {
	Visible bool `json:"visible" jsonschema:"The browser has a window."`
	Focused bool `json:"focused" jsonschema:"Pages behave as focused, whatever window is in front."`
}

// HealthInput is how input is sent.
type HealthInput struct {
	Transport string `json:"transport" jsonschema:"cdp: trusted events that need no window in front."`
}

// HealthShadowWalk is the policy as it holds.
type HealthShadowWalk struct {
	Enabled bool `json:"enabled"`
	// Levers has every lever that is built, by key, a switch as true or false and a number as itself.
	Levers       map[string]any `json:"levers" jsonschema:"Every lever of this build as it holds now."`
	Locked       []string       `json:"locked" jsonschema:"Environment variables that decide a lever for this run."`
	ForceOpen    bool           `json:"force_open" jsonschema:"The patch that opens closed roots is armed for coming documents."`
	PatchedTabs  []string       `json:"patched_tabs" jsonschema:"Tabs whose document is patched now."`
	UnknownKeys  []string       `json:"unknown_keys,omitempty" jsonschema:"Keys of the settings file that this build does not know; they are kept."`
	ReadingNow   bool           `json:"reading_now" jsonschema:"A sealed read is under way."`
	RefusedWhere string         `json:"refused_where" jsonschema:"Where a person changes these."`
}

// HealthCounters are one tab's.
type HealthCounters struct {
	Tab      string           `json:"tab"`
	Commands map[string]int64 `json:"commands"`
	Total    int64            `json:"total"`
}

// lastAction remembers when a page was last acted on.
type lastAction struct{ at atomic.Pointer[time.Time] }

func (l *lastAction) now() {
	at := time.Now().UTC().Truncate(time.Millisecond)
	l.at.Store(&at)
}

// health is defined over the other verbs, since their names are its capabilities.
func (v *verbs) health(others []verb.Definition) verb.Definition {
	capabilities := make([]string, 0, len(others))
	for _, d := range others {
		switch d.Name {
		case "observe":
			capabilities = append(capabilities, "observe:components,text")
		case "wait_for":
			capabilities = append(capabilities, "wait_for:selector,gone,text,url")
		case "act":
			capabilities = append(capabilities, "act:click,double_click,hover,type,press,focus,scroll_into_view")
		case "find":
			capabilities = append(capabilities, "find", "find:sealed")
		default:
			capabilities = append(capabilities, d.Name)
		}
	}
	return verb.Define(verb.Definition{
		Name: "bridge_health", Title: "Health", Domain: "page.health",
		Summary: "How Kuang and its browser are, and what you may do.",
		Description: "Call it once when you begin: it says what this build can do, which levers the person left on, and how the " +
			"browser is. It works also when the browser does not. counters show what was asked of each tab over the protocol.",
		Effect: verb.Read, Target: verb.NoTab,
	}, func(ctx context.Context, call *verb.Call, in HealthIn) (HealthOut, error) {
		out := HealthOut{
			Status: "ok", App: "kuang", Version: v.Version, Capabilities: capabilities, Input: HealthInput{Transport: "cdp"},
			Browser: v.Browser.Status(), LastActionAt: v.acted.at.Load(), Problems: []string{}, Counters: []HealthCounters{},
		}
		out.Window = HealthWindow{Visible: out.Browser.State == browser.Running && !out.Browser.Headless, Focused: true}
		if v.Problems != nil {
			out.Problems = append(out.Problems, v.Problems()...)
		}
		if out.Browser.State != browser.Running || len(out.Problems) > 0 {
			out.Status = "degraded"
		}
		if t, err := call.Session.Tab(""); err == nil {
			out.Revision = t.Revision()
		}
		out.ShadowWalk = v.shadowWalk(ctx, call.Policy)
		for _, t := range v.Browser.Tabs() {
			c := HealthCounters{Tab: t.ID(), Commands: t.Session().Counts()}
			for _, n := range c.Commands {
				c.Total += n
			}
			out.Counters = append(out.Counters, c)
			if in.ResetCounters {
				t.Session().Reset()
			}
		}
		return out, nil
	})
}

// shadowWalk is the policy in short, and what force-open has done.
func (v *verbs) shadowWalk(ctx context.Context, p settings.Policy) HealthShadowWalk {
	out := HealthShadowWalk{
		Enabled: p.On(settings.Master), Levers: map[string]any{}, Locked: []string{}, PatchedTabs: []string{},
		RefusedWhere: "Settings → Shadow Walk", ReadingNow: v.Walker.Reading(),
	}
	for _, l := range settings.Levers() {
		if by := p.Locked(l.Key); by != "" && !slices.Contains(out.Locked, by) {
			out.Locked = append(out.Locked, by)
		}
		if !l.Built || l.Key == settings.Master {
			continue
		}
		if l.Kind == settings.Number {
			out.Levers[l.Key] = p.Int(l.Key)
		} else {
			out.Levers[l.Key] = p.Allow(l.Key) == nil
		}
	}
	out.ForceOpen = p.Allow(forceOpen) == nil
	if v.Settings != nil {
		out.UnknownKeys = v.Settings.Report().Unknown
	}
	if v.ForceOpen != nil {
		for _, t := range v.ForceOpen.Patched(ctx) {
			out.PatchedTabs = append(out.PatchedTabs, t.ID)
		}
	}
	return out
}

// forceOpen is the lever of the patch that opens closed roots.
const forceOpen = "shadow.forceOpen"
