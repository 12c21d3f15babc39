// Package ledger keeps one plain sentence for every action that an agent took.
package ledger

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"kuang/backend/store"
)

const (
	// defaultList and maxList are how many rows List returns.
	defaultList, maxList = 50, 200
	// addWithin bounds one Add, whose context is not the caller's: twice the time that SQLite waits for another
	// process.
	addWithin = 10 * time.Second
)

// Action is one row of the ledger.
type Action struct {
	// ID is given by Add.
	ID string `json:"id"`
	// At is when it was done; Add takes now when it is zero. It is kept to the millisecond, in UTC.
	At      time.Time `json:"at"`
	RunID   string    `json:"run_id"`
	Client  string    `json:"client"`
	Surface string    `json:"surface"`
	Session string    `json:"session"`
	Tab     string    `json:"tab"`
	Site    string    `json:"site"`
	Verb    string    `json:"verb"`
	// Sentence says what was done. What it repeats of a page went through Quote.
	Sentence string `json:"sentence"`
	// Undo names the exact inverse; empty means that it can't be undone.
	Undo string `json:"undo"`
}

// Ledger is the list of actions. An action that Add has returned from survives the kill of the process.
type Ledger struct {
	db  *store.DB
	now func() time.Time

	// adding makes additions one at a time, so that subscribers are told in the order of the list.
	adding sync.Mutex

	// mu guards the subscribers; it is not held while one runs, so that one may cancel.
	mu   sync.Mutex
	fns  map[int]func(Action)
	next int
}

// New returns the ledger kept in db.
func New(db *store.DB) *Ledger { return newLedger(db, time.Now) }

func newLedger(db *store.DB, now func() time.Time) *Ledger {
	return &Ledger{db: db, now: now, fns: map[int]func(Action){}}
}

// Add appends one action and returns it as it is kept. What was done is kept even when ctx has ended meanwhile.
func (l *Ledger) Add(ctx context.Context, a Action) (Action, error) {
	if a.At.IsZero() {
		a.At = l.now()
	}
	a.At = a.At.UTC().Truncate(time.Millisecond)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), addWithin)
	defer cancel()

	l.adding.Lock()
	defer l.adding.Unlock()
	a.ID = ulid.Make().String()
	row := rowOf(a)
	if err := l.db.Gorm().WithContext(ctx).Create(&row).Error; err != nil {
		return Action{}, fmt.Errorf("adding %s to the ledger: %w", a.Verb, err)
	}
	for _, fn := range l.subscribers() {
		fn(a)
	}
	return a, nil
}

// List returns the actions that were added before the one with the id before, newest first; with an empty before it
// begins at the newest. An action that is gone has nothing older than it. The limit is 50 when it is 0, and at most
// 200.
func (l *Ledger) List(ctx context.Context, before string, limit int) ([]Action, error) {
	if limit <= 0 {
		limit = defaultList
	}
	q := l.db.Gorm().WithContext(ctx).Order("seq DESC").Limit(min(limit, maxList))
	if before != "" {
		q = q.Where("seq < (SELECT seq FROM actions WHERE id = ?)", before)
	}
	var rows []actionRow
	if err := q.Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("listing the ledger: %w", err)
	}
	actions := make([]Action, 0, len(rows))
	for _, r := range rows {
		actions = append(actions, r.action())
	}
	return actions, nil
}

// Subscribe calls fn after every added action, one at a time and in their order. Additions wait for fn: it must be
// quick and must not add.
func (l *Ledger) Subscribe(fn func(Action)) (cancel func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := l.next
	l.next++
	l.fns[id] = fn
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.fns, id)
	}
}

// subscribers returns the functions to call, in the order of subscription.
func (l *Ledger) subscribers() []func(Action) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fns := make([]func(Action), 0, len(l.fns))
	for _, id := range slices.Sorted(maps.Keys(l.fns)) {
		fns = append(fns, l.fns[id])
	}
	return fns
}

// actionRow is a row of the table actions. At is milliseconds since 1970.
type actionRow struct {
	Seq                             int64 `gorm:"primaryKey"`
	ID                              string
	At                              int64
	RunID, Client, Surface, Session string
	Tab, Site, Verb, Sentence, Undo string
}

// TableName is the table for gorm.
func (actionRow) TableName() string { return "actions" }

func rowOf(a Action) actionRow {
	return actionRow{
		ID: a.ID, At: a.At.UnixMilli(), RunID: a.RunID, Client: a.Client, Surface: a.Surface, Session: a.Session,
		Tab: a.Tab, Site: a.Site, Verb: a.Verb, Sentence: a.Sentence, Undo: a.Undo,
	}
}

// action is the row as the package shows it.
func (r actionRow) action() Action {
	return Action{
		ID: r.ID, At: time.UnixMilli(r.At).UTC(), RunID: r.RunID, Client: r.Client, Surface: r.Surface, Session: r.Session,
		Tab: r.Tab, Site: r.Site, Verb: r.Verb, Sentence: r.Sentence, Undo: r.Undo,
	}
}
