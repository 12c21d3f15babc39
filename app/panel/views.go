package panel

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"kuang/backend/browser"
	"kuang/settings"
)

// restartLimit bounds a restart that a person asked for: closing, starting, and the first answer.
const restartLimit = time.Minute

// deckActions is how many rows of the ledger the Deck shows.
const deckActions = 5

// Deck returns what is live.
func (p *Panel) Deck() (Deck, error) {
	ctx, cancel := context.WithTimeout(context.Background(), storeLimit)
	defer cancel()
	last, err := p.cfg.Ledger.List(ctx, "", deckActions)
	if err != nil {
		return Deck{}, logError(err)
	}
	d := Deck{Sessions: []DeckSession{}, Last: list(last), Commands: p.commands()}
	for _, s := range p.cfg.Sessions.Live() {
		w := p.activity.of(s.ID)
		card := DeckSession{
			ID: s.ID, Client: s.Client, Surface: s.Surface, Tabs: len(s.Owned), Calls: w.calls, FirstAt: w.first, LastAt: w.last,
			LastVerb: w.verb, LastSite: w.site, LastOutcome: w.outcome, RunID: w.run,
		}
		if tab, ok := p.cfg.Tabs.Tab(s.Active); ok {
			card.Tab = &tab
		}
		d.Sessions = append(d.Sessions, card)
	}
	slices.SortStableFunc(d.Sessions, func(x, y DeckSession) int {
		return cmp.Or(y.LastAt.Compare(x.LastAt), cmp.Compare(x.ID, y.ID))
	})
	d.Fresh = len(d.Sessions) == 0 && len(d.Last) == 0 && len(p.activity.all()) == 0
	return d, nil
}

// Browser returns the facts about the browser.
func (p *Panel) Browser() (BrowserFacts, error) {
	f := BrowserFacts{Status: p.cfg.Browser.Status(), Faults: p.faultsOf(AreaBrowser)}
	for _, l := range p.cfg.Browser.Listed() {
		f.Tabs++
		if !l.Attached {
			f.Yours++
		}
	}
	return f, nil
}

// RestartBrowser begins to start the browser again and does not wait: its status tells how that goes.
func (p *Panel) RestartBrowser() error {
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), restartLimit)
		defer cancel()
		if err := p.cfg.Browser.Restart(ctx); err != nil {
			p.cfg.Log.Warn("restarting the browser from the panel", "error", err)
		}
		p.browserChanged(browser.Event{Kind: "status"})
	}()
	return nil
}

// API returns where agents reach Kuang and who did.
func (p *Panel) API() (APIFacts, error) {
	f := APIFacts{
		URL: p.cfg.API.URL(), TokenFile: p.cfg.TokenPath, Clients: []Client{}, Connected: p.cfg.Sessions.Clients(),
		Commands: p.commands(), Faults: p.faultsOf(AreaAPI),
	}
	seen := map[string]bool{}
	for _, w := range p.activity.all() {
		seen[w.session] = true
		f.Clients = append(f.Clients, Client{Name: w.client, Surface: w.surface, Session: w.session, Calls: w.calls, LastAt: w.last})
	}
	for _, s := range p.cfg.Sessions.Live() {
		if !seen[s.ID] {
			f.Clients = append(f.Clients, Client{Name: s.Client, Surface: s.Surface, Session: s.ID})
		}
	}
	return f, nil
}

// RevealToken returns the token, for the person to see or copy.
func (p *Panel) RevealToken() (Token, error) { return Token{p.cfg.Token.Value()}, nil }

// RotateToken makes a new token; the old one stops working at once.
func (p *Panel) RotateToken() (Token, error) {
	if err := p.cfg.Token.Rotate(); err != nil {
		return Token{}, &BridgeError{Code: CodeTokenFailed, What: "The token was not changed: " + err.Error() + ".",
			Do: "The old one still works. Check that the data directory can be written.", cause: err}
	}
	p.announce.changed(TopicAPI)
	return p.RevealToken()
}

// Appearance returns how the panel looks.
func (p *Panel) Appearance() (Appearance, error) {
	theme := Theme(p.cfg.Preferences.Get().Appearance.Theme)
	return Appearance{Theme: theme, Faults: p.faultsOf(AreaSettings)}, nil
}

// SetTheme changes how the panel looks and saves.
func (p *Panel) SetTheme(theme Theme) (Appearance, error) {
	prefs := p.cfg.Preferences.Get()
	prefs.Appearance = settings.Appearance{Theme: string(theme)}
	if err := p.cfg.Preferences.Set(prefs); err != nil {
		p.announce.changed(TopicHud)
		return Appearance{}, settingError(err)
	}
	return p.Appearance()
}

// commands are the ways to connect an agent, each ready to be pasted.
func (p *Panel) commands() []Command {
	base := cmp.Or(p.cfg.API.URL(), "http://127.0.0.1:"+strconv.Itoa(p.cfg.Preferences.Get().API.Port))
	mcp, _ := json.Marshal(map[string]any{ // Strings always marshal.
		"mcpServers": map[string]any{"kuang": map[string]any{"command": p.cfg.Program, "args": []string{"mcp"}}},
	})
	return []Command{
		{"HTTP", "curl " + base + "/v1/navigate -H \"Authorization: Bearer $(cat " + quoted(p.cfg.TokenPath) + ")\" -d '{\"url\":\"https://example.com\"}'"},
		{"MCP", string(mcp)},
		{"CLI", quoted(p.cfg.Program) + " navigate --url https://example.com"},
	}
}

// quoted makes a path one word for the shell.
func quoted(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%", r)
	}
	if path != "" && strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// address is host and port of a URL.
func address(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Host
}

func major(version string) string {
	m, _, _ := strings.Cut(version, ".")
	return m
}
