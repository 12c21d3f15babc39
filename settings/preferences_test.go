package settings

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func preferenceFile(dir string) *file {
	return &file{dir: dir, name: "settings.json", now: func() time.Time { return noon }, replace: replaceFile}
}

func openPreferencesAt(t *testing.T, dir string) *PreferenceStore {
	t.Helper()
	s, err := openPreferences(preferenceFile(dir))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func writePreferences(t *testing.T, dir, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDefaultPreferences(t *testing.T) {
	const want = `{"appearance":{"theme":"sunlit"},"browser":{"executable":"","transport":"pipe","debug_port":0,` +
		`"headless":false,"attach":""},"api":{"port":7423}}`
	if raw, _ := json.Marshal(DefaultPreferences()); string(raw) != want {
		t.Errorf("defaults = %s", raw)
	}
	s, err := OpenPreferences(t.TempDir())
	if err != nil || s.Get() != DefaultPreferences() {
		t.Errorf("a fresh folder: %v", err)
	}
	if got := preferencesOf(DefaultPreferences().values()); got != DefaultPreferences() {
		t.Errorf("there and back = %+v", got)
	}
}

func TestSetPreferences(t *testing.T) {
	dir := t.TempDir()
	writePreferences(t, dir, `{"later":[1],"browser":{"soon":true}}`)
	s := openPreferencesAt(t, dir)
	want := Preferences{
		Appearance: Appearance{Theme: "midnight"},
		Browser: Browser{Executable: "/usr/bin/chromium", Transport: "port", DebugPort: 9222, Headless: true,
			Attach: "ws://127.0.0.1:9333/devtools/browser/x?y=<z>"},
		API: API{Port: 8000},
	}
	if err := s.Set(want); err != nil {
		t.Fatal(err)
	}
	again := openPreferencesAt(t, dir)
	if s.Get() != want || again.Get() != want {
		t.Errorf("now %+v, next %+v", s.Get(), again.Get())
	}
	if got := again.Report().Unknown; !slices.Equal(got, []string{"browser.soon", "later"}) {
		t.Errorf("unknown = %v", got)
	}
	if info, err := os.Stat(filepath.Join(dir, "settings.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestSetPreferencesRefuses(t *testing.T) {
	tests := map[string]struct {
		change    func(*Preferences)
		key, want string
	}{
		"theme":            {func(p *Preferences) { p.Appearance.Theme = "beige" }, themeKey, `It takes sunlit, midnight, neon, terminal or system. Still "sunlit".`},
		"relative path":    {func(p *Preferences) { p.Browser.Executable = "chromium" }, executableKey, `It takes a path from the root, or nothing. Still "".`},
		"path with a zero": {func(p *Preferences) { p.Browser.Executable = "/bin/\x00" }, executableKey, `It takes a path from the root, or nothing. Still "".`},
		"path not UTF-8":   {func(p *Preferences) { p.Browser.Executable = "/bin/\xff" }, executableKey, `It takes a path from the root, or nothing. Still "".`},
		"path too long":    {func(p *Preferences) { p.Browser.Executable = "/" + strings.Repeat("x", longestText) }, executableKey, `It takes a path from the root, or nothing. Still "".`},
		"transport":        {func(p *Preferences) { p.Browser.Transport = "" }, transportKey, `It takes pipe or port. Still "pipe".`},
		"port transport":   {func(p *Preferences) { p.Browser.Transport = "port" }, debugPortKey, `The port transport needs a port, 1 to 65535.`},
		"debug port":       {func(p *Preferences) { p.Browser.DebugPort = -1 }, debugPortKey, `It takes 0 to 65535. Still 0.`},
		"attach a file":    {func(p *Preferences) { p.Browser.Attach = "file:///etc/passwd" }, attachKey, `It takes an address such as http://127.0.0.1:9222, or nothing. Still "".`},
		"attach nothing":   {func(p *Preferences) { p.Browser.Attach = "http://" }, attachKey, `It takes an address such as http://127.0.0.1:9222, or nothing. Still "".`},
		"attach a line":    {func(p *Preferences) { p.Browser.Attach = "http://a\nb" }, attachKey, `It takes an address such as http://127.0.0.1:9222, or nothing. Still "".`},
		"API port zero":    {func(p *Preferences) { p.API.Port = 0 }, portKey, `It takes 1 to 65535. Still 7423.`},
		"API port":         {func(p *Preferences) { p.API.Port = 65536 }, portKey, `It takes 1 to 65535. Still 7423.`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := openPreferencesAt(t, dir)
			p := s.Get()
			tt.change(&p)
			invalid, ok := errors.AsType[*InvalidError](s.Set(p))
			if !ok || invalid.Key != tt.key || invalid.Message != tt.want {
				t.Errorf("Set = %v", invalid)
			}
			if s.Get() != DefaultPreferences() || len(entries(t, dir)) != 0 {
				t.Error("a refused value left a trace")
			}
		})
	}
}

func TestPreferencesFromABadFile(t *testing.T) {
	const aside = "settings.json.broken-20261025T120000Z"
	tests := map[string]struct {
		content  string
		change   func(*Preferences)
		broken   string
		problems []string
	}{
		"damaged": {`{"api"`, func(*Preferences) {}, aside, []string{"settings.json is not JSON (line 1), so it is not used."}},
		"one bad value": {`{"api":{"port":0},"appearance":{"theme":"neon"}}`, func(p *Preferences) { p.Appearance.Theme = "neon" }, aside,
			[]string{"api.port is 0. It takes 1 to 65535, so 7423 holds."}},
		"wrong type": {`{"api":{"port":"7424"},"browser":{"headless":"\u202eyes"}}`, func(*Preferences) {}, aside,
			[]string{"browser.headless is a text. It takes true or false, so false holds.", "api.port is a text. It takes a whole number, so 7423 holds."}},
		"values that do not fit each other": {`{"browser":{"transport":"port"}}`, func(*Preferences) {}, "",
			[]string{`browser.transport is "port" and browser.debug_port is 0. Without a port, "pipe" holds.`}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writePreferences(t, dir, tt.content)
			s := openPreferencesAt(t, dir)
			want := DefaultPreferences()
			tt.change(&want)
			if s.Get() != want {
				t.Errorf("preferences = %+v", s.Get())
			}
			if r := s.Report(); r.Broken != tt.broken || !slices.Equal(r.Problems, tt.problems) {
				t.Errorf("report = %+v", r)
			}
			want.API.Port = 9000
			if err := s.Set(want); err != nil || openPreferencesAt(t, dir).Get() != want {
				t.Errorf("after a change: %v", err)
			}
		})
	}
}

func TestPreferencesHandEdits(t *testing.T) {
	dir := t.TempDir()
	s := openPreferencesAt(t, dir)
	p := s.Get()
	writePreferences(t, dir, `{"appearance":{"theme":"neon"},"api":{"port":1234},"mine":1}`)
	p.API.Port = 9000 // decided on the old values
	if err := s.Set(p); err != nil {
		t.Fatal(err)
	}
	if got := s.Get(); got.Appearance.Theme != "neon" || got.API.Port != 9000 || !slices.Equal(s.Report().Unknown, []string{"mine"}) {
		t.Errorf("preferences = %+v", got)
	}
}

func TestPreferencesFailedSave(t *testing.T) {
	s := openPreferencesAt(t, t.TempDir())
	s.file.replace = func(string, []byte) error { return syscall.ENOSPC }
	p := s.Get()
	p.API.Port = 9000
	if failed, ok := errors.AsType[*SaveError](s.Set(p)); !ok || failed.Reason != "the disk is full" || s.Get() != DefaultPreferences() {
		t.Errorf("Set = %v", failed)
	}
	if got := s.Report().SaveError; got != "This change was not saved: the disk is full." {
		t.Errorf("report = %q", got)
	}
}

func TestPreferencesConcurrently(t *testing.T) {
	dir := t.TempDir()
	s := openPreferencesAt(t, dir)
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			p := s.Get()
			p.API.Port = 9000 + n
			if err := s.Set(p); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if openPreferencesAt(t, dir).Get() != s.Get() {
		t.Error("the file and the memory differ")
	}
}
