package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"gorm.io/gorm"
)

const (
	perPage    = 10
	maxPerPage = 100
	// maxEntries is how many entries a Detail holds at most.
	maxEntries = 200
	// exportStep is how many entries Export reads at a time; at 128 KiB each that is 6 MiB in memory.
	exportStep = 50
)

// Runs lists the runs that f picks, newest first.
func (l *Log) Runs(ctx context.Context, f Filter) (Page, error) {
	if f.PerPage <= 0 {
		f.PerPage = perPage
	}
	f.PerPage, f.Page = min(f.PerPage, maxPerPage), max(f.Page, 1)
	page := Page{Runs: []Run{}}
	// One transaction, so that the total, the rows and their sites are of one moment.
	err := l.db.Gorm().WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		var total int64
		if err := pick(tx, f).Count(&total).Error; err != nil {
			return err
		}
		page.Total = int(total)
		if f.Page-1 > page.Total/f.PerPage {
			return nil // past the end, and the offset cannot overflow
		}
		var rows []runRow
		err := pick(tx, f).Order("started_at DESC, id DESC").Limit(f.PerPage).Offset((f.Page - 1) * f.PerPage).Find(&rows).Error
		if err != nil {
			return err
		}
		ids := make([]string, 0, len(rows))
		for _, r := range rows {
			ids = append(ids, r.ID)
		}
		sites, err := sitesOf(tx, ids...)
		if err != nil {
			return err
		}
		for _, r := range rows {
			page.Runs = append(page.Runs, r.run(sites[r.ID]))
		}
		return nil
	})
	if err != nil {
		return Page{}, fmt.Errorf("listing runs: %w", err)
	}
	return page, nil
}

// pick is the query for the runs that f picks, without its page.
func pick(tx *gorm.DB, f Filter) *gorm.DB {
	q := tx.Model(&runRow{})
	if f.Outcome != "" {
		q = q.Where("outcome = ?", f.Outcome)
	}
	if f.Site != "" {
		q = q.Where("id IN (SELECT run_id FROM run_sites WHERE site = ?)", f.Site)
	}
	return q
}

// Sites lists every site that a kept run has met, in alphabetical order.
func (l *Log) Sites(ctx context.Context) ([]string, error) {
	sites := []string{}
	err := l.db.Gorm().WithContext(ctx).Raw("SELECT DISTINCT site FROM run_sites ORDER BY site").Scan(&sites).Error
	if err != nil {
		return nil, fmt.Errorf("listing sites: %w", err)
	}
	return sites, nil
}

// Run returns one run with its latest entries, newest first: at most limit, and at most 200.
func (l *Log) Run(ctx context.Context, id string, limit int) (Detail, error) {
	if limit <= 0 || limit > maxEntries {
		limit = maxEntries
	}
	d := Detail{Entries: []Entry{}}
	err := l.db.Gorm().WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		var run runRow
		if err := take(tx, id, &run); err != nil {
			return err
		}
		sites, err := sitesOf(tx, id)
		if err != nil {
			return err
		}
		d.Run, d.Total = run.run(sites[id]), run.Calls
		var rows []entryRow
		if err := tx.Where("run_id = ?", id).Order("at DESC, seq DESC").Limit(limit).Find(&rows).Error; err != nil {
			return err
		}
		for _, r := range rows {
			e, err := r.entry()
			if err != nil {
				return err
			}
			d.Entries = append(d.Entries, e)
		}
		return nil
	})
	if err != nil {
		return Detail{}, fmt.Errorf("reading run %q: %w", id, err)
	}
	return d, nil
}

// Export writes the entries of a run as JSON lines, oldest first: those that it has when Export begins. The log stays
// free for records while w is slow.
func (l *Log) Export(ctx context.Context, id string, w io.Writer) error {
	g := l.db.Gorm().WithContext(ctx)
	var last int64 // so that a busy run ends
	err := take(g, id, &runRow{})
	if err == nil {
		err = g.Raw("SELECT coalesce(max(seq), 0) FROM entries WHERE run_id = ?", id).Scan(&last).Error
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for at, seq, more := int64(math.MinInt64), int64(0), true; err == nil && more; {
		var rows []entryRow
		err = g.Where("run_id = ? AND seq <= ? AND (at, seq) > (?, ?)", id, last, at, seq).
			Order("at, seq").Limit(exportStep).Find(&rows).Error
		for _, r := range rows {
			var e Entry
			if e, err = r.entry(); err == nil {
				err = enc.Encode(e)
			}
			if err != nil {
				break
			}
			at, seq = r.At, r.Seq
		}
		more = len(rows) == exportStep
	}
	if err == nil {
		err = take(g, id, &runRow{}) // a run that was forgotten meanwhile has not been written whole
	}
	if err != nil {
		return fmt.Errorf("exporting run %q: %w", id, err)
	}
	return nil
}

// take reads the run with this id into run.
func take(g *gorm.DB, id string, run *runRow) error {
	err := g.Where("id = ?", id).Take(run).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return ErrUnknownRun
	}
	return err
}

// sitesOf returns the sites of runs by run, in the order in which each met them.
func sitesOf(g *gorm.DB, runs ...string) (map[string][]string, error) {
	var rows []struct{ RunID, Site string }
	if err := g.Raw("SELECT run_id, site FROM run_sites WHERE run_id IN ? ORDER BY seq", runs).Scan(&rows).Error; err != nil {
		return nil, err
	}
	sites := make(map[string][]string, len(runs))
	for _, r := range rows {
		sites[r.RunID] = append(sites[r.RunID], r.Site)
	}
	return sites, nil
}
