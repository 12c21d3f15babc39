package verb

import (
	"encoding/json"
	"maps"
	"net/http"

	"kuang/settings"
)

// Code is the stable machine-readable name of a failure.
type Code string

// The codes of the verbs in this build and of the surfaces.
const (
	BadRequest         Code = "BAD_REQUEST"
	StaleRef           Code = "STALE_REF"
	NoTarget           Code = "NO_TARGET"
	Timeout            Code = "TIMEOUT"
	NotSupported       Code = "NOT_SUPPORTED"
	TypeNoEffect       Code = "TYPE_NO_EFFECT"
	NotClickable       Code = "NOT_CLICKABLE"
	NotEditable        Code = "NOT_EDITABLE"
	NotEnabled         Code = "NOT_ENABLED"
	UnknownTab         Code = "UNKNOWN_TAB"
	UnknownSession     Code = "UNKNOWN_SESSION"
	UnknownRun         Code = "UNKNOWN_RUN"
	NotOwned           Code = "NOT_OWNED"
	NavigationFailed   Code = "NAVIGATION_FAILED"
	NoViewport         Code = "NO_VIEWPORT"
	Unauthorized       Code = "UNAUTHORIZED"
	ForbiddenOrigin    Code = "FORBIDDEN_ORIGIN"
	UnknownVerb        Code = "UNKNOWN_VERB"
	UnknownPath        Code = "UNKNOWN_PATH"
	MethodNotAllowed   Code = "METHOD_NOT_ALLOWED"
	RateLimited        Code = "RATE_LIMITED"
	SealedRateLimited  Code = "SEALED_RATE_LIMITED"
	BrowserUnavailable Code = "BROWSER_UNAVAILABLE"
	Unreachable        Code = "KUANG_UNREACHABLE" // said by the stdio server in front of it, never by the app
	Cancelled          Code = "CANCELLED"         // the caller left; only the run log sees it
	Internal           Code = "INTERNAL"
)

// status maps the codes that are not plain 400s.
var status = map[Code]int{
	Unauthorized:       http.StatusUnauthorized,
	ForbiddenOrigin:    http.StatusForbidden,
	UnknownVerb:        http.StatusNotFound,
	UnknownRun:         http.StatusNotFound,
	UnknownPath:        http.StatusNotFound,
	MethodNotAllowed:   http.StatusMethodNotAllowed,
	RateLimited:        http.StatusTooManyRequests,
	SealedRateLimited:  http.StatusTooManyRequests,
	BrowserUnavailable: http.StatusServiceUnavailable,
	Unreachable:        http.StatusServiceUnavailable,
	Internal:           http.StatusInternalServerError,
}

// Error is a failure that its reader can act on.
type Error struct {
	Code Code
	// Message says what happened, Hint what to do next; each is a sentence.
	Message, Hint string
	// Evidence is what was observed, under further names of the error object. It must not use code, message or hint.
	// "retry_after", whole seconds, also becomes the Retry-After header.
	Evidence map[string]any
	// Cause is for the log only; it never reaches a caller.
	Cause error
}

// Error satisfies the error interface.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Status is the HTTP status that goes with the code.
func (e *Error) Status() int {
	if s, ok := status[e.Code]; ok {
		return s
	}
	return http.StatusBadRequest
}

// MarshalJSON writes the error object of the API: code, message, hint and the evidence beside them.
func (e *Error) MarshalJSON() ([]byte, error) {
	m := maps.Clone(e.Evidence)
	if m == nil {
		m = map[string]any{}
	}
	m["code"], m["message"] = e.Code, e.Message
	if e.Hint != "" {
		m["hint"] = e.Hint
	}
	return json.Marshal(m)
}

// Refused turns a refusal of the settings into the error an agent gets, with where to allow it.
func Refused(r *settings.Refusal) *Error {
	e := &Error{Code: Code(r.Code), Message: r.Message, Evidence: map[string]any{"setting": r.Setting}}
	if r.Where != "" {
		e.Hint = "Ask the person to allow it: " + r.Where + "."
		e.Evidence["where"] = r.Where
	}
	return e
}
