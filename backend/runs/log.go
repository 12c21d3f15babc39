// Package runs is the log of every call that agents made, grouped into runs.
package runs

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"kuang/backend/store"
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
	ID    string    `json:"id"`
	RunID string    `json:"run_id"`
	At    time.Time `json:"at"`
	Verb  string    `json:"verb"`
	Tab   string    `json:"tab"`
	Site  string    `json:"site"`
	// Outcome is ok, refused or failed; Code is the error's code when it is not ok.
	Outcome    string `json:"outcome"`
	Code       string `json:"code"`
	DurationMS int64  `json:"duration_ms"`
	// Input and Output are as the caller sent and got them, secrets redacted by whoever records.
	Input  json.RawMessage `json:"input"`
	Output json.RawMessage `json:"output"`
	// InputCut and OutputCut say that the text was too long to keep whole; the bytes are its length before the cut.
	InputCut    bool `json:"input_cut"`
	InputBytes  int  `json:"input_bytes"`
	OutputCut   bool `json:"output_cut"`
	OutputBytes int  `json:"output_bytes"`
	// Protocol counts the protocol calls by method.
	Protocol map[string]int64 `json:"protocol"`
}

// Run is a session's calls without a long silence between them.
type Run struct {
	ID        string    `json:"id"`
	Session   string    `json:"session"`
	Client    string    `json:"client"`
	Surface   string    `json:"surface"`
	StartedAt time.Time `json:"started_at"`
	LastAt    time.Time `json:"last_at"`
	Calls     int       `json:"calls"`
	Failures  int       `json:"failures"`
	Sites     []string  `json:"sites"`
	Outcome   string    `json:"outcome"`
}

// Filter picks runs.
type Filter struct {
	Outcome string `json:"outcome"`
	Site    string `json:"site"`
	Page    int    `json:"page"`
	PerPage int    `json:"per_page"`
}

// Page is one page of runs, newest first.
type Page struct {
	Runs  []Run `json:"runs"`
	Total int   `json:"total"`
}

// Detail is a run with its latest entries, newest first.
type Detail struct {
	Run     Run     `json:"run"`
	Entries []Entry `json:"entries"`
	Total   int     `json:"total"`
}

// Log is the log of calls.
type Log struct{ db *store.DB }

// New returns the log kept in db.
func New(db *store.DB) *Log { return &Log{db: db} }

// Record adds one call.
func (l *Log) Record(ctx context.Context, session, client, surface string, e Entry) (Entry, error) {
	return e, nil
}

// Runs lists runs.
func (l *Log) Runs(ctx context.Context, f Filter) (Page, error) { return Page{}, nil }

// Run returns one run.
func (l *Log) Run(ctx context.Context, id string, limit int) (Detail, error) { return Detail{}, nil }

// Export writes the entries of a run as JSON lines, oldest first.
func (l *Log) Export(ctx context.Context, id string, w io.Writer) error { return nil }

// Subscribe calls fn after every recorded call.
func (l *Log) Subscribe(fn func(Run, Entry)) (cancel func()) { return func() {} }
