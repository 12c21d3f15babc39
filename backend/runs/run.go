package runs

import (
	"encoding/json"
	"errors"
	"time"
)

// ErrUnknownRun is returned for a run that is not in the log, or no longer.
var ErrUnknownRun = errors.New("unknown run")

// The outcomes of a call, and of a run, which has the worst of its calls.
const (
	OK      = "ok"
	Refused = "refused"
	Failed  = "failed"
)

// Entry is one call.
type Entry struct {
	// ID and RunID are given by Record.
	ID    string `json:"id"`
	RunID string `json:"run_id"`
	// At is when the call began; Record takes now when it is zero. It is kept to the millisecond, in UTC.
	At   time.Time `json:"at"`
	Verb string    `json:"verb"`
	// Tab and Site are empty for a call that had none.
	Tab  string `json:"tab"`
	Site string `json:"site"`
	// Outcome is ok, refused or failed; Code is the error's code when it is not ok.
	Outcome    string `json:"outcome"`
	Code       string `json:"code"`
	DurationMS int64  `json:"duration_ms"`
	// Input and Output are as the caller sent and got them, secrets redacted by whoever records. Where the text is
	// over 64 KiB its beginning is kept, as a JSON string, and Cut is set. Bytes is the length before the cut.
	Input       json.RawMessage `json:"input"`
	InputCut    bool            `json:"input_cut"`
	InputBytes  int             `json:"input_bytes"`
	Output      json.RawMessage `json:"output"`
	OutputCut   bool            `json:"output_cut"`
	OutputBytes int             `json:"output_bytes"`
	// Protocol counts the protocol calls by method; nil when there were none.
	Protocol map[string]int64 `json:"protocol"`
}

// Run is a session's calls without a long silence between them.
type Run struct {
	ID      string `json:"id"`
	Session string `json:"session"`
	Client  string `json:"client"`
	Surface string `json:"surface"`
	// StartedAt is when the first call began, LastAt when the last one ended.
	StartedAt time.Time `json:"started_at"`
	LastAt    time.Time `json:"last_at"`
	// Calls counts all entries, Failures those that failed; a refusal is not a failure.
	Calls    int `json:"calls"`
	Failures int `json:"failures"`
	// Sites are in the order in which the run met them.
	Sites []string `json:"sites"`
	// Outcome is the worst of the entries: failed, else refused, else ok.
	Outcome string `json:"outcome"`
}

// Filter picks runs. The zero Filter is the first page of all.
type Filter struct {
	// Outcome and Site pick the runs that have exactly this outcome, and that met exactly this site.
	Outcome string `json:"outcome"`
	Site    string `json:"site"`
	// Page counts from 1. PerPage is 10 when it is 0, and at most 100.
	Page    int `json:"page"`
	PerPage int `json:"per_page"`
}

// Page is one page of runs, newest first, and how many there are on all pages.
type Page struct {
	Runs  []Run `json:"runs"`
	Total int   `json:"total"`
}

// Detail is a run with its latest entries, newest first, and how many it has in all.
type Detail struct {
	Run
	Entries []Entry `json:"entries"`
	Total   int     `json:"total"`
}
