package settings

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestHandEdits(t *testing.T) {
	t.Run("are adopted at the next change", func(t *testing.T) {
		dir := t.TempDir()
		s := openAt(t, dir)
		set(t, s, "frames.maxFrames", 9)
		write(t, dir, `{"shadow":{"axSealed":false,"soon":1},"frames":{"maxFrames":9,"maxControls":3},"note":"mine"}`)
		set(t, s, "frames.maxFrames", 2)
		p := s.Policy()
		if p.On("shadow.axSealed") || p.Int("frames.maxControls") != 3 || p.Int("frames.maxFrames") != 2 {
			t.Error("an edit was dropped")
		}
		if got := s.Report().Unknown; !slices.Equal(got, []string{"note", "shadow.soon"}) {
			t.Errorf("unknown = %v", got)
		}
		if again := openAt(t, dir); !again.Policy().Equal(p) || len(again.Report().Unknown) != 2 {
			t.Error("an edit was dropped from the file")
		}
	})
	t.Run("never arm a risky lever while Kuang runs", func(t *testing.T) {
		dir := t.TempDir()
		s := openAt(t, dir)
		write(t, dir, `{"shadow":{"forceOpen":true}}`)
		set(t, s, "frames.maxFrames", 2)
		if s.Policy().On(ForceOpen) || openAt(t, dir).Policy().On(ForceOpen) {
			t.Error("armed without its confirm")
		}
		if got := s.Report().Problems; len(got) != 1 || !strings.HasPrefix(got[0], "shadow.forceOpen was turned on in the file.") {
			t.Errorf("problems = %q", got)
		}
	})
	t.Run("disarm", func(t *testing.T) {
		dir := t.TempDir()
		s := openAt(t, dir)
		if err := s.Arm(ForceOpen, "ARM"); err != nil {
			t.Fatal(err)
		}
		write(t, dir, `{"shadow":{"forceOpen":false}}`)
		set(t, s, "frames.maxFrames", 2)
		if s.Policy().On(ForceOpen) {
			t.Error("still armed")
		}
	})
	t.Run("that break the file are set aside and what holds is saved", func(t *testing.T) {
		dir := t.TempDir()
		s := openAt(t, dir)
		set(t, s, "frames.maxFrames", 9)
		write(t, dir, `{"enabled":`)
		if _, ok := errors.AsType[*InvalidError](s.Set("frames.maxControls", 0)); !ok || len(entries(t, dir)) != 1 {
			t.Error("a refused value touched the disk")
		}
		set(t, s, "frames.maxControls", 3)
		if p := openAt(t, dir).Policy(); p.Int("frames.maxFrames") != 9 || p.Int("frames.maxControls") != 3 {
			t.Error("what held was lost")
		}
		if r := s.Report(); r.Broken != asideName || read(t, dir, asideName) != `{"enabled":` {
			t.Errorf("report = %+v", r)
		}
	})
	t.Run("with a bad value leave what holds", func(t *testing.T) {
		dir := t.TempDir()
		s := openAt(t, dir)
		set(t, s, "frames.maxFrames", 9)
		write(t, dir, `{"frames":{"maxFrames":1000}}`)
		set(t, s, "frames.maxControls", 3)
		if s.Policy().Int("frames.maxFrames") != 9 || s.Report().Broken != asideName {
			t.Errorf("report = %+v", s.Report())
		}
	})
	t.Run("removing the file changes nothing", func(t *testing.T) {
		dir := t.TempDir()
		s := openAt(t, dir)
		set(t, s, "frames.maxFrames", 9)
		if err := os.Remove(filepath.Join(dir, "shadow-walk.json")); err != nil {
			t.Fatal(err)
		}
		set(t, s, "frames.maxControls", 3)
		if openAt(t, dir).Policy().Int("frames.maxFrames") != 9 {
			t.Error("a change lost another")
		}
	})
}
