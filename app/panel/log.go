package panel

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/google/renameio/v2"

	"kuang/backend/runs"
)

const (
	// runsPerPage and logCalls are how much of the log a view shows at once; the export has the rest.
	runsPerPage = 10
	logCalls    = 200
	// ledgerPerPage is how many actions a view shows at once.
	ledgerPerPage = 50
)

// Runs lists runs, newest first. Pages count from 1; outcome and site are "" for all.
func (p *Panel) Runs(page int, outcome, site string) (RunsPage, error) {
	ctx, cancel := context.WithTimeout(context.Background(), storeLimit)
	defer cancel()
	page = max(page, 1)
	found, err := p.cfg.Runs.Runs(ctx, runs.Filter{Outcome: outcome, Site: site, Page: page, PerPage: runsPerPage})
	if err != nil {
		return RunsPage{}, logError(err)
	}
	sites, err := p.cfg.Runs.Sites(ctx)
	if err != nil {
		return RunsPage{}, logError(err)
	}
	for i := range found.Runs {
		found.Runs[i].Sites = list(found.Runs[i].Sites)
	}
	return RunsPage{Runs: list(found.Runs), Total: found.Total, Page: page, PerPage: runsPerPage, Sites: list(sites)}, nil
}

// Run returns a run with its latest calls, without what went in and came out.
func (p *Panel) Run(id string) (RunLog, error) {
	d, err := p.run(id)
	if err != nil {
		return RunLog{}, err
	}
	l := RunLog{Run: d.Run, Calls: make([]LogCall, 0, len(d.Entries)), Total: d.Total}
	l.Run.Sites = list(l.Run.Sites)
	for _, e := range d.Entries {
		l.Calls = append(l.Calls, LogCall{
			ID: e.ID, At: e.At, Verb: e.Verb, Tab: e.Tab, Site: e.Site, Outcome: e.Outcome, Code: e.Code,
			Say: describe(e.Input), Verdict: verdict(e.Output), DurationMS: e.DurationMS,
		})
	}
	return l, nil
}

// Call returns one of a run's latest calls, whole.
func (p *Panel) Call(run, id string) (runs.Entry, error) {
	d, err := p.run(run)
	if err != nil {
		return runs.Entry{}, err
	}
	for _, e := range d.Entries {
		if e.ID == id {
			if e.Protocol == nil {
				e.Protocol = map[string]int64{}
			}
			return e, nil
		}
	}
	return runs.Entry{}, &BridgeError{Code: CodeUnknownRun,
		What: "This call is no longer among the latest of its run.", Do: "The export has all of them."}
}

func (p *Panel) run(id string) (runs.Detail, error) {
	ctx, cancel := context.WithTimeout(context.Background(), storeLimit)
	defer cancel()
	d, err := p.cfg.Runs.Run(ctx, id, logCalls)
	return d, logError(err)
}

// ExportRun asks the person for a place and writes all calls of a run there, as JSON lines.
func (p *Panel) ExportRun(id string) (Exported, error) {
	ctx, cancel := context.WithTimeout(context.Background(), storeLimit)
	defer cancel()
	d, err := p.cfg.Runs.Run(ctx, id, 1)
	if err != nil {
		return Exported{}, logError(err)
	}
	p.mu.Lock()
	save := p.save
	p.mu.Unlock()
	if save == nil {
		return Exported{}, &BridgeError{Code: CodeInternal, What: "There is no window to ask for a place.", Do: "Open the panel and export again."}
	}
	name := fmt.Sprintf("%s-%s.jsonl", fileName(d.Run.Client), d.Run.StartedAt.Local().Format("20060102-150405"))
	path, err := save(name)
	if err != nil {
		return Exported{}, exportError(err)
	}
	if path == "" {
		return Exported{}, nil
	}
	if err := p.export(id, path); err != nil {
		return Exported{}, exportError(err)
	}
	return Exported{path}, nil
}

// export writes the run to path, whole or not at all. The dialog took its time, so the limit begins here.
func (p *Panel) export(id, path string) error {
	ctx, cancel := context.WithTimeout(context.Background(), storeLimit)
	defer cancel()
	f, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o600), renameio.WithExistingPermissions())
	if err != nil {
		return err
	}
	defer f.Cleanup()
	if err := p.cfg.Runs.Export(ctx, id, f); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}

func exportError(err error) error {
	what := err.Error()
	if os.IsPermission(err) {
		what = "the place cannot be written"
	}
	return &BridgeError{Code: CodeSaveFailed, What: "The run was not exported: " + what + ".", Do: "Choose another place.", cause: err}
}

// fileName keeps the letters and digits of a client's name, which it chose itself.
func fileName(client string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '-'
	}, client)
	if name = strings.Trim(name, "-"); name == "" {
		return "run"
	}
	return name[:min(len(name), 60)]
}

// Ledger lists actions, newest first, that are older than the one with the id before; "" begins at the newest.
func (p *Panel) Ledger(before string) (LedgerPage, error) {
	ctx, cancel := context.WithTimeout(context.Background(), storeLimit)
	defer cancel()
	// One more than is shown tells whether there is more.
	found, err := p.cfg.Ledger.List(ctx, before, ledgerPerPage+1)
	if err != nil {
		return LedgerPage{}, logError(err)
	}
	l := LedgerPage{Actions: list(found)}
	if len(found) > ledgerPerPage {
		l.Actions = found[:ledgerPerPage]
		l.Older = l.Actions[ledgerPerPage-1].ID
	}
	return l, nil
}
