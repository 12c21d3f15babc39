package settings

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var noon = time.Date(2026, 10, 25, 12, 0, 0, 0, time.UTC)

const asideName = "shadow-walk.json.broken-20261025T120000Z"

// testFile is the policy file of dir at noon.
func testFile(dir string) *file {
	return &file{dir: dir, name: "shadow-walk.json", now: func() time.Time { return noon }, replace: replaceFile}
}

// openAt opens the policy of dir with every lever built.
func openAt(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := openStore(testFile(dir), allBuilt(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func write(t *testing.T, dir, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "shadow-walk.json"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func set(t *testing.T, s *Store, key string, v any) {
	t.Helper()
	if err := s.Set(key, v); err != nil {
		t.Fatalf("Set(%s, %v): %v", key, v, err)
	}
}

func TestOpenFresh(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "home")
	s, err := Open(dir, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	if !s.Policy().Equal(Defaults()) {
		t.Error("a fresh folder does not have the shipped policy")
	}
	r := s.Report()
	if len(r.Unknown)+len(r.Problems) != 0 || r.Broken != "" || r.SaveError != "" || !r.SavedAt.IsZero() {
		t.Errorf("report = %+v", r)
	}
	if raw, _ := json.Marshal(r); string(raw) != `{"unknown":[],"broken":"","problems":[],"save_error":""}` {
		t.Errorf("report = %s", raw)
	}
	if err := s.Set("shadow.axSealed", false); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]fs.FileMode{dir: 0o700, filepath.Join(dir, "shadow-walk.json"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, %v", path, info.Mode().Perm(), err)
		}
	}
	if _, err := Open(filepath.Join(dir, "shadow-walk.json", "below-a-file"), nil); err == nil {
		t.Error("a folder that cannot be made is no error")
	}
}

func TestSetPersists(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir)
	changes := map[string]any{
		Master: false, "shadow.axSealed": false, "shadow.cdpStyleMatch": true, "shadow.tabWalkMaxSteps": 24,
		"frames.maxFrames": int64(1), "frames.maxControls": float64(200), "frames.screenshotMaxSide": 256,
	}
	for key, v := range changes {
		set(t, s, key, v)
	}
	again := openAt(t, dir)
	if !again.Policy().Equal(s.Policy()) {
		t.Error("the next start has another policy")
	}
	p := again.Policy()
	if p.On(Master) || p.On("shadow.axSealed") || !p.On("shadow.cdpStyleMatch") || p.Int("shadow.tabWalkMaxSteps") != 24 ||
		p.Int("frames.maxFrames") != 1 || p.Int("frames.maxControls") != 200 || p.Int("frames.screenshotMaxSide") != 256 {
		t.Errorf("policy = %s", read(t, dir, "shadow-walk.json"))
	}
	if at := s.Report().SavedAt; !at.Equal(noon) {
		t.Errorf("saved at %v", at)
	}
	if again.Report().SavedAt.IsZero() {
		t.Error("the next start does not know when the file was saved")
	}
	if err := again.Reset(); err != nil || !again.Policy().Equal(openAt(t, t.TempDir()).Policy()) {
		t.Errorf("reset: %v", err)
	}
}

func TestSetRefuses(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir)
	tests := map[string]struct {
		key   string
		value any
		want  string
	}{
		"above":           {"frames.screenshotMaxSide", 9000, "256 to 4096. Still 1024."},
		"below":           {"frames.maxFrames", 0, "1 to 24. Still 6."},
		"fraction":        {"frames.maxFrames", 2.5, "1 to 24. Still 6."},
		"not a number":    {"frames.maxFrames", math.NaN(), "1 to 24. Still 6."},
		"infinite":        {"frames.maxFrames", math.Inf(1), "1 to 24. Still 6."},
		"text":            {"frames.maxFrames", "7", "1 to 24. Still 6."},
		"nothing":         {"frames.maxFrames", nil, "1 to 24. Still 6."},
		"switch number":   {"shadow.axSealed", 0, "On or off. Still on."},
		"number switch":   {"frames.maxFrames", true, "1 to 24. Still 6."},
		"switch text":     {"shadow.cdpStyleMatch", "on", "On or off. Still off."},
		"unknown":         {"shadow.nothing", true, "There is no setting called shadow.nothing."},
		"group":           {"shadow", true, "There is no setting called shadow."},
		"huge for an int": {"frames.maxFrames", int64(math.MaxInt64), "1 to 24. Still 6."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := s.Set(tt.key, tt.value)
			invalid, ok := errors.AsType[*InvalidError](err)
			if !ok || invalid.Key != tt.key || invalid.Message != tt.want {
				t.Errorf("Set = %v", err)
			}
		})
	}
	if !s.Policy().Equal(openAt(t, dir).Policy()) || len(entries(t, dir)) != 0 {
		t.Error("a refused value left a trace")
	}

	shippedStore, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if invalid, ok := errors.AsType[*InvalidError](shippedStore.Set("shadow.tabWalk", false)); !ok || invalid.Message != "Not in this build." {
		t.Errorf("a lever without a verb was set: %v", invalid)
	}
}

