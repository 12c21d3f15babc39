package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/mattn/go-sqlite3"
	"gorm.io/gorm"
)

// errDamaged is what a check that found damage comes to.
var errDamaged = errors.New("the database is damaged")

// check reads the database and returns errDamaged, or SQLite's own word for it, when it is not whole.
func check(g *gorm.DB) error {
	var verdict string
	if err := g.Raw("PRAGMA quick_check(1)").Scan(&verdict).Error; err != nil {
		return err
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: %s", errDamaged, verdict)
	}
	return nil
}

// isDamage reports whether err is about the content of the file, and not about the disk under it.
func isDamage(err error) bool {
	if errors.Is(err, errDamaged) {
		return true
	}
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && (e.Code == sqlite3.ErrCorrupt || e.Code == sqlite3.ErrNotADB)
}

// setAside renames the database and its journal, so that what can be rescued from them stays together, and returns
// the new name of the database.
func setAside(path string, now time.Time) (string, error) {
	base := path + ".broken-" + now.UTC().Format("20060102T150405Z")
	to := base
	for n := 2; ; n++ {
		if _, err := os.Lstat(to); err != nil {
			break // free, or not to be had, and then the rename says why
		}
		to = fmt.Sprintf("%s-%d", base, n)
	}
	// The journal first: a journal that stays behind would be taken for that of the new database.
	for _, suffix := range []string{"-wal", "-shm", ""} {
		err := os.Rename(path+suffix, to+suffix)
		if err != nil && !(suffix != "" && errors.Is(err, fs.ErrNotExist)) {
			return "", err
		}
	}
	return filepath.Base(to), nil
}

// explain puts SQLite's word for what a person can mend into plain ones.
func explain(err error) error {
	e, ok := errors.AsType[sqlite3.Error](err)
	if !ok {
		return err
	}
	switch e.Code {
	case sqlite3.ErrReadonly:
		return fmt.Errorf("the disk or the file is read-only: %w", err)
	case sqlite3.ErrCantOpen, sqlite3.ErrPerm:
		return fmt.Errorf("its folder cannot be written: %w", err)
	case sqlite3.ErrFull:
		return fmt.Errorf("the disk is full: %w", err)
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return fmt.Errorf("another program holds it locked: %w", err)
	}
	return err
}
