package browser

import (
	"errors"
	"net/url"
	"strings"
	"testing"
)

func TestAddress(t *testing.T) {
	cases := []struct{ in, want string }{
		{"https://example.com/a?b#c", "https://example.com/a?b#c"},
		{" http://example.com ", "http://example.com"},
		{"HTTP://EXAMPLE.com/", "HTTP://EXAMPLE.com/"},
		{"example.com", "https://example.com"},
		{"example.com/path?q=a:b", "https://example.com/path?q=a:b"},
		{"example.com:8443/x", "https://example.com:8443/x"},
		{"//example.com/x", "https://example.com/x"},
		{"localhost:3000", "http://localhost:3000"},
		{"localhost", "http://localhost"},
		{"app.localhost:1/x", "http://app.localhost:1/x"},
		{"127.0.0.1:8080/x", "http://127.0.0.1:8080/x"},
		{"[::1]:8080", "http://[::1]:8080"},
		{"192.168.1.4:80", "https://192.168.1.4:80"},
		{"about:blank", "about:blank"},
		{"About:Blank", "about:blank"},
		{"data:text/html,<p>x", "data:text/html,<p>x"},
		{"bücher.example", "https://bücher.example"},
	}
	for _, tc := range cases {
		if got, err := Address(tc.in); err != nil || got != tc.want {
			t.Errorf("%q: got %q, %v, want %q", tc.in, got, err, tc.want)
		}
	}
	for _, bad := range []string{
		"", "  ", "javascript:alert(1)", "JavaScript:alert(1)", " javascript:void(0)", "java\nscript:alert(1)", "java\tscript:1",
		"file:///etc/passwd", "chrome://settings", "chrome-extension://x/y", "devtools://devtools", "about:config",
		"view-source:http://example.com", "ftp://example.com", "blob:http://x/y", "http://", "https:///path", "http://[::1", "mailto:a@b.c",
		"ws://example.com",
	} {
		if got, err := Address(bad); !errors.As(err, new(*BadURLError)) {
			t.Errorf("%q: got %q, %v", bad, got, err)
		}
	}
}

func FuzzAddress(f *testing.F) {
	for _, seed := range []string{"example.com", "javascript:1", "http://a:1/", "//x", "data:,", "a:b", "[::1]:2", "1:2:3", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, err := Address(in)
		if err != nil {
			if !errors.As(err, new(*BadURLError)) {
				t.Fatalf("%q: %v", in, err)
			}
			return
		}
		if got == "about:blank" || strings.HasPrefix(strings.ToLower(got), "data:") {
			return
		}
		u, err := url.Parse(got)
		if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
			t.Fatalf("%q became %q (%v)", in, got, err)
		}
		if again, err := Address(got); err != nil || again != got {
			t.Fatalf("%q became %q and then %q (%v)", in, got, again, err)
		}
	})
}
