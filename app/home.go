package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/adrg/xdg"
	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

// home is the data directory of one Kuang. Its folder is 0700 and its files 0600: they hold the token and what agents
// read.
type home string

// openHome returns $KUANG_HOME, else the platform's data directory + kuang, and makes it.
func openHome(env func(string) string) (home, error) {
	dir := env("KUANG_HOME")
	if dir == "" {
		dir = filepath.Join(xdg.DataHome, "kuang")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("finding the data directory: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making the data directory: %w; set KUANG_HOME to a folder that can be written", err)
	}
	return home(dir), nil
}

func (h home) path(name string) string { return filepath.Join(string(h), name) }

// errRunning is what a second Kuang on the same data directory gets.
var errRunning = errors.New("another Kuang already runs on this data directory")

// lock makes this process the one owner of the directory until unlock. The operating system lets go of the lock when
// the process dies, however it dies.
func (h home) lock() (unlock func(), err error) {
	l := flock.New(h.path("lock"), flock.SetPermissions(0o600))
	ok, err := l.TryLock()
	switch {
	case err != nil:
		return nil, fmt.Errorf("locking %s: %w; set KUANG_HOME to a folder that can be written", h, err)
	case !ok:
		if e, err := h.endpoint(); err == nil {
			return nil, fmt.Errorf("%w: process %d at %s", errRunning, e.PID, e.URL)
		}
		return nil, fmt.Errorf("%w (%s)", errRunning, h)
	}
	return func() { l.Unlock() }, nil
}

// endpoint is where the running Kuang listens, for the command line and for MCP over stdio.
type endpoint struct {
	URL       string    `json:"url"`
	PID       int       `json:"pid"`
	StartedAt time.Time `json:"started_at"`
}

func (h home) endpoint() (endpoint, error) {
	var e endpoint
	raw, err := os.ReadFile(h.path("endpoint.json"))
	if err != nil {
		return e, err
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return e, fmt.Errorf("reading endpoint.json: %w", err)
	}
	return e, nil
}

func (h home) announce(e endpoint) error {
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return renameio.WriteFile(h.path("endpoint.json"), raw, 0o600)
}

// retract removes the announcement; what is left of it names a port where nobody answers, which a client reports.
func (h home) retract() error {
	err := os.Remove(h.path("endpoint.json"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
