package panel

import (
	"context"
	"encoding/json"
	"errors"

	"kuang/backend/runs"
	"kuang/settings"
)

// ErrorCode is the stable name of a failure on the bridge.
type ErrorCode string

// The codes. NoAnswer is made by the panel's script, when the bridge stays silent.
const (
	CodeInvalid     ErrorCode = "INVALID"
	CodeNeedsArm    ErrorCode = "NEEDS_ARM"
	CodeSaveFailed  ErrorCode = "SAVE_FAILED"
	CodeUnknownRun  ErrorCode = "UNKNOWN_RUN"
	CodeUnknownTab  ErrorCode = "UNKNOWN_TAB"
	CodeLogFailed   ErrorCode = "LOG_FAILED"
	CodeTokenFailed ErrorCode = "TOKEN_FAILED"
	CodeNoAnswer    ErrorCode = "NO_ANSWER"
	CodeInternal    ErrorCode = "INTERNAL"
)

// BridgeError is a failure as the panel's script gets it.
type BridgeError struct {
	Code ErrorCode `json:"code"`
	// What says what happened, Do what to do about it; Do is empty where What says it all.
	What string `json:"what"`
	Do   string `json:"do"`
	// Route and Label lead to the view that resolves it, when one does.
	Route string `json:"route"`
	Label string `json:"label"`
	// cause is for the log.
	cause error
}

// Error satisfies the error interface.
func (e *BridgeError) Error() string {
	if e.Do == "" {
		return e.What
	}
	return e.What + " " + e.Do
}

// Unwrap returns the cause.
func (e *BridgeError) Unwrap() error { return e.cause }

// FormatError is the shell's error formatter: it turns any error of a bound method into the JSON text of a
// BridgeError. It is text because later versions of the shell wrap what is not text, and then say "[object Object]".
func FormatError(err error) any {
	var b *BridgeError
	if !errors.As(err, &b) {
		b = &BridgeError{Code: CodeInternal, What: "Kuang could not do that: " + err.Error() + ".", Do: "Try again. If it stays, start Kuang again."}
	}
	text, marshalErr := json.Marshal(b)
	if marshalErr != nil { // A struct of strings always marshals.
		return err.Error()
	}
	return string(text)
}

// settingError translates what a settings store answers to a change.
func settingError(err error) error {
	var invalid *settings.InvalidError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &invalid):
		return &BridgeError{Code: CodeInvalid, What: invalid.Message, cause: err}
	case errors.Is(err, settings.ErrNeedsConfirm):
		return &BridgeError{Code: CodeNeedsArm, What: "This lever is armed in its own dialog.", cause: err}
	}
	return &BridgeError{
		Code: CodeSaveFailed, What: "The change was not saved: " + err.Error() + ".",
		Do: "What held before still holds. Check that the data directory can be written and has room, then try again.", cause: err,
	}
}

// logError translates what the log and the ledger answer.
func logError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, runs.ErrUnknownRun):
		return &BridgeError{
			Code: CodeUnknownRun, What: "This run is no longer in the log.",
			Do: "Runs are forgotten after 90 days, or sooner when the log is full.", Route: "runs", Label: "All runs", cause: err,
		}
	case errors.Is(err, context.DeadlineExceeded):
		return &BridgeError{Code: CodeLogFailed, What: "The log did not answer in time.", Do: "Try again in a moment.", cause: err}
	}
	return &BridgeError{
		Code: CodeLogFailed, What: "The log could not be read: " + err.Error() + ".",
		Do: "Try again. If it stays, start Kuang again.", cause: err,
	}
}
