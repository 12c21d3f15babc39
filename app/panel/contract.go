package panel

import (
	"time"

	"kuang/backend/browser"
	"kuang/backend/ledger"
	"kuang/backend/runs"
	"kuang/settings"
)

// The types in this file cross the bridge. frontend/src/lib/backend/contract.ts is generated from them and from the
// methods of Panel; go test fails when it is stale. Lists and maps are never null.

// Topic is a part of what the panel shows that can change by itself.
type Topic string

// The topics.
const (
	TopicHud        Topic = "hud"
	TopicShadowWalk Topic = "shadow-walk"
	TopicOverview   Topic = "overview"
	TopicRuns       Topic = "runs"
	TopicLedger     Topic = "ledger"
	TopicDeck       Topic = "deck"
	TopicBrowser    Topic = "browser"
	TopicAPI        Topic = "api"
)

// Changed is the payload of the one event that the panel listens to.
type Changed struct {
	Topic Topic `json:"topic"`
}

// Area is the part of Kuang that a fault belongs to; a view shows the faults of its own area.
type Area string

// The areas.
const (
	AreaBrowser  Area = "browser"
	AreaAPI      Area = "api"
	AreaPolicy   Area = "policy"
	AreaSettings Area = "settings"
	AreaLog      Area = "log"
	AreaPanel    Area = "panel"
)

// Remedy is what the button of a fault does besides leading somewhere.
type Remedy string

// The remedies.
const (
	RemedyNone           Remedy = ""
	RemedyRestartBrowser Remedy = "restart_browser"
)

// Fault is a failure in two sentences and the way to its end.
type Fault struct {
	Code string `json:"code"`
	Area Area   `json:"area"`
	// What says what happened, Do what to do about it; a sentence or two each.
	What string `json:"what"`
	Do   string `json:"do"`
	// Route is the view that resolves it, Label the words that lead there; both empty when no view does.
	Route string `json:"route"`
	Label string `json:"label"`
	// Remedy is offered as a button of its own.
	Remedy Remedy `json:"remedy"`
}

// Hud is the row of chips, present on every view, and the faults that hold now.
type Hud struct {
	Version string      `json:"version"`
	Browser BrowserChip `json:"browser"`
	API     APIChip     `json:"api"`
	Walk    WalkChip    `json:"walk"`
	Patch   PatchChip   `json:"patch"`
	Sealed  SealedChip  `json:"sealed"`
	Faults  []Fault     `json:"faults"`
}

// BrowserChip says which browser runs and how it is driven.
type BrowserChip struct {
	State     browser.State `json:"state"`
	Product   string        `json:"product"`
	Major     string        `json:"major"`
	Transport string        `json:"transport"`
	Since     time.Time     `json:"since"`
}

// APIChip says where the API listens; Address is empty while it does not.
type APIChip struct {
	Address string `json:"address"`
	Clients int    `json:"clients"`
}

// WalkChip is the master switch. Locked is the variable that decides it for this run, or empty.
type WalkChip struct {
	On     bool   `json:"on"`
	Locked string `json:"locked"`
}

// PatchChip is force-open: the lever, and the documents that are patched whatever the lever says.
type PatchChip struct {
	Armed  bool         `json:"armed"`
	Locked string       `json:"locked"`
	Tabs   []PatchedTab `json:"tabs"`
}

// PatchedTab is a tab whose document stays patched until it reloads.
type PatchedTab struct {
	ID   string `json:"id"`
	Host string `json:"host"`
}

// SealedChip says whether an enumeration of sealed controls runs. Reads counts those begun since the start, so that
// one which is over before anybody looks is still seen.
type SealedChip struct {
	Reading bool `json:"reading"`
	Reads   int  `json:"reads"`
}

// LeverState is a row of the schema with the value that holds now.
type LeverState struct {
	Key    string        `json:"key"`
	Name   string        `json:"name"`
	Line   string        `json:"line"`
	Off    string        `json:"off"`
	Code   string        `json:"code"`
	Tier   settings.Tier `json:"tier"`
	Kind   settings.Kind `json:"kind"`
	Page   string        `json:"page"`
	Group  string        `json:"group"`
	Parent string        `json:"parent"`
	Built  bool          `json:"built"`
	// On is the value of a switch, Number that of a number; Default says whether it is the shipped one.
	On      bool   `json:"on"`
	Number  int    `json:"number"`
	Default bool   `json:"default"`
	Min     int    `json:"min"`
	Max     int    `json:"max"`
	Unit    string `json:"unit"`
	Locked  string `json:"locked"`
}

// ShadowWalk is the whole policy.
type ShadowWalk struct {
	Levers []LeverState `json:"levers"`
	// SavedAt is when the file was last written; absent before the first save.
	SavedAt time.Time `json:"saved_at,omitzero"`
	// Unknown are keys in the file that this build does not know and keeps.
	Unknown []string `json:"unknown"`
	// Patched are the tabs whose documents are patched now.
	Patched []PatchedTab `json:"patched"`
	Faults  []Fault      `json:"faults"`
}

// TabRef names a tab for a person.
type TabRef struct {
	ID    string `json:"id"`
	Host  string `json:"host"`
	Title string `json:"title"`
}

// Overview is what Shadow Walk has to say about the active tab, and the protocol counters.
type Overview struct {
	// Tab is the tab that an agent used last; null when no agent has one.
	Tab      *TabReading `json:"tab"`
	Counters Counters    `json:"counters"`
}