func TestRisky(t *testing.T) {
	s := openAt(t, t.TempDir())
	if err := s.Set(ForceOpen, true); !errors.Is(err, ErrNeedsConfirm) || s.Policy().On(ForceOpen) {
		t.Fatalf("Set turned it on: %v", err)
	}
	for key, words := range map[string][]string{
		ForceOpen: {"", "arm", "ARM ", "DISARM"}, "shadow.axSealed": {"ARM"}, "frames.maxFrames": {"ARM"}, "none": {"ARM"},
	} {
		for _, word := range words {
			if _, ok := errors.AsType[*InvalidError](s.Arm(key, word)); !ok || s.Policy().On(ForceOpen) {
				t.Errorf("Arm(%q, %q) was taken", key, word)
			}
		}
	}
	if err := s.Arm(ForceOpen, "ARM"); err != nil || !s.Policy().On(ForceOpen) {
		t.Fatalf("Arm: %v", err)
	}
	set(t, s, "shadow.axSealed", false)
	if !s.Policy().On(ForceOpen) {
		t.Error("another change turned it off")
	}
	set(t, s, ForceOpen, false)
	if err := s.Arm(ForceOpen, "ARM"); err != nil {
		t.Fatal(err)
	}
	if err := s.Reset(); err != nil || s.Policy().On(ForceOpen) {
		t.Errorf("reset left it on: %v", err)
	}
}

func TestEnvironmentLocks(t *testing.T) {
	dir := t.TempDir()
	env := func(vars map[string]string) func(string) string { return func(k string) string { return vars[k] } }
	s, err := openStore(testFile(dir), allBuilt(), env(map[string]string{envForceOpen: "1"}))
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{"set": s.Set(ForceOpen, false), "arm": s.Arm(ForceOpen, "ARM")} {
		if invalid, ok := errors.AsType[*InvalidError](err); !ok ||
			invalid.Message != "Set by KUANG_FORCE_OPEN_SHADOW=1 for this run. Start Kuang without it to decide here." {
			t.Errorf("%s: %v", name, err)
		}
	}
	set(t, s, "shadow.axSealed", false)
	if err := s.Reset(); err != nil || !s.Policy().On(ForceOpen) {
		t.Errorf("the variable holds for the whole run: %v", err)
	}
	if p := openAt(t, dir).Policy(); p.On(ForceOpen) {
		t.Error("the variable armed the next run too")
	}

	set(t, openAt(t, dir), "shadow.cdpStyleMatch", true)
	s, err = openStore(testFile(dir), allBuilt(), env(map[string]string{envKill: "off"}))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := errors.AsType[*InvalidError](s.Set(Master, true)); !ok || s.Policy().On(Master) {
		t.Error("the panel overruled the kill-switch")
	}
	set(t, s, "frames.maxFrames", 2)
	if p := openAt(t, dir).Policy(); !p.On(Master) || p.Int("frames.maxFrames") != 2 || !p.On("shadow.cdpStyleMatch") {
		t.Error("a run under the kill-switch changed what the file says about the master switch")
	}
}

func TestConcurrentSetLosesNothing(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir)
	write(t, dir, `{"later":{"kept":true}}`)
	want := map[string]int{"shadow.tabWalkMaxSteps": 3, "frames.maxFrames": 4, "frames.maxControls": 5, "frames.screenshotMaxSide": 300}
	var wg sync.WaitGroup
	for key, last := range want {
		wg.Go(func() { // one writer a key, so that the last value of each is known
			for n := range 10 {
				if err := s.Set(key, last+9-n); err != nil {
					t.Error(err)
				}
				_ = s.Policy().Int(key)
				_ = s.Report()
			}
		})
	}
	wg.Wait()
	for _, p := range []Policy{s.Policy(), openAt(t, dir).Policy()} {
		for key, last := range want {
			if p.Int(key) != last {
				t.Errorf("%s = %d, want %d", key, p.Int(key), last)
			}
		}
	}
	if !strings.Contains(read(t, dir, "shadow-walk.json"), `"later": {"kept":true}`) {
		t.Error("the unknown key was lost")
	}
	if names := entries(t, dir); len(names) != 1 {
		t.Errorf("litter: %v", names)
	}
}

func TestSubscribe(t *testing.T) {
	s := openAt(t, t.TempDir())
	var got []int
	cancel := s.Subscribe(func(p Policy) { got = append(got, p.Int("frames.maxFrames")) })
	other := 0
	s.Subscribe(func(Policy) { other++ })
	set(t, s, "frames.maxFrames", 2)
	set(t, s, "frames.maxFrames", 3)
	if err := s.Set("frames.maxFrames", 0); err == nil {
		t.Error("0 frames")
	}
	cancel()
	cancel()
	set(t, s, "frames.maxFrames", 4)
	if !slices.Equal(got, []int{2, 3}) || other != 3 {
		t.Errorf("told %v, the other %d times", got, other)
	}
}

func TestSubscribersEndOnTheNewest(t *testing.T) {
	s := openAt(t, t.TempDir())
	last := 0
	s.Subscribe(func(p Policy) { last = p.Int("frames.maxControls") })
	var wg sync.WaitGroup
	for n := range 20 {
		wg.Go(func() {
			if err := s.Set("frames.maxControls", n+1); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if now := s.Policy().Int("frames.maxControls"); last != now {
		t.Errorf("told %d last, and %d holds", last, now)
	}
}

// entries lists dir, sorted.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}
