package settings

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// envSaveIn makes this test binary save in a loop in the folder that it names, until it is killed.
const envSaveIn = "KUANG_TEST_SAVE_IN"

// ballast makes a save long enough that a kill often meets it in the middle.
var ballast = strings.Repeat("ballast ", 16<<10)

// TestSaveInALoop is the child of TestKilledSaves. It prints every value once it is saved.
func TestSaveInALoop(t *testing.T) {
	dir := os.Getenv(envSaveIn)
	if dir == "" {
		t.Skip("run by TestKilledSaves")
	}
	f := testFile(dir)
	f.now = time.Now
	s, err := openStore(f, allBuilt(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := s.Policy().Int("frames.maxControls"); ; {
		n = n%200 + 1
		if err := s.Set("frames.maxControls", n); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(os.Stdout, n)
	}
}

func TestKilledSaves(t *testing.T) {
	const rounds = 22
	dir := t.TempDir()
	write(t, dir, `{"ballast":"`+ballast+`"}`)
	held, midway := 40, 0
	for range rounds {
		saved := killSaver(t, dir)
		if saved == 0 {
			saved = held
		}
		raw := read(t, dir, "shadow-walk.json")
		if !json.Valid([]byte(raw)) || !strings.Contains(raw, ballast) {
			t.Fatalf("the file is torn: %d bytes", len(raw))
		}
		s := openAt(t, dir)
		held = s.Policy().Int("frames.maxControls")
		if held != saved && held != saved%200+1 {
			t.Fatalf("%d was saved and %d holds", saved, held)
		}
		if r := s.Report(); r.Broken != "" || len(r.Problems) != 0 || len(r.Unknown) != 1 {
			t.Fatalf("report = %+v", r)
		}
		midway += len(entries(t, dir)) - 1
	}
	t.Logf("%d kills, unfinished saves seen %d times", rounds, midway)

	later := testFile(dir)
	later.now = func() time.Time { return time.Now().Add(2 * litterAge) }
	if _, err := openStore(later, allBuilt(), nil); err != nil {
		t.Fatal(err)
	}
	if names := entries(t, dir); len(names) != 1 {
		t.Errorf("the next start left %v", names)
	}
}

// killSaver lets a child save in dir, kills it at a random moment and returns the last value that it said was saved.
func killSaver(t *testing.T, dir string) int {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestSaveInALoop$")
	cmd.Env = append(os.Environ(), envSaveIn+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines, last, kill := bufio.NewScanner(out), 0, 1+rand.IntN(4)
	for read := 1; lines.Scan(); read++ {
		if n, err := strconv.Atoi(lines.Text()); err == nil {
			last = n
		}
		if read == kill {
			// A few saves after this line, and at no particular point of one.
			time.AfterFunc(rand.N(4*time.Millisecond), func() { _ = cmd.Process.Kill() })
		}
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the child ended by itself: %v", err)
	}
	return last
}

// A policy survives the kill of a process whose folder holds nothing but litter.
func TestOnlyLitter(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".shadow-walk.json4711"), []byte(`{"enabled":fal`), 0o600); err != nil {
		t.Fatal(err)
	}
	if s := openAt(t, dir); !s.Policy().On(Master) || s.Report().Broken != "" {
		t.Errorf("report = %+v", s.Report())
	}
}
