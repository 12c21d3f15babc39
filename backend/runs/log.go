// Package runs is the log of every call that agents made, grouped into runs.
package runs

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
	"gorm.io/gorm"

	"kuang/backend/store"
)

const (
	// silence is how long a session may be quiet before its next call opens a new run: a person would call that a
	// new piece of work.
	silence = 10 * time.Minute
	// fullRun is how many bytes of input and output a run takes before the next call opens a new one. The database
	// forgets whole runs, so none may come to be a large part of it: an agent that works through the night would
	// otherwise lose the whole night at once.
	fullRun = 16 << 20
	// recordWithin bounds one Record, whose context is not the caller's: twice the time that SQLite waits for
	// another process.
	recordWithin = 10 * time.Second
)

// Log is the log of calls. A call that Record has returned from survives the kill of the process.
type Log struct {
	db  *store.DB
	now func() time.Time

	// mu makes records one at a time. It guards open, the run that each session's next call belongs to.
	mu   sync.Mutex
	open map[sessionKey]current

	subscribers subscribers
}

// sessionKey is who a run belongs to.
type sessionKey struct{ session, client, surface string }

// current is an open run.
type current struct {
	id     string
	lastAt time.Time
	bytes  int
}

// New returns the log kept in db.
func New(db *store.DB) *Log { return newLog(db, time.Now) }

func newLog(db *store.DB, now func() time.Time) *Log {
	return &Log{db: db, now: now, open: map[sessionKey]current{}}
}

// Record adds one call and returns it as it is kept. It opens a run at the session's first call since the program
// began, after ten minutes of silence, and when the run has grown large. A call that happened is recorded even when
// ctx has ended meanwhile, so the caller's hanging up leaves no gap.
func (l *Log) Record(ctx context.Context, session, client, surface string, e Entry) (Entry, error) {
	if rank(e.Outcome) == 0 {
		return Entry{}, fmt.Errorf("recording %s: unknown outcome %q", e.Verb, e.Outcome)
	}
	if e.At.IsZero() {
		e.At = l.now()
	}
	e.At = e.At.UTC().Truncate(time.Millisecond)
	e.DurationMS = max(e.DurationMS, 0)
	e.Input, e.InputBytes, e.InputCut = keep(e.Input)
	e.Output, e.OutputBytes, e.OutputCut = keep(e.Output)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordWithin)
	defer cancel()

	l.mu.Lock()
	defer l.mu.Unlock()
	e.ID = ulid.Make().String()
	key := sessionKey{session, client, surface}
	run, err := l.write(ctx, key, &e)
	if err != nil {
		return Entry{}, fmt.Errorf("recording %s: %w", e.Verb, err)
	}
	l.subscribers.tell(run, e)
	return e, nil
}

// write adds the entry and its run's share in one transaction, and gives the entry its run.
func (l *Log) write(ctx context.Context, key sessionKey, e *Entry) (Run, error) {
	size := len(e.Input) + len(e.Output)
	ended := e.At.Add(time.Duration(e.DurationMS) * time.Millisecond)
	was, ok := l.open[key]
	joins := ok && e.At.Sub(was.lastAt) <= silence && was.bytes < fullRun

	var run runRow
	var sites map[string][]string
	err := l.db.Gorm().WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if joins {
			var err error
			if run, joins, err = join(tx, was.id, *e, ended, size); err != nil {
				return err
			}
		}
		if !joins { // also when the run has been forgotten meanwhile
			run = newRun(ulid.Make().String(), key, *e, ended, size)
			if err := tx.Create(&run).Error; err != nil {
				return err
			}
		}
		e.RunID = run.ID
		row, err := rowOf(*e)
		if err != nil {
			return err
		}
		if err := tx.Create(&row).Error; err != nil {
			return err
		}
		if e.Site != "" {
			const add = "INSERT OR IGNORE INTO run_sites (run_id, site, seq) VALUES (?, ?, ?)"
			if err := tx.Exec(add, run.ID, e.Site, row.Seq).Error; err != nil {
				return err
			}
		}
		sites, err = sitesOf(tx, run.ID)
		return err
	})
	if err != nil {
		return Run{}, err
	}
	l.remember(key, current{id: run.ID, lastAt: ms(run.LastAt), bytes: int(run.Bytes)})
	return run.run(sites[run.ID]), nil
}

// remember notes the session's open run, and forgets those that have been silent for too long to be joined.
func (l *Log) remember(key sessionKey, c current) {
	for k, other := range l.open {
		if c.lastAt.Sub(other.lastAt) > 2*silence {
			delete(l.open, k)
		}
	}
	l.open[key] = c
}

// join adds a call to the run with this id. ok is false when there is no such run any more.
func join(tx *gorm.DB, id string, e Entry, ended time.Time, size int) (run runRow, ok bool, err error) {
	var found []runRow
	err = tx.Raw(`UPDATE runs SET
			calls = calls + 1, failures = failures + ?, bytes = bytes + ?,
			started_at = min(started_at, ?), last_at = max(last_at, ?),
			outcome = CASE WHEN ? > CASE outcome WHEN 'failed' THEN 3 WHEN 'refused' THEN 2 ELSE 1 END THEN ? ELSE outcome END
		WHERE id = ? RETURNING *`,
		failures(e), size, e.At.UnixMilli(), ended.UnixMilli(), rank(e.Outcome), e.Outcome, id).Scan(&found).Error
	if err != nil || len(found) == 0 {
		return runRow{}, false, err
	}
	return found[0], true, nil
}

func newRun(id string, key sessionKey, e Entry, ended time.Time, size int) runRow {
	return runRow{
		ID: id, Session: key.session, Client: key.client, Surface: key.surface,
		StartedAt: e.At.UnixMilli(), LastAt: ended.UnixMilli(),
		Calls: 1, Failures: failures(e), Outcome: e.Outcome, Bytes: int64(size),
	}
}

// rank orders outcomes from good to bad; 0 is not an outcome.
func rank(outcome string) int {
	switch outcome {
	case OK:
		return 1
	case Refused:
		return 2
	case Failed:
		return 3
	}
	return 0
}

func failures(e Entry) int {
	if e.Outcome == Failed {
		return 1
	}
	return 0
}

// Subscribe calls fn after every recorded call, one at a time and in the order of recording, with the run as it is
// then. Records wait for fn: it must be quick and must not record.
func (l *Log) Subscribe(fn func(Run, Entry)) (cancel func()) { return l.subscribers.add(fn) }

// rowOf is the entry as the table has it.
func rowOf(e Entry) (entryRow, error) {
	var protocol []byte
	if len(e.Protocol) > 0 {
		var err error
		if protocol, err = json.Marshal(e.Protocol); err != nil {
			return entryRow{}, err
		}
	}
	return entryRow{
		ID: e.ID, RunID: e.RunID, At: e.At.UnixMilli(), Verb: e.Verb, Tab: e.Tab, Site: e.Site,
		Outcome: e.Outcome, Code: e.Code, DurationMS: e.DurationMS,
		Input: string(e.Input), InputCut: e.InputCut, InputBytes: e.InputBytes,
		Output: string(e.Output), OutputCut: e.OutputCut, OutputBytes: e.OutputBytes,
		Protocol: string(protocol),
	}, nil
}
