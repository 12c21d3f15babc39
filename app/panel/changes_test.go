package panel

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kuang/settings"
)

func TestDamagedPolicyIsSaid(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "shadow-walk.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := settings.Open(dir, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.cfg.Policy = store
	walk, _ := w.ShadowWalk()
	if len(walk.Faults) != 1 || walk.Faults[0].Code != "FILE_SET_ASIDE" || !strings.Contains(walk.Faults[0].Do, "shadow-walk.json.broken-") {
		t.Errorf("faults: %+v", walk.Faults)
	}
}

func TestLeversAreWhole(t *testing.T) {
	w := newWorld(t)
	walk, err := w.ShadowWalk()
	if err != nil {
		t.Fatal(err)
	}
	if len(walk.Levers) != len(settings.Levers()) {
		t.Fatalf("%d levers of %d", len(walk.Levers), len(settings.Levers()))
	}
	for _, l := range walk.Levers {
		if !l.Default {
			t.Errorf("%s is not at its default at first", l.Key)
		}
	}
	walk, err = w.SetSwitch("shadow.axSealed", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range walk.Levers {
		if l.Key == "shadow.axSealed" && (l.On || l.Default) {
			t.Errorf("turned off it is %+v", l)
		}
	}
	if walk.SavedAt.IsZero() {
		t.Error("a saved change has no time")
	}
	if walk, err = w.ResetShadowWalk(); err != nil || !walk.Levers[1].On {
		t.Errorf("reset: %+v, %v", walk.Levers[1], err)
	}
}

func TestRefusedChanges(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]struct {
		change func() error
		code   ErrorCode
	}{
		"risky without its confirm": {func() error { _, err := w.SetSwitch(settings.ForceOpen, true); return err }, CodeNeedsArm},
		"the wrong word":            {func() error { _, err := w.Arm(settings.ForceOpen, "arm"); return err }, CodeInvalid},
		"an unknown lever":          {func() error { _, err := w.SetSwitch("nothing", true); return err }, CodeInvalid},
		"a lever of another build":  {func() error { _, err := w.SetNumber("frames.maxFrames", 7); return err }, CodeInvalid},
		"an unknown theme":          {func() error { _, err := w.SetTheme("plaid"); return err }, CodeInvalid},
		"a closed tab":              {func() error { return w.ReloadTab("t9") }, CodeUnknownTab},
		"an unknown run":            {func() error { _, err := w.Run("R9"); return err }, CodeUnknownRun},
	} {
		t.Run(name, func(t *testing.T) {
			got := bridged(t, c.change())
			if got.Code != c.code || got.What == "" {
				t.Errorf("it answered %+v", got)
			}
		})
	}
}

func TestAFailedSaveKeepsThePolicyAndSaysWhy(t *testing.T) {
	w := newWorld(t)
	w.cfg.Policy = failingPolicy{w.policy}
	_, err := w.SetSwitch("shadow.axSealed", false)
	if got := bridged(t, err); got.Code != CodeSaveFailed || !strings.Contains(got.What, "no space") || got.Do == "" {
		t.Errorf("it answered %+v", got)
	}
}

type failingPolicy struct{ *settings.Store }

func (failingPolicy) Set(string, any) error { return errors.New("no space left on device") }

// bridged sends err over the bridge and back.
func bridged(t *testing.T, err error) BridgeError {
	t.Helper()
	if err == nil {
		t.Fatal("it did not fail")
	}
	text, ok := FormatError(err).(string)
	if !ok {
		t.Fatal("an error crosses as text")
	}
	var b BridgeError
	if err := json.Unmarshal([]byte(text), &b); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return b
}

func TestAnyErrorCrosses(t *testing.T) {
	if got := bridged(t, errors.New("surprise")); got.Code != CodeInternal || !strings.Contains(got.What, "surprise") {
		t.Errorf("it answered %+v", got)
	}
}

func TestToken(t *testing.T) {
	w := newWorld(t)
	if got, err := w.RotateToken(); err != nil || got.Value != strings.Repeat("b", 64) {
		t.Errorf("%+v, %v", got, err)
	}
	w.token.err = errors.New("read-only")
	_, err := w.RotateToken()
	if got := bridged(t, err); got.Code != CodeTokenFailed || !strings.Contains(got.Do, "old one still works") {
		t.Errorf("%+v", got)
	}
}

func TestThemeIsKept(t *testing.T) {
	w := newWorld(t)
	if _, err := w.SetTheme(ThemeNeon); err != nil {
		t.Fatal(err)
	}
	again, err := settings.OpenPreferences(w.dir)
	if err != nil || again.Get().Appearance.Theme != "neon" {
		t.Errorf("the next start reads %q, %v", again.Get().Appearance.Theme, err)
	}
}
