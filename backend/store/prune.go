package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"
)

const (
	// pruneBudget is how long one Prune goes on: long enough to forget a day's work, and short enough to be called
	// while agents wait. The clock is asked between steps.
	pruneBudget = 2 * time.Second
	// The sizes of a step. With entries of up to 128 KiB and pages of 4 KiB each step is a few milliseconds, and the
	// calls of agents get the one connection in between.
	stepRuns, stepRows, stepPages = 50, 200, 512
)

// Limits bound what the database keeps. A limit of zero does not bound.
type Limits struct {
	// Age is how long a run, counted from its last call, or a ledger row is kept.
	Age time.Duration
	// Bytes is how large the kept rows may be, indexes included.
	Bytes int64
}

// Prune forgets what is over the limits, oldest first. A run goes whole: for every reader at once, and then its
// entries are removed in steps. The file shrinks with what it holds. A call ends after two seconds, or when ctx does,
// and the next one goes on from there.
func (d *DB) Prune(ctx context.Context, l Limits) error {
	until := d.now().Add(pruneBudget)
	for _, step := range []func(context.Context, Limits) (more bool, err error){d.forgetOld, d.forgetMuch, d.shrink} {
		for more := true; more; {
			if !d.now().Before(until) {
				return nil
			}
			var err error
			if more, err = step(ctx, l); err != nil {
				return fmt.Errorf("pruning the database: %w", explain(err))
			}
		}
	}
	return nil
}

// forgetOld takes one step towards the age limit and reports whether there are more.
func (d *DB) forgetOld(ctx context.Context, l Limits) (bool, error) {
	g := d.gorm.WithContext(ctx)
	if more, err := clearDoomed(g); more || err != nil || l.Age <= 0 {
		return more, err
	}
	before := d.now().Add(-l.Age).UnixMilli()
	var old []string
	if err := g.Raw("SELECT id FROM runs WHERE last_at < ? ORDER BY last_at, id LIMIT ?", before, stepRuns).Scan(&old).Error; err != nil {
		return false, err
	}
	if len(old) > 0 {
		return true, doom(g, old)
	}
	return removeActions(g, before)
}

// forgetMuch takes one step towards the size limit and reports whether there are more.
func (d *DB) forgetMuch(ctx context.Context, l Limits) (bool, error) {
	g := d.gorm.WithContext(ctx)
	if more, err := clearDoomed(g); more || err != nil || l.Bytes <= 0 {
		return more, err
	}
	size, err := d.Size(ctx)
	excess := size.Kept - l.Bytes
	if err != nil || excess <= 0 {
		return false, err
	}
	var oldest []struct {
		ID    string
		Bytes int64
	}
	if err := g.Raw("SELECT id, bytes FROM runs ORDER BY last_at, id LIMIT ?", stepRuns).Scan(&oldest).Error; err != nil {
		return false, err
	}
	if len(oldest) == 0 {
		return removeOldestActions(g)
	}
	ids := []string{}
	for _, run := range oldest {
		ids = append(ids, run.ID)
		if excess -= run.Bytes; excess <= 0 {
			break
		}
	}
	return true, doom(g, ids)
}

// doom forgets runs: no reader sees them from here on, and clearDoomed removes what they hold.
func doom(g *gorm.DB, ids []string) error {
	return g.Transaction(func(tx *gorm.DB) error {
		if err := tx.Exec("INSERT INTO doomed_runs (run_id, last_at) SELECT id, last_at FROM runs WHERE id IN ?", ids).Error; err != nil {
			return err
		}
		if err := tx.Exec("DELETE FROM run_sites WHERE run_id IN ?", ids).Error; err != nil {
			return err
		}
		return tx.Exec("DELETE FROM runs WHERE id IN ?", ids).Error
	})
}

// clearDoomed removes some of what forgotten runs leave, and reports whether it found a forgotten run at all. Runs and
// ledger go in the order of time, so the ledger rows that are as old as a forgotten run leave with it.
func clearDoomed(g *gorm.DB) (bool, error) {
	var doomed []struct {
		RunID  string
		LastAt int64
	}
	if err := g.Raw("SELECT run_id, last_at FROM doomed_runs ORDER BY last_at LIMIT 1").Scan(&doomed).Error; err != nil || len(doomed) == 0 {
		return false, err
	}
	run := doomed[0]
	removed := g.Exec("DELETE FROM entries WHERE seq IN (SELECT seq FROM entries WHERE run_id = ? LIMIT ?)", run.RunID, stepRows)
	if removed.Error != nil || removed.RowsAffected == stepRows {
		return true, removed.Error
	}
	if more, err := removeActions(g, run.LastAt+1); more || err != nil {
		return true, err
	}
	return true, g.Exec("DELETE FROM doomed_runs WHERE run_id = ?", run.RunID).Error
}

// removeActions removes some ledger rows from before a time, in milliseconds since 1970, and reports whether it found
// one.
func removeActions(g *gorm.DB, before int64) (bool, error) {
	removed := g.Exec("DELETE FROM actions WHERE seq IN (SELECT seq FROM actions WHERE at < ? ORDER BY at LIMIT ?)", before, stepRows)
	return removed.RowsAffected > 0, removed.Error
}

// removeOldestActions removes some of the oldest ledger rows, and reports whether there was one.
func removeOldestActions(g *gorm.DB) (bool, error) {
	removed := g.Exec("DELETE FROM actions WHERE seq IN (SELECT seq FROM actions ORDER BY at LIMIT ?)", stepRows)
	return removed.RowsAffected > 0, removed.Error
}

// shrink gives some free pages back to the disk and reports whether there are more. After the last ones it folds the
// journal, which by then has grown by everything that was removed, into the file.
func (d *DB) shrink(ctx context.Context, _ Limits) (bool, error) {
	g := d.gorm.WithContext(ctx)
	before, err := d.Size(ctx)
	if err != nil {
		return false, err
	}
	if before.File > before.Kept {
		// The pragma frees one page for every row that is read from it.
		if err := drain(g, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", stepPages)); err != nil {
			return false, err
		}
		after, err := d.Size(ctx)
		if err != nil {
			return false, err
		}
		if after.File < before.File {
			return true, nil
		}
	}
	// A reader in another process may keep the journal; the next prune folds it then.
	return false, drain(g, "PRAGMA wal_checkpoint(TRUNCATE)")
}

// drain runs a statement and reads whatever it returns.
func drain(g *gorm.DB, statement string) error {
	rows, err := g.Raw(statement).Rows()
	if err != nil {
		return err
	}
	for rows.Next() {
	}
	return errors.Join(rows.Err(), rows.Close())
}
