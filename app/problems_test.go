package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// One bad value in a good policy file falls back alone, and health must not say that all of the defaults hold.
func TestProblemsSayWhatHolds(t *testing.T) {
	cases := map[string]struct{ file, want string }{
		"one bad value": {`{"enabled":false,"frames":{"maxFrames":99}}`, "frames.maxFrames is 99. It takes 1 to 24, so 6 holds."},
		"no JSON":       {`{"enabled":`, "so it is not used."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "shadow-walk.json"), []byte(tc.file), 0o600); err != nil {
				t.Fatal(err)
			}
			a, err := New(Config{Home: dir, Env: func(string) string { return "" }, Headless: true, Log: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close(t.Context())
			got := strings.Join(a.problems(), " ")
			if !strings.Contains(got, tc.want) || !strings.Contains(got, "kept as shadow-walk.json.broken-") {
				t.Errorf("problems are %q", got)
			}
		})
	}
}
