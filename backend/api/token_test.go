package api

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestTokenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), TokenFile)
	first, err := OpenToken(path)
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(first.Value()) {
		t.Errorf("the token is %d characters of another kind", len(first.Value()))
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	again, err := OpenToken(path)
	if err != nil || again.Value() != first.Value() {
		t.Errorf("the second start has another token: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the open file stayed %v, %v", info.Mode(), err)
	}
	old := again.Value()
	if err := again.Rotate(); err != nil {
		t.Fatal(err)
	}
	if on, err := ReadToken(path); err != nil || on == old || on != again.Value() {
		t.Errorf("rotation kept the token, or the file: %v", err)
	}
	if again.matches(old) || again.matches("") || !again.matches(again.Value()) || (&Token{}).matches("") {
		t.Error("the wrong token matches")
	}
}

func TestTokenFilesThatCannotBeUsed(t *testing.T) {
	for name, content := range map[string]string{"empty": "", "short": "abcd", "not hex": strings.Repeat("z", 64), "two": strings.Repeat("a", 128)} {
		path := filepath.Join(t.TempDir(), TokenFile)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenToken(path); err == nil || !strings.Contains(err.Error(), "remove it") || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := OpenToken(t.TempDir()); err == nil || !strings.Contains(err.Error(), "reading the token file") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := OpenToken(filepath.Join(t.TempDir(), "missing", TokenFile)); err == nil {
		t.Error("a folder that is not there holds a token")
	}
}