// TabReading is what is known of one tab without asking its page for anything sealed.
type TabReading struct {
	Tab TabRef `json:"tab"`
	// Sealed is the number of controls at the last sealed read, ReadAt when that was; absent before the first.
	Sealed int       `json:"sealed"`
	ReadAt time.Time `json:"read_at,omitzero"`
	// Frames counts the child frames, OtherSite those in a process of their own. Framed is false when the tab did
	// not answer in time.
	Framed    bool `json:"framed"`
	Frames    int  `json:"frames"`
	OtherSite int  `json:"other_site"`
	Patched   bool `json:"patched"`
}

// Counters are the protocol commands sent since a moment. Accessibility reads are those of the domain that a sealed
// read needs.
type Counters struct {
	Since time.Time `json:"since"`
	// Quiet stays at 0 until a call asks; Driving is what ordinary work needs.
	Quiet   []Counter `json:"quiet"`
	Driving []Counter `json:"driving"`
}

// Counter is a domain, or one method, with what the active tab and all tabs sent.
type Counter struct {
	Name    string `json:"name"`
	ThisTab int64  `json:"this_tab"`
	AllTabs int64  `json:"all_tabs"`
}

// RunsPage is one page of runs, newest first, pages counting from 1.
type RunsPage struct {
	Runs    []runs.Run `json:"runs"`
	Total   int        `json:"total"`
	Page    int        `json:"page"`
	PerPage int        `json:"per_page"`
	// Sites are the sites that can be filtered by, in alphabetical order.
	Sites []string `json:"sites"`
}

// RunLog is a run with its latest calls, newest first.
type RunLog struct {
	Run   runs.Run  `json:"run"`
	Calls []LogCall `json:"calls"`
	// Total is how many calls the run has; Calls holds the latest of them.
	Total int `json:"total"`
}

// LogCall is a line of the log. What went in and came out is asked for apart, with Call.
type LogCall struct {
	ID      string    `json:"id"`
	At      time.Time `json:"at"`
	Verb    string    `json:"verb"`
	Tab     string    `json:"tab"`
	Site    string    `json:"site"`
	Outcome string    `json:"outcome"`
	Code    string    `json:"code"`
	// Say is the input in a few words, page text quoted; Verdict is what the verb claims to have seen, or empty.
	Say        string `json:"say"`
	Verdict    string `json:"verdict"`
	DurationMS int64  `json:"duration_ms"`
}

// Exported says where an export went; Path is empty when the person chose no place.
type Exported struct {
	Path string `json:"path"`
}

// LedgerPage is a stretch of the ledger, newest first. Older is what Ledger takes for the next one, or empty.
type LedgerPage struct {
	Actions []ledger.Action `json:"actions"`
	Older   string          `json:"older"`
}

// Deck is what is live.
type Deck struct {
	// Fresh is true until the first agent calls.
	Fresh    bool            `json:"fresh"`
	Sessions []DeckSession   `json:"sessions"`
	Last     []ledger.Action `json:"last"`
	Commands []Command       `json:"commands"`
}

// DeckSession is one client at work.
type DeckSession struct {
	ID      string `json:"id"`
	Client  string `json:"client"`
	Surface string `json:"surface"`
	// Tab is the active tab; null when the session has none. Tabs counts all of its tabs.
	Tab   *TabRef `json:"tab"`
	Tabs  int     `json:"tabs"`
	Calls int     `json:"calls"`
	// The first and the last call since the start; absent when there was none.
	FirstAt time.Time `json:"first_at,omitzero"`
	LastAt  time.Time `json:"last_at,omitzero"`
	// LastVerb, LastSite, LastOutcome and RunID are of the last call.
	LastVerb    string `json:"last_verb"`
	LastSite    string `json:"last_site"`
	LastOutcome string `json:"last_outcome"`
	RunID       string `json:"run_id"`
}

// Command is one way to connect an agent.
type Command struct {
	Label string `json:"label"`
	Text  string `json:"text"`
}

// BrowserFacts is what Settings, Browser shows.
type BrowserFacts struct {
	Status browser.Status `json:"status"`
	// Tabs counts the open tabs, Yours those that no agent opened.
	Tabs   int     `json:"tabs"`
	Yours  int     `json:"yours"`
	Faults []Fault `json:"faults"`
}

// APIFacts is what Settings, API shows. The token itself is asked for apart.
type APIFacts struct {
	// URL is where the API listens; empty while it does not.
	URL       string    `json:"url"`
	TokenFile string    `json:"token_file"`
	Clients   []Client  `json:"clients"`
	Connected int       `json:"connected"`
	Commands  []Command `json:"commands"`
	Faults    []Fault   `json:"faults"`
}

// Client is one caller seen since the start.
type Client struct {
	Name    string    `json:"name"`
	Surface string    `json:"surface"`
	Session string    `json:"session"`
	Calls   int       `json:"calls"`
	LastAt  time.Time `json:"last_at,omitzero"`
}

// Token is the API's bearer token.
type Token struct {
	Value string `json:"value"`
}

// Theme is how the panel looks. System follows the desktop.
type Theme string

// The themes.
const (
	ThemeSystem   Theme = "system"
	ThemeSunlit   Theme = "sunlit"
	ThemeMidnight Theme = "midnight"
	ThemeNeon     Theme = "neon"
	ThemeTerminal Theme = "terminal"
)

// Appearance is what Settings, Appearance shows.
type Appearance struct {
	Theme  Theme   `json:"theme"`
	Faults []Fault `json:"faults"`
}
