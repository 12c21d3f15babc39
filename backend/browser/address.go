package browser

import (
	"fmt"
	"net"
	"net/url"
	"strings"
)

// BadURLError is an address that Kuang does not open.
type BadURLError struct{ URL, Reason string }

// Error satisfies the error interface.
func (e *BadURLError) Error() string { return fmt.Sprintf("cannot open %q: %s", e.URL, e.Reason) }

// Address completes and checks an address as an agent gives it. A host without a scheme gets https, or http when it is
// this machine. Only http, https, about:blank and data are opened: javascript would run in the page, chrome pages
// control the browser, and file reads the person's disk.
func Address(raw string) (string, error) {
	s := strings.TrimSpace(raw)
	if s == "" {
		return "", &BadURLError{raw, "it is empty"}
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", &BadURLError{raw, "it holds control characters"}
	}
	scheme, hasScheme := schemeOf(s)
	if !hasScheme {
		s, scheme = complete(s), "http"
	}
	switch scheme {
	case "http", "https":
		u, err := url.Parse(s)
		if err != nil {
			return "", &BadURLError{raw, "it is not a URL"}
		}
		if u.Hostname() == "" {
			return "", &BadURLError{raw, "it names no host"}
		}
		return s, nil
	case "data":
		return s, nil
	case "about":
		if strings.EqualFold(s, "about:blank") {
			return "about:blank", nil
		}
	}
	return "", &BadURLError{raw, "only http, https, data and about:blank are opened"}
}

// schemeOf tells scheme:rest from host:port.
func schemeOf(s string) (string, bool) {
	scheme, rest, found := strings.Cut(s, ":")
	if !found || scheme == "" || strings.ContainsFunc(scheme, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '+' || r == '-' || r == '.')
	}) || scheme[0] >= '0' && scheme[0] <= '9' {
		return "", false
	}
	if strings.HasPrefix(rest, "//") {
		return strings.ToLower(scheme), true
	}
	port, _, _ := strings.Cut(rest, "/")
	if port != "" && strings.Trim(port, "0123456789") == "" {
		return "", false // host:port
	}
	return strings.ToLower(scheme), true
}

func complete(s string) string {
	s = strings.TrimPrefix(s, "//")
	if u, err := url.Parse("http://" + s); err == nil {
		host := u.Hostname()
		ip := net.ParseIP(host)
		if host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback() {
			return "http://" + s
		}
	}
	return "https://" + s
}

// public takes the user name and password out of an address, which Chromium keeps in it.
func public(address string) string {
	if !strings.Contains(address, "@") {
		return address
	}
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return address
	}
	u.User = nil
	return u.String()
}
