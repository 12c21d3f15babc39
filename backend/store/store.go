// Package store is the database in which Kuang remembers: one SQLite file, its pragmas, its migrations, and the
// rule by which it forgets. The packages above bring their own queries.
package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gorm.io/gorm"
)

// DB is the open database.
type DB struct {
	gorm   *gorm.DB
	path   string
	broken string
	now    func() time.Time
}

// Open opens the database file at path, makes it where there is none, and brings its schema up to date. A damaged
// file is set aside together with its journal, and an empty database takes its place; Broken says so. Everything else
// that is in the way (a read-only disk, a folder that cannot be written, a file of a newer Kuang) is an error.
func Open(path string) (*DB, error) { return open(path, time.Now) }

func open(path string, now func() time.Time) (*DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("opening the database: %w", err)
	}
	d := &DB{path: path, now: now}
	d.gorm, err = ready(path)
	if isDamage(err) {
		if d.broken, err = setAside(path, now()); err != nil {
			return nil, fmt.Errorf("setting the damaged database %s aside: %w", path, err)
		}
		d.gorm, err = ready(path)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the database %s: %w", path, explain(err))
	}
	return d, nil
}

// ready returns a connection to a whole database with today's schema.
func ready(path string) (*gorm.DB, error) {
	if err := makeFile(path); err != nil {
		return nil, err
	}
	g, err := connect(source(path))
	if err != nil {
		return nil, err
	}
	err = check(g)
	if err == nil {
		err = migrate(g, migrations)
	}
	if err != nil {
		_ = disconnect(g) // the first error says more
		return nil, err
	}
	return g, nil
}

// makeFile makes sure that the file is there, can be written, and is the owner's alone. SQLite gives its journal the
// mode of the database file.
func makeFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Mode().Perm() != 0o600 {
		return f.Chmod(0o600)
	}
	return nil
}

// Gorm is the handle that the packages above query with.
func (d *DB) Gorm() *gorm.DB { return d.gorm }

// Broken is the name of the damaged file that Open set aside, or empty.
func (d *DB) Broken() string { return d.broken }

// Close closes the database. Its journal is folded into the file.
func (d *DB) Close() error {
	if err := disconnect(d.gorm); err != nil {
		return fmt.Errorf("closing the database: %w", err)
	}
	return nil
}

// Size says how large the database is, in bytes.
type Size struct {
	// Kept is what the rows take, File the whole file: the difference is free for new rows.
	Kept int64 `json:"kept"`
	File int64 `json:"file"`
}

// Size measures the database.
func (d *DB) Size(ctx context.Context) (Size, error) {
	var page, pages, free int64
	for pragma, into := range map[string]*int64{"page_size": &page, "page_count": &pages, "freelist_count": &free} {
		if err := d.gorm.WithContext(ctx).Raw("PRAGMA " + pragma).Scan(into).Error; err != nil {
			return Size{}, fmt.Errorf("measuring the database: %w", explain(err))
		}
	}
	return Size{Kept: (pages - free) * page, File: pages * page}, nil
}
