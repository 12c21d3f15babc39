package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/google/renameio/v2"
)

// litterAge is how old an unfinished save must be before it is swept up: longer than any save takes, so that the
// save of another running Kuang is left alone.
const litterAge = time.Minute

// asideTime is the layout of TIME in NAME.broken-TIME: UTC, sortable, fit for every file system.
const asideTime = "20060102T150405Z"

// SaveError says why a change could not be written. The values from before it still hold.
type SaveError struct {
	// File is the name of the file, Reason the end of the sentence "This change was not saved: ….".
	File, Reason string
	// Err is what the system said.
	Err error
}

// Error satisfies the error interface.
func (e *SaveError) Error() string { return fmt.Sprintf("saving %s: %s: %v", e.File, e.Reason, e.Err) }

// Unwrap returns what the system said.
func (e *SaveError) Unwrap() error { return e.Err }

// file is a settings file on disk.
type file struct {
	dir, name string
	fields    []field
	now       func() time.Time
	// replace writes a whole file in place of the one at path, or changes nothing.
	replace func(path string, data []byte) error
}

// loaded is what reading a file came to.
type loaded struct {
	doc document
	// exists is false when there is no file, and after a damaged one was moved out of the way.
	exists bool
	// modified is when the file was last written.
	modified time.Time
	// aside is the name under which a file with something wrong is kept, problems what was wrong with it.
	aside    string
	problems []string
	// stuck is why a file with something wrong could not be kept aside. It must not be overwritten then.
	stuck error
}

func (f *file) path() string { return filepath.Join(f.dir, f.name) }

// load reads the file. Where it is damaged, or is missing, the result is missing; where single values are bad, those
// of instead take their place. A file with anything wrong is kept aside first.
func (f *file) load(missing document, instead map[string]any) loaded {
	data, modified, err := f.read()
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return loaded{doc: missing}
	}
	l := loaded{exists: true, modified: modified}
	if err == nil {
		l.doc, l.problems, err = parse(data, f.fields, instead)
	}
	switch {
	case err != nil:
		l.doc, l.exists = missing, false
		l.problems = []string{f.name + " " + whyDamaged(err) + ", so it is not used."}
		l.aside, l.stuck = f.setAside(os.Rename)
	case len(l.problems) > 0:
		// The good values go on to hold, so the file stays in place until it is saved without the bad ones.
		l.aside, l.stuck = f.setAside(linkOrRename)
	}
	if l.stuck != nil {
		l.aside = f.name
		l.problems = append(l.problems, fmt.Sprintf("It could not be set aside: %s.", reason(l.stuck)))
	}
	return l
}

// read returns the content of the file. Anything but a plain file is a *damage: a pipe under its name would never end.
func (f *file) read() ([]byte, time.Time, error) {
	info, err := os.Stat(f.path())
	if err != nil {
		return nil, time.Time{}, err
	}
	if !info.Mode().IsRegular() {
		return nil, time.Time{}, &damage{"is not a plain file"}
	}
	r, err := os.Open(f.path())
	if err != nil {
		return nil, time.Time{}, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	return data, info.ModTime(), err
}

// setAside keeps the file under a name of its own, which it returns.
func (f *file) setAside(move func(from, to string) error) (string, error) {
	base := f.name + ".broken-" + f.now().UTC().Format(asideTime)
	name := base
	for n := 2; ; n++ {
		if _, err := os.Lstat(filepath.Join(f.dir, name)); err != nil {
			break // free, or not to be had, and then the move says why
		}
		name = fmt.Sprintf("%s-%d", base, n)
	}
	if err := move(f.path(), filepath.Join(f.dir, name)); err != nil {
		return "", err
	}
	return name, nil
}

// linkOrRename gives the file a second name, or moves it where the file system has no hard links.
func linkOrRename(from, to string) error {
	if err := os.Link(from, to); err == nil {
		return nil
	}
	return os.Rename(from, to)
}

// save writes the document whole. The error is a *SaveError, and then the file is what it was.
func (f *file) save(d document) error {
	data := d.encode(f.fields)
	if len(data) > maxBytes {
		err := fmt.Errorf("%d bytes, at most %d are read back", len(data), maxBytes)
		return &SaveError{File: f.name, Reason: "the file has grown too large", Err: err}
	}
	err := os.MkdirAll(f.dir, 0o700)
	if err == nil {
		err = f.replace(f.path(), data)
	}
	if err != nil {
		return &SaveError{File: f.name, Reason: reason(err), Err: err}
	}
	return nil
}

// sweep removes what saves that were killed have left behind.
func (f *file) sweep() {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return // nothing to sweep in a folder that cannot be listed, and reading the file itself will say why
	}
	for _, e := range entries {
		digits, ok := strings.CutPrefix(e.Name(), "."+f.name)
		if !ok || digits == "" || strings.Trim(digits, "0123456789") != "" {
			continue
		}
		if info, err := e.Info(); err == nil && f.now().Sub(info.ModTime()) > litterAge {
			// Litter that stays is harmless: no reader opens a name like this.
			_ = os.Remove(filepath.Join(f.dir, e.Name()))
		}
	}
}

// replaceFile writes data beside path, flushes it to the disk and renames it over path, so that a kill or a power cut
// at any moment leaves the old file or the new one, whole. The mode is 0600.
func replaceFile(path string, data []byte) error {
	// The folder is named because the library would otherwise probe the system's temporary one at every save.
	t, err := renameio.TempFile(filepath.Dir(path), path)
	if err != nil {
		return err
	}
	defer t.Cleanup()
	if _, err := t.Write(data); err != nil {
		return err
	}
	if err := t.CloseAtomicallyReplace(); err != nil {
		return err
	}
	// The new file is in place. Flushing the folder makes the rename itself outlive a power cut; where the file system
	// does not offer that, the old file may come back, whole.
	if d, err := os.Open(filepath.Dir(path)); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}

// whyDamaged ends the sentence that begins with the name of a file that could not be used.
func whyDamaged(err error) string {
	if d, ok := errors.AsType[*damage](err); ok {
		return d.why
	}
	return "cannot be read (" + reason(err) + ")"
}

// reason says in plain words why the disk refused.
func reason(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "the disk is full"
	case errors.Is(err, syscall.EROFS):
		return "the disk is read-only"
	case errors.Is(err, fs.ErrPermission):
		return "Kuang may not use its folder or the file"
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return "the folder is gone"
	}
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return e.Error() // the bare reason, without the path
	}
	return err.Error()
}
