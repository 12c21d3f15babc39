package api

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/google/renameio/v2"
)

// TokenFile is the name of the token's file in the data directory.
const TokenFile = "token"

// tokenBytes is the length of the token before it is written in hex: 256 bits, beyond any guessing.
const tokenBytes = 32

// tokenMode lets only the owner read the token.
const tokenMode = 0o600

// Token is the bearer token of the agent API, kept in a file that only its owner can read.
type Token struct {
	path string

	mu      sync.RWMutex // guards both below; every request reads them, Rotate writes them
	value   string
	changed chan struct{} // closed when value is replaced
}

// OpenToken reads the token at path, or makes one at the first start. A file that others could read is closed to them.
func OpenToken(path string) (*Token, error) {
	value, err := ReadToken(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		t := &Token{path: path, changed: make(chan struct{})}
		return t, t.Rotate()
	case err != nil:
		return nil, err
	}
	if err := os.Chmod(path, tokenMode); err != nil {
		return nil, fmt.Errorf("closing the token file %s to other users: %w", path, err)
	}
	return &Token{path: path, value: value, changed: make(chan struct{})}, nil
}

// ReadToken reads the token at path for a client on this machine.
func ReadToken(path string) (string, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading the token file %s: %w", path, err)
	}
	value := strings.TrimSpace(string(raw))
	if b, err := hex.DecodeString(value); err != nil || len(b) != tokenBytes {
		return "", fmt.Errorf("the token file %s holds no token; remove it, and the next start makes a new one", path)
	}
	return value, nil
}

// Value is the token as clients send it: 64 hex characters.
func (t *Token) Value() string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.value
}

// Rotate replaces the token. The old one is refused from then on, also on connections that are open, and streams that
// were opened with it end.
func (t *Token) Rotate() error {
	b := make([]byte, tokenBytes)
	if _, err := rand.Read(b); err != nil {
		return fmt.Errorf("making a token: %w", err)
	}
	value := hex.EncodeToString(b)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := renameio.WriteFile(t.path, []byte(value+"\n"), tokenMode); err != nil {
		return fmt.Errorf("writing the token file %s: %w", t.path, err)
	}
	t.value = value
	close(t.changed)
	t.changed = make(chan struct{})
	return nil
}

// replaced is closed when the token of now is replaced.
func (t *Token) replaced() <-chan struct{} {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.changed
}

// matches compares in constant time. Hashing first hides the length too.
func (t *Token) matches(presented string) bool {
	want := t.Value()
	a, b := sha256.Sum256([]byte(presented)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1 && want != ""
}
