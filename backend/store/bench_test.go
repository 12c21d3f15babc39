package store

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkOpenFull opens a database of the default size limit, with the check for damage that every start makes.
func BenchmarkOpenFull(b *testing.B) {
	path := filepath.Join(b.TempDir(), "kuang.db")
	d := openAt(b, path)
	for n := range 100 { // 200 MB
		addRun(b, d, fmt.Sprint(n), noon.Add(time.Duration(n)*time.Minute), 200, 10_000)
	}
	if err := d.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		d, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		if err := d.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
