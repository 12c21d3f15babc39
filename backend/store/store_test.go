package store

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

var noon = time.Date(2026, 10, 25, 12, 0, 0, 0, time.UTC)

func atNoon() time.Time { return noon }

func openAt(t testing.TB, path string) *DB {
	t.Helper()
	d, err := open(path, atNoon)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func pragma(t *testing.T, d *DB, name string) string {
	t.Helper()
	var v string
	if err := d.Gorm().Raw("PRAGMA " + name).Scan(&v).Error; err != nil {
		t.Fatal(err)
	}
	return v
}

func TestOpenFresh(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a home", "50% ?#ü")
	d := openAt(t, filepath.Join(dir, "kuang.db"))
	if d.Broken() != "" {
		t.Errorf("broken = %q", d.Broken())
	}
	for name, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "1", "busy_timeout": "5000", "auto_vacuum": "2", "user_version": "0",
	} {
		if got := pragma(t, d, name); got != want {
			t.Errorf("%s = %s, want %s", name, got, want)
		}
	}
	var names []string
	if err := d.Gorm().Raw("SELECT name FROM schema_version ORDER BY version").Scan(&names).Error; err != nil {
		t.Fatal(err)
	}
	if want := []string{"0001_runs", "0002_ledger"}; !slices.Equal(names, want) {
		t.Errorf("migrations = %v", names)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Fatalf("%d files, %v", len(entries), err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", e.Name(), info.Mode(), err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder: %v %v", info.Mode(), err)
	}
}

func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kuang.db")
	d := openAt(t, path)
	addRun(t, d, "r1", noon, 3, 10)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	again := openAt(t, path)
	if again.Broken() != "" || count(t, again, "entries") != 3 {
		t.Errorf("broken %q, %d entries", again.Broken(), count(t, again, "entries"))
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{
		"the folder is a file": filepath.Join(file, "kuang.db"),
		"it is a folder":       dir,
	}
	if os.Geteuid() != 0 { // root writes anywhere
		sealed := filepath.Join(dir, "sealed")
		if err := os.Mkdir(sealed, 0o500); err != nil {
			t.Fatal(err)
		}
		paths["the folder cannot be written"] = filepath.Join(sealed, "kuang.db")
	}
	for name, path := range paths {
		t.Run(name, func(t *testing.T) {
			d, err := Open(path)
			if err == nil {
				t.Fatalf("opened; broken %q", d.Broken())
			}
			if !strings.HasPrefix(err.Error(), "opening the database "+path+": ") {
				t.Errorf("error = %v", err)
			}
		})
	}
}

func TestMigrate(t *testing.T) {
	good := fstest.MapFS{
		"migrations/0001_one.sql": {Data: []byte("CREATE TABLE one (x); -- really?\nINSERT INTO one VALUES (1);")},
	}
	with := func(name, sql string) fs.FS {
		m := fstest.MapFS{name: {Data: []byte(sql)}}
		for k, v := range good {
			m[k] = v
		}
		return m
	}
	tests := map[string]struct {
		files   fs.FS
		version int
		err     string
	}{
		"a further step":     {with("migrations/0002_two.sql", "CREATE TABLE two (x);"), 2, ""},
		"nothing new":        {good, 1, ""},
		"a step that breaks": {with("migrations/0002_two.sql", "CREATE TABLE two (x); CREATE TABLE one (x);"), 1, "migration 0002_two: "},
		"a gap":              {with("migrations/0003_three.sql", ""), 1, "migration 0003_three is not number 2"},
		"a number twice":     {with("migrations/0001_zwei.sql", ""), 1, "migration 0001_zwei is not number 2"},
		"no number":          {with("migrations/two.sql", ""), 1, "migration two is not number 2"},
		"fewer than it had":  {fstest.MapFS{}, 1, "it was written by a newer Kuang (schema 1, this one knows 0)"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "m.db")
			if err := makeFile(path); err != nil {
				t.Fatal(err)
			}
			g, err := connect(source(path))
			if err != nil {
				t.Fatal(err)
			}
			defer disconnect(g)
			if err := migrate(g, good); err != nil {
				t.Fatal(err)
			}
			if err := migrate(g, tt.files); tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.err)) {
				t.Errorf("error = %v", err)
			}
			var version, rows int
			if err := g.Raw("SELECT max(version), (SELECT count(*) FROM one) FROM schema_version").Row().Scan(&version, &rows); err != nil || version != tt.version || rows != 1 {
				t.Errorf("version %d, %d rows, %v", version, rows, err)
			}
			if tt.version == 1 && g.Migrator().HasTable("two") {
				t.Error("half a step stayed")
			}
		})
	}
}

