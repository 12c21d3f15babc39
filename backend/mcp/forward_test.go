package mcp

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"kuang/backend/tool/tooltest"
)

func TestForwardPassesAnswersThroughAndOutlivesARestart(t *testing.T) {
	b := tooltest.New(t)
	// The far side is replaced in the middle, as when the person restarts Kuang on the same port.
	var far atomic.Pointer[http.Handler]
	start := func() {
		h := New(b.Registry, b.Pipeline, "1").Handler()
		far.Store(&h)
	}
	start()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" || r.URL.Path != "/mcp" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		(*far.Load()).ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	c, ended := forwardTo(t, b, server.URL, "secret")

	_, object, text := run(t, c, "look", map[string]any{"name": "a"})
	if object["text"] != "<p>a" || !fenceLike.MatchString(text) {
		t.Errorf("look answered %v, %q", object, text)
	}
	if result, _, _ := run(t, c, "picture", nil); len(result.Content) != 2 {
		t.Error("the picture was lost")
	}
	for name, code := range map[string]string{"lok": "UNKNOWN_VERB", "fail": "STALE_REF"} {
		args := map[string]any{}
		if name == "fail" {
			args["code"] = code
		}
		result, object, _ := run(t, c, name, args)
		if e, _ := object["error"].(map[string]any); !result.IsError || e["code"] != code {
			t.Errorf("%s answered %v", name, object)
		}
	}
	if who := b.Callers()[0]; who.Client != "robot" || who.Surface != "mcp" {
		t.Errorf("the caller is %+v", who)
	}

	start()
	_, object, _ = run(t, c, "picture", nil)
	if e, _ := object["error"].(map[string]any); e["code"] != "KUANG_UNREACHABLE" {
		t.Errorf("a lost connection answered %v", object)
	}
	if _, object, _ = run(t, c, "picture", nil); object["ok"] != true {
		t.Errorf("after the restart it answered %v", object)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	endsWell(t, ended)
}

func TestForwardToNobodyIsSaidInWords(t *testing.T) {
	b := tooltest.New(t)
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	c, _ := forwardTo(t, b, server.URL, "secret")
	result, object, _ := run(t, c, "picture", nil)
	if e, _ := object["error"].(map[string]any); !result.IsError || e["code"] != "KUANG_UNREACHABLE" || e["hint"] == "" {
		t.Errorf("answered %v", object)
	}
}

// forwardTo is a client on pipes whose calls are forwarded.
func forwardTo(t *testing.T, b *tooltest.Bench, url, token string) (*sdk.ClientSession, <-chan error) {
	t.Helper()
	clientIn, serverOut := io.Pipe()
	serverIn, clientOut := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Forward(context.Background(), b.Registry, url, token, "1", serverIn, serverOut) }()
	return attach(t, &sdk.IOTransport{Reader: clientIn, Writer: clientOut}, "robot"), ended
}
