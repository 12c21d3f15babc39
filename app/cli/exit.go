package cli

import (
	"context"
	"errors"

	"kuang/backend/verb"
)

// The exit statuses of the command line.
const (
	exitOK          = 0
	exitFailed      = 1 // bad input, or a verb that was refused or failed
	exitUnreachable = 2
	exitBrowser     = 3
	exitTimeout     = 4
)

// ErrReported is a failure whose reader has been told already.
var ErrReported = errors.New("reported")

// FailedError is a verb's failure, printed where it was asked for.
type FailedError struct {
	Code    verb.Code `json:"code"`
	Message string    `json:"message"`
	Hint    string    `json:"hint"`
}

// Error satisfies the error interface.
func (e *FailedError) Error() string {
	text := string(e.Code) + ": " + e.Message
	if e.Hint != "" {
		text += " " + e.Hint
	}
	return text
}

// Is makes a printed failure a reported one.
func (e *FailedError) Is(target error) bool { return target == ErrReported }

// Reported tells whether err has been printed.
func Reported(err error) bool { return errors.Is(err, ErrReported) }

// ExitCode is the exit status that goes with err.
func ExitCode(err error) int {
	var (
		failed      *FailedError
		unreachable *UnreachableError
	)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &failed) && failed.Code == verb.BrowserUnavailable:
		return exitBrowser
	case errors.As(err, &failed) && failed.Code == verb.Timeout, errors.Is(err, context.DeadlineExceeded):
		return exitTimeout
	case errors.As(err, &failed) && failed.Code == verb.Unauthorized, errors.As(err, &unreachable):
		return exitUnreachable
	}
	return exitFailed
}
