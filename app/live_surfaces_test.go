package app

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"reflect"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// tokened adds the token to a client's requests.
type tokened struct{ token string }

func (a tokened) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+a.token)
	return http.DefaultTransport.RoundTrip(req)
}

// The same find gives the same object over HTTP, MCP over HTTP, MCP over stdio and the command line.
func TestFindIsTheSameOnEverySurface(t *testing.T) {
	k := startLive(t, nil)
	pages := serveFixtures(t)
	path := program(t)
	address := map[string]any{"url": pages + "/closed-root.html"}
	query := map[string]any{"role": "button", "sealed": true}
	input, err := json.Marshal(query)
	if err != nil {
		t.Fatal(err)
	}

	k.must(t, "navigate", address)
	want := sansTab(t, k.must(t, "find", query).raw)

	client := sdk.NewClient(&sdk.Implementation{Name: "surfaces", Version: "1"}, nil)
	overHTTP, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: k.url + "/mcp", HTTPClient: &http.Client{Transport: tokened{k.token}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer overHTTP.Close()
	stdio := exec.CommandContext(t.Context(), path, "mcp")
	stdio.Env = append(os.Environ(), "KUANG_HOME="+string(k.home))
	overStdio, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: stdio}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer overStdio.Close()
	for name, session := range map[string]*sdk.ClientSession{"MCP over HTTP": overHTTP, "MCP over stdio": overStdio} {
		ask(t, session, "navigate", address)
		got := ask(t, session, "find", query)
		raw, err := json.Marshal(got.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		if o := sansTab(t, raw); !reflect.DeepEqual(o, want) {
			t.Errorf("%s answers %v, HTTP %v", name, o, want)
		}
		shot := ask(t, session, "screenshot", map[string]any{})
		if !hasPicture(shot) {
			t.Errorf("%s has no picture in a screenshot's answer", name)
		}
		list, err := session.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) != len(k.registry.List()) {
			t.Errorf("%s lists %d tools, want %d: %v", name, len(list.Tools), len(k.registry.List()), err)
		}
	}

	command := func(args ...string) []byte {
		c := exec.CommandContext(t.Context(), path, args...)
		c.Env = append(os.Environ(), "KUANG_HOME="+string(k.home))
		out, err := c.Output()
		if err != nil {
			t.Fatalf("kuang %v: %v\n%s", args, err, out)
		}
		return out
	}
	command("navigate", "--url", pages+"/closed-root.html")
	if o := sansTab(t, command("find", "--role", "button", "--sealed", "--json")); !reflect.DeepEqual(o, want) {
		t.Errorf("the command line answers %v, HTTP %v", o, want)
	}
	if o := sansTab(t, command("call", "find", string(input), "--json")); !reflect.DeepEqual(o, want) {
		t.Errorf("kuang call answers %v, HTTP %v", o, want)
	}
}

// sansTab is an answer without what names the tab that it is about.
func sansTab(t *testing.T, raw []byte) map[string]any {
	t.Helper()
	var o map[string]any
	if err := json.Unmarshal(raw, &o); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	if o["ok"] != true {
		t.Fatalf("not ok: %s", raw)
	}
	delete(o, "tab")
	delete(o, "revision")
	dropFrames(o)
	return o
}

// dropFrames removes Chromium's frame ids, which differ from tab to tab.
func dropFrames(v any) {
	switch x := v.(type) {
	case map[string]any:
		delete(x, "frame_id")
		for _, inner := range x {
			dropFrames(inner)
		}
	case []any:
		for _, inner := range x {
			dropFrames(inner)
		}
	}
}

func ask(t *testing.T, session *sdk.ClientSession, verb string, in map[string]any) *sdk.CallToolResult {
	t.Helper()
	r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: verb, Arguments: in})
	if err != nil {
		t.Fatalf("%s: %v", verb, err)
	}
	if r.IsError {
		raw, _ := json.Marshal(r) // Only for the message.
		t.Fatalf("%s: %s", verb, raw)
	}
	return r
}

func hasPicture(r *sdk.CallToolResult) bool {
	for _, c := range r.Content {
		if image, ok := c.(*sdk.ImageContent); ok && bytes.HasPrefix(image.Data, []byte("\x89PNG")) {
			return true
		}
	}
	return false
}

// MCP over stdio works with no Kuang running: a headless one lives as long as its client.
func TestMCPStartsItsOwnKuang(t *testing.T) {
	pages := serveFixtures(t)
	home := t.TempDir()
	stdio := exec.CommandContext(t.Context(), program(t), "mcp")
	stdio.Env = append(os.Environ(), "KUANG_HOME="+home)
	stdio.Stderr = io.Discard
	session, err := sdk.NewClient(&sdk.Implementation{Name: "alone", Version: "1"}, nil).
		Connect(t.Context(), &sdk.CommandTransport{Command: stdio, TerminateDuration: closeTimeout}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ask(t, session, "navigate", map[string]any{"url": pages + "/closed-root.html"})
	ask(t, session, "find", map[string]any{"name": "Confirm order", "sealed": true})
	if err := session.Close(); err != nil {
		t.Errorf("ending: %v", err)
	}
}
