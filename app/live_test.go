package app

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"kuang/assets"
	"kuang/backend/browser/browsertest"
)

// closeTimeout bounds the end of a Kuang under test.
const closeTimeout = 20 * time.Second

// live is a whole Kuang with a real Chromium, an empty home and a port of its own.
type live struct {
	*App
	url, token string
	log        *logged // everything it logged
}

// logged keeps what services log from their own goroutines.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// startLive starts a Kuang for one test and ends it after.
func startLive(t *testing.T, env map[string]string) *live {
	t.Helper()
	browsertest.Require(t)
	log := new(logged)
	a, err := New(Config{
		Home:     t.TempDir(),
		Env:      func(name string) string { return env[name] },
		Port:     0,
		Headless: true,
		Log:      slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		if err := a.Close(ctx); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	token, err := os.ReadFile(a.TokenPath())
	if err != nil {
		t.Fatal(err)
	}
	return &live{App: a, url: a.URL(), token: strings.TrimSpace(string(token)), log: log}
}

// reply is an answer of the API: its status, its bytes and its object.
type reply struct {
	status int
	raw    []byte
	object map[string]any
}

// code is the error's code, or empty.
func (r reply) code() string {
	e, _ := r.object["error"].(map[string]any)
	code, _ := e["code"].(string)
	return code
}

// get reads a path of the object, such as "error.where" or "sealed.0.role".
func (r reply) get(path string) any {
	var v any = r.object
	for _, step := range strings.Split(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[step]
		case []any:
			i := int(step[0] - '0')
			if len(step) != 1 || i < 0 || i >= len(x) {
				return nil
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}

// do sends one request with the token.
func (l *live) do(t *testing.T, method, path string, body any) reply {
	t.Helper()
	var reader io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		reader = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, l.url+path, reader)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+l.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	r := reply{status: res.StatusCode}
	if r.raw, err = io.ReadAll(res.Body); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(r.raw, &r.object); err != nil {
		t.Fatalf("%s %s answered %d with %q: %v", method, path, res.StatusCode, r.raw, err)
	}
	return r
}

// call calls a verb and gives whatever came back.
func (l *live) call(t *testing.T, verb string, in map[string]any) reply {
	t.Helper()
	if in == nil {
		in = map[string]any{}
	}
	return l.do(t, http.MethodPost, "/v1/"+verb, in)
}

// must calls a verb that has to succeed.
func (l *live) must(t *testing.T, verb string, in map[string]any) reply {
	t.Helper()
	r := l.call(t, verb, in)
	if r.status != http.StatusOK || r.object["ok"] != true {
		t.Fatalf("%s %v: %d %s", verb, in, r.status, r.raw)
	}
	return r
}

// value evaluates an expression in the page itself.
func (l *live) value(t *testing.T, expression string) any {
	t.Helper()
	return l.must(t, "evaluate_javascript", map[string]any{"expression": expression}).object["value"]
}

// protocolCounts are the calls to the browser since it started, or since the counters were reset.
func (l *live) protocolCounts() map[string]int64 { return l.browser.Connection().Counts() }

// serveFixtures serves the bundled pages on a loopback port.
func serveFixtures(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.FileServerFS(assets.Fixtures()))
	t.Cleanup(s.Close)
	return s.URL
}
