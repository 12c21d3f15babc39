package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"kuang/backend/browser"
)

// closeGrace is how long an ending Kuang waits for calls in flight and for the browser.
const closeGrace = 15 * time.Second

// ready is the one line that kuang serve prints on stdout.
type ready struct {
	Ready     bool   `json:"ready"`
	URL       string `json:"url"`
	TokenFile string `json:"token_file"`
	// Browser is the product and version, or what keeps it from running.
	Browser string `json:"browser"`
}

// serve runs without the panel until ctx ends.
func serve(ctx context.Context, a *App, stdout io.Writer) error {
	err := a.Start(ctx)
	if err == nil {
		err = json.NewEncoder(stdout).Encode(ready{Ready: true, URL: a.URL(), TokenFile: a.TokenPath(), Browser: describe(a.browser.Status())})
	}
	if err == nil {
		a.log.Info("serving", "url", a.URL(), "home", string(a.home))
		<-ctx.Done()
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = nil // Ended while it started, as it was asked to.
	}
	return closeAfter(a, err)
}

// closeAfter ends a and keeps the first error.
func closeAfter(a *App, err error) error {
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	if cerr := a.Close(ctx); err == nil && cerr != nil {
		return fmt.Errorf("ending: %w", cerr)
	}
	return err
}

func describe(s browser.Status) string {
	if s.Problem != nil {
		return "unavailable: " + s.Problem.What + " " + s.Problem.Fix
	}
	return s.Product + " " + s.Version
}

// hasDisplay reports whether a window could open.
func hasDisplay() bool { return os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != "" }
