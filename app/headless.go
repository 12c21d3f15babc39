//go:build !desktop

package app

import (
	"context"
	"errors"
)

const hasDesktop = false

// desktop cannot open a window: this build carries none.
func desktop(context.Context, *App) error {
	return errors.New("this binary has no window; build it with ./build/run.sh, or use kuang serve")
}
