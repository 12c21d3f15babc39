package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kuang.db")
	if err := Check(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no database: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Fatal("the check made a database")
	}
	d := openAt(t, path)
	addRun(t, d, "r1", noon, 50, 2000)
	if err := Check(path); err != nil {
		t.Errorf("beside its user: %v", err)
	}
	addRun(t, d, "r2", noon, 1, 10) // and the user goes on
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(path); err != nil {
		t.Errorf("a whole one: %v", err)
	}
	overwrite(t, path, 8*4096, []byte(strings.Repeat("\xa5", 3*4096)))
	if err := Check(path); !isDamage(err) || !strings.HasPrefix(err.Error(), "checking the database "+path+": ") {
		t.Errorf("a page of noise: %v", err)
	}
	after, err := os.ReadFile(path)
	if err != nil || len(after) != len(whole) {
		t.Errorf("the check changed the file: %v", err)
	}
	overwrite(t, path, 0, []byte(strings.Repeat("not a database", 100)))
	if err := Check(path); !isDamage(err) {
		t.Errorf("another file: %v", err)
	}
}
