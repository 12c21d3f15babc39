package browser

import (
	"fmt"
	"strings"
)

// NavigationError is a navigation that reached no document.
type NavigationError struct {
	URL    string
	Reason string // in words, with Chromium's code
}

// Error satisfies the error interface.
func (e *NavigationError) Error() string { return fmt.Sprintf("opening %s: %s", e.URL, e.Reason) }

const (
	errAborted = "net::ERR_ABORTED"
	// errEmptyFailure is an answer with an HTTP error status and no body, for which Chromium shows a page of its own.
	errEmptyFailure = "net::ERR_HTTP_RESPONSE_CODE_FAILURE"
)

// explain puts Chromium's error code in words and keeps the code.
func explain(code string) string {
	var words string
	switch strings.TrimPrefix(code, "net::ERR_") {
	case "NAME_NOT_RESOLVED", "NAME_RESOLUTION_FAILED":
		words = "the host name does not exist or cannot be resolved"
	case "CONNECTION_REFUSED":
		words = "the server refused the connection"
	case "CONNECTION_RESET", "CONNECTION_CLOSED", "SOCKET_NOT_CONNECTED":
		words = "the server closed the connection"
	case "CONNECTION_TIMED_OUT", "TIMED_OUT":
		words = "the server did not answer in time"
	case "CONNECTION_FAILED", "ADDRESS_UNREACHABLE", "NETWORK_ACCESS_DENIED":
		words = "the server cannot be reached"
	case "INTERNET_DISCONNECTED":
		words = "this machine is offline"
	case "EMPTY_RESPONSE":
		words = "the server sent nothing"
	case "INVALID_RESPONSE", "INVALID_HTTP_RESPONSE", "RESPONSE_HEADERS_TRUNCATED":
		words = "the server's answer is not HTTP"
	case "TOO_MANY_REDIRECTS":
		words = "the server redirects in a circle"
	case "UNSAFE_PORT":
		words = "browsers do not open this port"
	case "UNKNOWN_URL_SCHEME", "INVALID_URL", "DISALLOWED_URL_SCHEME":
		words = "the address is not one a browser opens"
	case "PROXY_CONNECTION_FAILED", "TUNNEL_CONNECTION_FAILED":
		words = "the proxy cannot be reached"
	case "BLOCKED_BY_CLIENT", "BLOCKED_BY_ADMINISTRATOR", "BLOCKED_BY_RESPONSE":
		words = "it is blocked"
	case "INVALID_AUTH_CREDENTIALS":
		words = "the server asks for a user name and a password"
	case "UNSAFE_REDIRECT":
		words = "the server redirects to an address that pages may not open"
	case "CACHE_MISS":
		words = "the page came from a form and would have to be sent again"
	case "ABORTED":
		words = "it ended without a document: the server sent none, or another navigation took its place"
	default:
		words = "it failed"
		if strings.HasPrefix(code, "net::ERR_CERT_") || strings.HasPrefix(code, "net::ERR_SSL_") {
			words = "the connection is not secure"
		}
	}
	return words + " (" + code + ")"
}
