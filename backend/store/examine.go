package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Check looks whether the database at path is whole, and changes nothing. It may run beside the Kuang that uses it.
// A database that does not exist yet is fs.ErrNotExist.
func Check(path string) error {
	path, err := filepath.Abs(path)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		return fmt.Errorf("checking the database: %w", err)
	}
	g, err := connect(readOnlySource(path))
	if err == nil {
		err = errors.Join(check(g), disconnect(g))
	}
	if err != nil {
		return fmt.Errorf("checking the database %s: %w", path, explain(err))
	}
	return nil
}
