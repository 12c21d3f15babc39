package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

const day = 24 * time.Hour

func runIDs(t *testing.T, d *DB) []string {
	t.Helper()
	ids := []string{}
	if err := d.Gorm().Raw("SELECT id FROM runs ORDER BY id").Scan(&ids).Error; err != nil {
		t.Fatal(err)
	}
	return ids
}

func TestPruneByAge(t *testing.T) {
	d := openAt(t, filepath.Join(t.TempDir(), "kuang.db"))
	for n := range 200 { // more than one step of runs
		addRun(t, d, fmt.Sprintf("old%03d", n), noon.Add(-91*day-time.Duration(n)*time.Minute), 2, 100)
	}
	addRun(t, d, "old-long", noon.Add(-100*day), 2*stepRows+1, 100) // more than one step of rows
	addRun(t, d, "young1", noon.Add(-90*day), 3, 100)
	addRun(t, d, "young2", noon, 3, 100)
	addActions(t, d, "old", noon.Add(-91*day), 2*stepRows+1, 20)
	addActions(t, d, "young", noon.Add(-89*day), 7, 20)

	if err := d.Prune(context.Background(), Limits{}); err != nil || count(t, d, "runs") != 203 {
		t.Fatalf("without limits: %d runs, %v", count(t, d, "runs"), err)
	}
	if err := d.Prune(context.Background(), Limits{Age: 90 * day, Bytes: 200 << 20}); err != nil {
		t.Fatal(err)
	}
	if got := runIDs(t, d); !slices.Equal(got, []string{"young1", "young2"}) {
		t.Errorf("runs = %v", got)
	}
	for table, want := range map[string]int{"entries": 6, "run_sites": 2, "actions": 7, "doomed_runs": 0} {
		if got := count(t, d, table); got != want {
			t.Errorf("%s: %d rows, want %d", table, got, want)
		}
	}
}

func TestPruneByBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kuang.db")
	d := openAt(t, path)
	const limit = 2 << 20
	for n := range 40 { // 8 MB
		addRun(t, d, fmt.Sprintf("r%02d", n), noon.Add(time.Duration(n-40)*time.Hour), 20, 10_000)
		addActions(t, d, fmt.Sprintf("a%02d-", n), noon.Add(time.Duration(n-40)*time.Hour), 5, 20)
	}
	before, err := d.Size(context.Background())
	if err != nil || before.Kept < 8_000_000 {
		t.Fatalf("before: %+v, %v", before, err)
	}
	if err := d.Prune(context.Background(), Limits{Age: 90 * day, Bytes: limit}); err != nil {
		t.Fatal(err)
	}
	after, err := d.Size(context.Background())
	if err != nil || after.Kept > limit || after.Kept < limit/2 {
		t.Errorf("after: %+v, %v", after, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > limit || info.Size() != after.File {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
	if wal, err := os.Stat(path + "-wal"); err != nil || wal.Size() != 0 {
		t.Errorf("the journal has %d bytes, %v", wal.Size(), err)
	}
	ids := runIDs(t, d)
	if len(ids) == 0 || ids[len(ids)-1] != "r39" || ids[0] != fmt.Sprintf("r%02d", 40-len(ids)) {
		t.Errorf("not the newest stayed: %v", ids)
	}
	if got := count(t, d, "entries"); got != 20*len(ids) {
		t.Errorf("%d runs have %d entries", len(ids), got)
	}
	// The ledger goes along: nothing is left that is older than the newest forgotten run.
	if got := count(t, d, "actions"); got != 5*len(ids) {
		t.Errorf("%d runs and %d actions", len(ids), got)
	}
	t.Logf("%d of 40 runs stay, %d to %d bytes", len(ids), before.File, after.File)
}

func TestPruneLedgerByBytes(t *testing.T) {
	d := openAt(t, filepath.Join(t.TempDir(), "kuang.db"))
	for n := range 10 {
		addActions(t, d, fmt.Sprintf("a%d-", n), noon.Add(time.Duration(n)*time.Hour), 500, 200)
	}
	const limit = 400_000
	if err := d.Prune(context.Background(), Limits{Bytes: limit}); err != nil {
		t.Fatal(err)
	}
	if s, err := d.Size(context.Background()); err != nil || s.File > limit || s.File < limit/2 {
		t.Errorf("size = %+v, %v", s, err)
	}
	var oldest string
	if err := d.Gorm().Raw("SELECT id FROM actions ORDER BY at LIMIT 1").Scan(&oldest).Error; err != nil || oldest < "a5" {
		t.Errorf("the oldest row left is %s, %v", oldest, err)
	}
}

// A limit that not even an empty database keeps must end all the same.
func TestPruneImpossible(t *testing.T) {
	d := openAt(t, filepath.Join(t.TempDir(), "kuang.db"))
	addRun(t, d, "r", noon, 5, 1000)
	addActions(t, d, "a", noon, 5, 10)
	if err := d.Prune(context.Background(), Limits{Bytes: 1}); err != nil || count(t, d, "entries")+count(t, d, "actions") != 0 {
		t.Errorf("prune = %v", err)
	}
}

// ticking is a clock that goes on by one step at every look.
type ticking struct {
	mu   sync.Mutex
	at   time.Time
	step time.Duration
}

func (c *ticking) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(c.step)
	return c.at
}

func TestPruneIsBoundedAndGoesOn(t *testing.T) {
	d := openAt(t, filepath.Join(t.TempDir(), "kuang.db"))
	addRun(t, d, "long", noon.Add(-91*day), 10*stepRows, 500)
	addRun(t, d, "short", noon.Add(-91*day), 1, 500)
	clock := &ticking{at: noon, step: pruneBudget / 4}
	d.now = clock.now
	calls := 0
	for entries := count(t, d, "entries"); entries > 0; calls++ {
		if err := d.Prune(context.Background(), Limits{Age: 90 * day}); err != nil {
			t.Fatal(err)
		}
		left := count(t, d, "entries")
		if gone := entries - left; gone > 4*stepRows || calls > 20 {
			t.Fatalf("call %d removed %d entries, %d are left", calls, gone, left)
		}
		if got := runIDs(t, d); len(got) != 0 {
			t.Errorf("half a run is on show: %v", got)
		}
		entries = left
	}
	if calls < 3 {
		t.Errorf("all gone in %d calls", calls)
	}
	d.now = atNoon
	if err := d.Prune(context.Background(), Limits{Age: 90 * day}); err != nil || count(t, d, "doomed_runs") != 0 {
		t.Errorf("the rest: %v", err)
	}
	if s, err := d.Size(context.Background()); err != nil || s.File != s.Kept {
		t.Errorf("size = %+v, %v", s, err)
	}
}

func TestPruneEndsWithItsContext(t *testing.T) {
	d := openAt(t, filepath.Join(t.TempDir(), "kuang.db"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := d.Prune(ctx, Limits{Age: day}); !errors.Is(err, context.Canceled) {
		t.Errorf("prune = %v", err)
	}
}