func TestDamagedDatabaseIsSetAside(t *testing.T) {
	const aside = "kuang.db.broken-20261025T120000Z"
	damage := map[string]func(t *testing.T, path string){
		"another file": func(t *testing.T, path string) { overwrite(t, path, 0, []byte(strings.Repeat("not a database", 100))) },
		"cut short": func(t *testing.T, path string) {
			if err := os.Truncate(path, 5000); err != nil {
				t.Fatal(err)
			}
		},
		"a page of noise":     func(t *testing.T, path string) { overwrite(t, path, 8*4096, []byte(strings.Repeat("\xa5", 3*4096))) },
		"the schema is noise": func(t *testing.T, path string) { overwrite(t, path, 100, []byte(strings.Repeat("\xa5", 3000))) },
	}
	for name, spoil := range damage {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "kuang.db")
			d := openAt(t, path)
			addRun(t, d, "r1", noon, 50, 2000)
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			spoil(t, path)
			spoilt, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path+"-wal", []byte("a journal that belongs to it"), 0o600); err != nil {
				t.Fatal(err)
			}

			d = openAt(t, path)
			if d.Broken() != aside || count(t, d, "runs") != 0 {
				t.Fatalf("broken = %q, %d runs", d.Broken(), count(t, d, "runs"))
			}
			if kept, err := os.ReadFile(filepath.Join(dir, aside)); err != nil || len(kept) < len(spoilt) && name != "cut short" {
				t.Errorf("the damaged file was not kept: %v", err)
			}
			addRun(t, d, "r2", noon, 1, 10)
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			if d = openAt(t, path); d.Broken() != "" || count(t, d, "runs") != 1 {
				t.Errorf("at the next start: broken %q, %d runs", d.Broken(), count(t, d, "runs"))
			}
		})
	}
}

func TestSetAsideTakesTheJournal(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "kuang.db")
	for n := range 2 {
		for _, suffix := range []string{"", "-wal", "-shm"} {
			if err := os.WriteFile(path+suffix, []byte(fmt.Sprint(n, suffix)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		name, err := setAside(path, noon)
		want := "kuang.db.broken-20261025T120000Z" + []string{"", "-2"}[n]
		if err != nil || name != want {
			t.Fatalf("setAside = %q, %v", name, err)
		}
		for _, suffix := range []string{"", "-wal", "-shm"} {
			if data, err := os.ReadFile(filepath.Join(dir, want+suffix)); err != nil || string(data) != fmt.Sprint(n, suffix) {
				t.Errorf("%s: %q, %v", suffix, data, err)
			}
		}
	}
	if _, err := setAside(path, noon); err == nil {
		t.Error("nothing was set aside and no error")
	}
}

// An empty file is what a start leaves that was killed before it wrote anything.
func TestEmptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kuang.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if d := openAt(t, path); d.Broken() != "" || pragma(t, d, "auto_vacuum") != "2" {
		t.Errorf("broken = %q", d.Broken())
	}
}

func TestQueriesEndWithTheirContext(t *testing.T) {
	d := openAt(t, filepath.Join(t.TempDir(), "kuang.db"))
	tx := d.Gorm().Begin() // holds the one connection
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := d.Size(ctx); err == nil {
		t.Error("a cancelled query went on")
	}
	if err := tx.Rollback().Error; err != nil {
		t.Fatal(err)
	}
	if s, err := d.Size(context.Background()); err != nil || s.File < s.Kept || s.Kept <= 0 {
		t.Errorf("size = %+v, %v", s, err)
	}
}

func overwrite(t *testing.T, path string, at int64, data []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(data, at); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, d *DB, table string) int {
	t.Helper()
	var n int
	if err := d.Gorm().Raw("SELECT count(*) FROM " + table).Scan(&n).Error; err != nil {
		t.Fatal(err)
	}
	return n
}

// addRun writes a run that ended at last, with entries of size bytes each.
func addRun(t testing.TB, d *DB, id string, last time.Time, entries, size int) {
	t.Helper()
	pool, err := d.Gorm().DB()
	if err != nil {
		t.Fatal(err)
	}
	tx, err := pool.Begin()
	if err != nil {
		t.Fatal(err)
	}
	at := last.UnixMilli()
	if _, err := tx.Exec(`INSERT INTO runs VALUES (?, 'abcd', 'tester', 'http', ?, ?, ?, 0, 'ok', ?)`, id, at, at, entries, entries*size); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(`INSERT INTO run_sites VALUES (?, 'shop.example', 1)`, id); err != nil {
		t.Fatal(err)
	}
	insert, err := tx.Prepare(`INSERT INTO entries VALUES (NULL, ?, ?, ?, 'find', 't1', 'shop.example', 'ok', '', 5, '{}', 0, 2, ?, 0, 0, '{}')`)
	if err != nil {
		t.Fatal(err)
	}
	output := strings.Repeat("x", size)
	for n := range entries {
		if _, err := insert.Exec(fmt.Sprintf("%s-%d", id, n), id, at, output); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// addActions writes n ledger rows at a time.
func addActions(t testing.TB, d *DB, prefix string, at time.Time, n, size int) {
	t.Helper()
	err := d.Gorm().Exec(`WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ?)
		INSERT INTO actions SELECT NULL, ? || n, ?, 'r', 'tester', 'http', 'abcd', 't1', 's', 'act', ?, '' FROM c`,
		n, prefix, at.UnixMilli(), strings.Repeat("x", size)).Error
	if err != nil {
		t.Fatal(err)
	}
}
