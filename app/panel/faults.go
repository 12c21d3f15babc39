package panel

import (
	"errors"
	"fmt"
	"strings"

	"kuang/backend/api"
	"kuang/backend/browser"
	"kuang/settings"
)

// Every failure that lasts becomes a Fault here and nowhere else: what happened, what to do, and the way there.

// faults lists what is wrong now, the most pressing first.
func (p *Panel) faults() []Fault {
	all := []Fault{}
	add := func(f *Fault) {
		if f != nil {
			all = append(all, *f)
		}
	}
	p.mu.Lock()
	add(p.startFault)
	p.mu.Unlock()
	add(browserFault(p.cfg.Browser.Status()))
	policy, preferences := p.cfg.Policy.Report(), p.cfg.Preferences.Report()
	add(saveFault(AreaPolicy, "Shadow Walk", policy))
	add(saveFault(AreaSettings, "Settings", preferences))
	add(asideFault(AreaPolicy, "The Shadow Walk file", policy, "settings/shadow-walk/overview", "Shadow Walk"))
	add(asideFault(AreaSettings, "The settings file", preferences, "", ""))
	add(databaseFault(p.cfg.Database.Broken()))
	return all
}

// faultsOf lists the faults of one area.
func (p *Panel) faultsOf(area Area) []Fault {
	some := []Fault{}
	for _, f := range p.faults() {
		if f.Area == area {
			some = append(some, f)
		}
	}
	return some
}

// Report tells the panel that Kuang could not start whole, such as when the API's port is taken.
func Report(p *Panel, err error) {
	p.mu.Lock()
	p.startFault = startFault(err)
	p.mu.Unlock()
	p.announce.changed(TopicHud, TopicAPI)
}

func startFault(err error) *Fault {
	f := &Fault{Code: "START_FAILED", Area: AreaAPI, What: "Agents cannot reach Kuang: " + err.Error() + ".",
		Do: "End what stands in its way and start Kuang again.", Route: "settings/api", Label: "API settings"}
	var taken *api.PortTakenError
	if errors.As(err, &taken) {
		f.Code = "PORT_TAKEN"
		f.What = fmt.Sprintf("Agents cannot reach Kuang: port %d could not be opened. Another program most likely holds it.", taken.Port)
		f.Do = "Close that program, or put another api.port into settings.json. Then start Kuang again."
	}
	return f
}

func browserFault(s browser.Status) *Fault {
	if s.State != browser.Down {
		return nil
	}
	f := &Fault{Code: "BROWSER_DOWN", Area: AreaBrowser, What: "The browser is not running.", Do: "Start it again.",
		Route: "settings/browser", Label: "Browser settings", Remedy: RemedyRestartBrowser}
	if s.Problem != nil {
		f.What, f.Do = s.Problem.What, s.Problem.Fix
	}
	return f
}

func saveFault(area Area, what string, r settings.Report) *Fault {
	if r.SaveError == "" {
		return nil
	}
	return &Fault{Code: string(CodeSaveFailed), Area: area, What: what + " could not be saved: " + r.SaveError + ".",
		Do: "What held before still holds. Check that the data directory can be written and has room, then change it again."}
}

func asideFault(area Area, what string, r settings.Report, route, label string) *Fault {
	if r.Broken == "" {
		return nil
	}
	return &Fault{Code: "FILE_SET_ASIDE", Area: area, What: what + " was not right. " + strings.Join(r.Problems, " "),
		Do: "It is kept as " + r.Broken + ". Set what you want again, or mend that file and put it back while Kuang is closed.", Route: route, Label: label}
}

func databaseFault(broken string) *Fault {
	if broken == "" {
		return nil
	}
	return &Fault{Code: "DATABASE_SET_ASIDE", Area: AreaLog, What: "The log of runs was damaged, so a new one was begun.",
		Do: "The old one is kept as " + broken + "."}
}

// errNoTab is a tab that closed before what was asked of it could be done.
var errNoTab = errors.New("the tab is closed")
