package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestDamagedFileIsSetAside(t *testing.T) {
	for name, content := range map[string]string{
		"cut short": `{"enabled": fal`, "list": `[1]`, "empty": "", "binary": "\x89PNG\r\n\x1a\n\x00", "huge": strings.Repeat("{", maxBytes+7),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, content)
			s := openAt(t, dir)
			if !s.Policy().Equal(openAt(t, t.TempDir()).Policy()) {
				t.Error("not the shipped policy")
			}
			r := s.Report()
			if r.Broken != asideName || len(r.Problems) != 1 || r.SaveError != "" || !r.SavedAt.IsZero() {
				t.Errorf("report = %+v", r)
			}
			if read(t, dir, asideName) != content {
				t.Error("the file was changed")
			}
			set(t, s, "shadow.axSealed", false)
			if again := openAt(t, dir); again.Policy().On("shadow.axSealed") || again.Report().Broken != "" {
				t.Errorf("after the next save: %+v", again.Report())
			}
			// A second one in the same second does not overwrite the first.
			write(t, dir, "second")
			if r := openAt(t, dir).Report(); r.Broken != asideName+"-2" || read(t, dir, asideName) != content {
				t.Errorf("report = %+v", r)
			}
		})
	}
}

func TestNotAFile(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := make(filepath.Join(dir, "shadow-walk.json")); err != nil {
				t.Fatal(err)
			}
			s := openAt(t, dir)
			r := s.Report()
			if r.Broken != asideName || !slices.Equal(r.Problems, []string{"shadow-walk.json is not a plain file, so it is not used."}) {
				t.Errorf("report = %+v", r)
			}
			set(t, s, "shadow.axSealed", false)
		})
	}
}

// One bad value must not turn back on what the person had turned off.
func TestBadValueGivesWay(t *testing.T) {
	dir := t.TempDir()
	const content = `{"enabled":false,"frames":{"maxFrames":99,"maxControls":7},"later":1}`
	write(t, dir, content)
	s := openAt(t, dir)
	p := s.Policy()
	if p.On(Master) || p.Int("frames.maxFrames") != 6 || p.Int("frames.maxControls") != 7 {
		t.Error("more than the bad value changed")
	}
	want := Report{
		Unknown: []string{"later"}, Broken: asideName, SavedAt: noon,
		Problems: []string{"frames.maxFrames is 99. It takes 1 to 24, so 6 holds."},
	}
	if r := s.Report(); !reflect.DeepEqual(r, want) {
		t.Errorf("report = %+v", r)
	}
	if read(t, dir, asideName) != content {
		t.Error("the file was not kept")
	}
	again := openAt(t, dir)
	if !again.Policy().Equal(p) || len(again.Report().Problems) != 0 || len(again.Report().Unknown) != 1 {
		t.Errorf("at the next start: %+v", again.Report())
	}
}

func TestFailedSave(t *testing.T) {
	for reason, system := range map[string]error{
		"the disk is full":                         &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC},
		"the disk is read-only":                    &fs.PathError{Op: "open", Path: "x", Err: syscall.EROFS},
		"Kuang may not use its folder or the file": &fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES},
		"input/output error":                       &fs.PathError{Op: "sync", Path: "x", Err: syscall.EIO},
	} {
		t.Run(reason, func(t *testing.T) {
			dir := t.TempDir()
			s := openAt(t, dir)
			set(t, s, "frames.maxFrames", 9)
			before, told := read(t, dir, "shadow-walk.json"), 0
			s.Subscribe(func(Policy) { told++ })

			s.file.replace = func(string, []byte) error { return system }
			for act, err := range map[string]error{
				"set": s.Set("frames.maxFrames", 3), "arm": s.Arm(ForceOpen, "ARM"), "reset": s.Reset(),
			} {
				failed, ok := errors.AsType[*SaveError](err)
				if !ok || failed.Reason != reason || !errors.Is(err, system) {
					t.Errorf("%s: %v", act, err)
				}
			}
			if p := s.Policy(); p.Int("frames.maxFrames") != 9 || p.On(ForceOpen) || told != 0 {
				t.Error("the failed change holds")
			}
			if read(t, dir, "shadow-walk.json") != before {
				t.Error("the file changed")
			}
			if r := s.Report(); r.SaveError != "This change was not saved: "+reason+"." || !r.SavedAt.Equal(noon) {
				t.Errorf("report = %+v", r)
			}
			s.file.replace = replaceFile
			set(t, s, "frames.maxFrames", 3)
			if r := s.Report(); r.SaveError != "" || told != 1 {
				t.Errorf("after a good save: %+v", r)
			}
		})
	}
}

func TestUnknownKeysNeverGrowTheFilePastReading(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, `{"note":"`+strings.Repeat("x", maxBytes-30)+`"}`)
	s := openAt(t, dir)
	if _, ok := errors.AsType[*SaveError](s.Set("shadow.axSealed", false)); !ok || !s.Policy().On("shadow.axSealed") {
		t.Error("a file was written that cannot be read back")
	}
}

// The folder goes away under a running Kuang, and something that is not a folder takes its place.
func TestFolderIsGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home")
	s := openAt(t, dir)
	set(t, s, "frames.maxFrames", 3)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	set(t, s, "frames.maxControls", 3)
	if p := openAt(t, dir).Policy(); p.Int("frames.maxFrames") != 3 || p.Int("frames.maxControls") != 3 {
		t.Error("the folder was made again, but not all of the policy is in it")
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if failed, ok := errors.AsType[*SaveError](s.Reset()); !ok || failed.Reason != "the folder is gone" {
		t.Errorf("reset = %v", failed)
	}
}

// A damaged file that cannot be moved out of the way is never overwritten.
func TestStuckFile(t *testing.T) {
	dir := t.TempDir()
	long := *testFile(dir) // a name that leaves no room for ".broken-TIME"
	long.name = strings.Repeat("n", 250)
	if err := os.WriteFile(long.path(), []byte("damaged"), 0o600); err != nil {
		t.Skip(err)
	}
	stuck, err := openStore(&long, allBuilt(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := stuck.Report(); r.Broken != long.name || len(r.Problems) != 2 {
		t.Errorf("report = %+v", r)
	}
	if _, ok := errors.AsType[*SaveError](stuck.Set("frames.maxFrames", 3)); !ok || read(t, dir, long.name) != "damaged" {
		t.Error("the damaged file was overwritten")
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	names := []string{
		".shadow-walk.json123", ".shadow-walk.json99", // litter, old and new
		".shadow-walk.json", ".shadow-walk.json12x", "shadow-walk.json1", ".settings.json5", // not of this file's saves
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, noon, noon.Add(-2*litterAge)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(filepath.Join(dir, names[1]), noon, noon.Add(-litterAge/2)); err != nil {
		t.Fatal(err)
	}
	openAt(t, dir)
	if got, want := entries(t, dir), slices.Sorted(slices.Values(names[1:])); !slices.Equal(got, want) {
		t.Errorf("left %v", got)
	}
}
