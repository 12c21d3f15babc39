package api

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kuang/backend/tool/tooltest"
	"kuang/backend/verb"
)

// patience bounds a test that would otherwise hang; nothing measures it.
const patience = time.Minute

// bench is a server that listens, over services in memory.
type bench struct {
	*tooltest.Bench
	server *Server
	token  *Token
}

// newBench starts a server; change may alter it before.
func newBench(t *testing.T, change func(*Server), defs ...verb.Definition) *bench {
	t.Helper()
	tb := tooltest.New(t, defs...)
	token, err := OpenToken(filepath.Join(t.TempDir(), TokenFile))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{Bench: tb, token: token}
	b.server = New(Config{
		Registry: tb.Registry, Pipeline: tb.Pipeline, Runs: tb.Services, Ledger: tb.Ledger(), Browser: tb.Browser(),
		Token: token, Version: "1", MCP: http.HandlerFunc(echoBody), Log: tb.Log,
	})
	if change != nil {
		change(b.server)
	}
	if err := b.server.Start(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.server.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if strings.Contains(tb.Logged.String(), token.Value()) {
			t.Error("the token is in the log")
		}
	})
	return b
}

// echoBody stands for the MCP server.
func echoBody(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"ok":true,"mcp":"`+r.Method+`"}`)
}

func (b *bench) address() string { return strings.TrimPrefix(b.server.URL(), "http://") }

// answer is what came back.
type answer struct {
	status int
	header http.Header
	raw    []byte
	object map[string]any
}

func (a answer) code() string {
	e, _ := a.object["error"].(map[string]any)
	code, _ := e["code"].(string)
	return code
}

// do sends a request with the token; set alters it.
func (b *bench) do(t *testing.T, method, path, body string, set func(*http.Request)) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, b.server.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+b.token.Value())
	req.Header.Set("Content-Type", "application/json")
	if set != nil {
		set(req)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return read(t, res)
}

// read takes in a response and checks what holds for every one: an object, and no word to other origins.
func read(t *testing.T, res *http.Response) answer {
	t.Helper()
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	for name := range res.Header {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("the answer carries %s", name)
		}
	}
	a := answer{status: res.StatusCode, header: res.Header, raw: raw, object: tooltest.Decode(t, raw)}
	if _, document := a.object["openapi"]; document {
		return a
	}
	if ok := a.object["ok"]; ok != (a.status == http.StatusOK) {
		t.Errorf("status %d with %.300s", a.status, raw)
	}
	if a.status != http.StatusOK && a.code() == "" {
		t.Errorf("status %d without a code: %s", a.status, raw)
	}
	return a
}

// dial opens a plain connection for requests that no client library would send.
func (b *bench) dial(t *testing.T) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", b.address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return c, bufio.NewReader(c)
}

// raw sends bytes and reads one answer.
func (b *bench) raw(t *testing.T, request string) answer {
	t.Helper()
	c, r := b.dial(t)
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatalf("%.80q: %v", request, err)
	}
	return read(t, res)
}
