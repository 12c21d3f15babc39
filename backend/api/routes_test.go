package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"kuang/backend/verb"
)

// The whole surface, so that a new path is a decision. None may lead to the settings: what an agent may do is decided in
// the panel only.
func TestRoutes(t *testing.T) {
	b := newBench(t, nil)
	var got []string
	for _, r := range b.server.echo.Routes() {
		got = append(got, r.Method+" "+r.Path)
		for _, word := range []string{"setting", "lever", "policy", "token", "arm", "config", "preference", "approve"} {
			if strings.Contains(strings.ToLower(r.Path), word) {
				t.Errorf("%s leads to the settings", r.Path)
			}
		}
	}
	slices.Sort(got)
	want := []string{
		"DELETE /mcp", "GET /mcp", "GET /v1/events", "GET /v1/health", "GET /v1/openapi.json", "GET /v1/ping", "GET /v1/runs",
		"GET /v1/runs/:id", "POST /mcp", "POST /v1/:verb",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the routes are\n%s, want\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, path := range []string{"/v1/settings", "/settings", "/v1/settings/enabled", "/v1/shadow-walk", "/v1/policy", "/shadow-walk.json", "/token"} {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			if a := b.do(t, method, path, `{"enabled":false}`, nil); a.status != 404 && a.status != 405 {
				t.Errorf("%s %s answered %d", method, path, a.status)
			}
		}
	}
}

func TestUnknownPathsAndMethods(t *testing.T) {
	b := newBench(t, nil)
	cases := []struct {
		method, path string
		status       int
		code         string
	}{
		{"GET", "/", 404, "UNKNOWN_PATH"}, {"GET", "/v1", 404, "UNKNOWN_PATH"}, {"POST", "/v1/a/b", 404, "UNKNOWN_VERB"},
		{"POST", "/v1/", 404, "UNKNOWN_PATH"}, {"POST", "/v2/look", 404, "UNKNOWN_PATH"}, {"POST", "/v1/..%2ftoken", 404, "UNKNOWN_VERB"}, {"POST", "/v1/%00", 404, "UNKNOWN_VERB"},
		{"GET", "/v1/look", 405, "METHOD_NOT_ALLOWED"}, {"PUT", "/v1/look", 405, "METHOD_NOT_ALLOWED"},
		{"DELETE", "/v1/runs", 405, "METHOD_NOT_ALLOWED"}, {"PATCH", "/mcp", 405, "METHOD_NOT_ALLOWED"},
		{"BREW", "/v1/look", 405, "METHOD_NOT_ALLOWED"},
		{"GET", "/v1/runs/none", 404, "UNKNOWN_RUN"}, {"GET", "/v1/runs?outcome=good", 400, "BAD_REQUEST"},
		{"GET", "/v1/runs?page=0", 400, "BAD_REQUEST"}, {"GET", "/v1/runs?per_page=101", 400, "BAD_REQUEST"},
		{"GET", "/v1/runs?pgae=1", 400, "BAD_REQUEST"}, {"GET", "/v1/runs/run1?limit=x", 400, "BAD_REQUEST"},
		{"GET", "/v1/events?since=1", 400, "BAD_REQUEST"},
	}
	for _, c := range cases {
		a := b.do(t, c.method, c.path, "", nil)
		if a.status != c.status || a.code() != c.code {
			t.Errorf("%s %s answered %d %s", c.method, c.path, a.status, a.raw)
		}
		if c.status == 405 && a.header.Get("Allow") == "" {
			t.Errorf("%s %s does not say what is allowed", c.method, c.path)
		}
	}
}

func TestCallsOverHTTP(t *testing.T) {
	b := newBench(t, nil)
	a := b.do(t, http.MethodPost, "/v1/peek", `{"name":"a"}`, func(r *http.Request) { r.Header.Set(HeaderClient, "robot") })
	if want := `{"ok":true,"untrusted":true,"seen":{"name":"a"},"text":"<p>a"}` + "\n"; string(a.raw) != want {
		t.Errorf("answered %s, want %s", a.raw, want)
	}
	if a.header.Get("Content-Type") != "application/json" || a.header.Get("Cache-Control") != "no-store" || a.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers %v", a.header)
	}
	if a := b.do(t, http.MethodGet, "/v1/health", "", nil); a.object["status"] != "ok" {
		t.Errorf("health answered %s", a.raw)
	}
	b.do(t, http.MethodPost, "/v1/look", `{"name":"a"}`, func(r *http.Request) { r.Header.Set(HeaderSurface, "cli") })
	b.do(t, http.MethodPost, "/v1/look", `{"name":"a"}`, func(r *http.Request) { r.Header.Set(HeaderSurface, "panel") })
	want := []verb.Caller{{Client: "robot", Surface: "http"}, {Client: "http", Surface: "http"}, {Client: "cli", Surface: "cli"}, {Client: "http", Surface: "http"}}
	if got := b.Callers(); !slices.Equal(got, want) {
		t.Errorf("the callers are %v, want %v", got, want)
	}
	a = b.do(t, http.MethodGet, "/v1/runs?outcome=ok&per_page=5", "", nil)
	if a.object["total"] != float64(1) || a.object["page"] != float64(1) || a.object["per_page"] != float64(5) {
		t.Errorf("runs answered %s", a.raw)
	}
	a = b.do(t, http.MethodGet, "/v1/runs/run1", "", nil)
	if entries, _ := a.object["entries"].([]any); len(entries) != 4 || a.object["untrusted"] != true {
		t.Errorf("the run answered %s", a.raw)
	}
}

func TestFailuresKeepTheirStatus(t *testing.T) {
	b := newBench(t, nil)
	for code, want := range map[string]int{
		"STALE_REF": 400, "SEALED_DISABLED": 400, "SEALED_RATE_LIMITED": 429, "RATE_LIMITED": 429, "BROWSER_UNAVAILABLE": 503, "INTERNAL": 500,
	} {
		a := b.do(t, http.MethodPost, "/v1/fail", `{"code":"`+code+`","retry_after":7}`, nil)
		e, _ := a.object["error"].(map[string]any)
		if a.status != want || a.code() != code || e["seen"] != "x" || a.header.Get("Retry-After") != "7" {
			t.Errorf("%s answered %d %s", code, a.status, a.raw)
		}
	}
	if a := b.do(t, http.MethodPost, "/v1/press", `{}`, nil); a.status != 503 || a.code() != "BROWSER_UNAVAILABLE" {
		t.Errorf("a verb without a browser answered %d %s", a.status, a.raw)
	}
}

func TestOpenAPIDescribesEveryVerb(t *testing.T) {
	b := newBench(t, nil)
	a := b.do(t, http.MethodGet, "/v1/openapi.json", "", func(r *http.Request) {})
	var doc struct {
		OpenAPI string `json:"openapi"`
		Paths   map[string]map[string]struct {
			OperationID string `json:"operationId"`
			RequestBody struct {
				Content map[string]struct{ Schema json.RawMessage }
			} `json:"requestBody"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(a.raw, &doc); err != nil {
		t.Fatal(err)
	}
	for _, name := range b.Registry.Names() {
		op := doc.Paths["/v1/"+name]["post"]
		if op.OperationID != name || !strings.Contains(string(op.RequestBody.Content["application/json"].Schema), `"additionalProperties":false`) {
			t.Errorf("%s is described as %+v", name, op)
		}
	}
	for _, r := range b.server.echo.Routes() {
		path := strings.ReplaceAll(r.Path, ":id", "{id}")
		if r.Path == mcpPath || r.Path == "/v1/:verb" || path == "/v1/openapi.json" {
			continue
		}
		if doc.Paths[path][strings.ToLower(r.Method)].OperationID == "" {
			t.Errorf("%s %s is not described", r.Method, path)
		}
	}
	if doc.OpenAPI != "3.1.0" {
		t.Errorf("OpenAPI %q", doc.OpenAPI)
	}
}
