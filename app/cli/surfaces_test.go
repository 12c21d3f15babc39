package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"kuang/backend/api"
	"kuang/backend/mcp"
	"kuang/backend/tool/tooltest"
)

// tokened adds the token to an MCP client's requests.
type tokened string

// RoundTrip satisfies http.RoundTripper.
func (a tokened) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+string(a))
	return http.DefaultTransport.RoundTrip(req)
}

// surfaces is one pipeline behind all its doors.
type surfaces struct {
	*tooltest.Bench
	url, tokenFile, token string
	far                   *sdk.ClientSession
}

func openSurfaces(t *testing.T) *surfaces {
	t.Helper()
	b := tooltest.New(t)
	path := filepath.Join(t.TempDir(), api.TokenFile)
	token, err := api.OpenToken(path)
	if err != nil {
		t.Fatal(err)
	}
	server := api.New(api.Config{
		Registry: b.Registry, Pipeline: b.Pipeline, Runs: b.Services, Ledger: b.Ledger(), Browser: b.Browser(), Token: token,
		MCP: mcp.New(b.Registry, b.Pipeline, "1").Handler(), Log: b.Log,
	})
	if err := server.Start(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if strings.Contains(b.Logged.String(), "ending calls") {
			t.Error("an MCP client held the server up")
		}
	})
	s := &surfaces{Bench: b, url: server.URL(), tokenFile: path, token: token.Value()}
	transport := &sdk.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: tokened(s.token)}}
	if s.far, err = sdk.NewClient(&sdk.Implementation{Name: "robot", Version: "1"}, nil).Connect(t.Context(), transport, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

// overHTTP calls by a plain request.
func (s *surfaces) overHTTP(t *testing.T, name, input string) map[string]any {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/"+name, strings.NewReader(input))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return tooltest.Decode(t, raw)
}

// overMCP calls by the SDK's client.
func (s *surfaces) overMCP(t *testing.T, name, input string) map[string]any {
	t.Helper()
	result, err := s.far.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(input)})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	return tooltest.Decode(t, raw)
}

// overCLI calls by a command line.
func (s *surfaces) overCLI(t *testing.T, args ...string) map[string]any {
	t.Helper()
	root := &cobra.Command{Use: "kuang", SilenceErrors: true, SilenceUsage: true}
	AddVerbs(root, s.Registry, func() (*Client, error) { return Dial(s.url, s.tokenFile) })
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetArgs(append(args, "--json"))
	if err := root.ExecuteContext(t.Context()); err != nil && !Reported(err) {
		t.Fatalf("%v: %v", args, err)
	}
	return tooltest.Decode(t, out.Bytes())
}

// One definition, one object, whatever the door.
func TestEverySurfaceAnswersTheSameObject(t *testing.T) {
	s := openSurfaces(t)
	cases := []struct {
		name, input string
		flags       []string
	}{
		{"look", `{"name":"Confirm <order>","limit":3,"sealed":true,"roles":["button"],"at":{"x":1,"y":2.5}}`,
			[]string{"--name", "Confirm <order>", "--limit", "3", "--sealed", "--roles", `["button"]`, "--at", `{"x":1,"y":2.5}`}},
		{"look", `{"name":"a","limit":99}`, []string{"--name", "a", "--limit", "99"}},
		{"type_in", `{"text":"hunter2","secret":true}`, []string{"--text", "hunter2", "--secret"}},
		{"fail", `{"code":"STALE_REF"}`, []string{"--code", "STALE_REF"}},
		{"press", `{}`, nil},
	}
	for _, c := range cases {
		want := s.overHTTP(t, c.name, c.input)
		for surface, got := range map[string]map[string]any{
			"MCP": s.overMCP(t, c.name, c.input), "call": s.overCLI(t, "call", c.name, c.input), "flags": s.overCLI(t, append([]string{c.name}, c.flags...)...),
		} {
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s %s over %s is\n%v, over HTTP\n%v", c.name, c.input, surface, got, want)
			}
		}
	}
	var doors []string
	for _, who := range s.Callers()[:4] {
		doors = append(doors, who.Surface+":"+who.Client)
	}
	slices.Sort(doors)
	if want := "cli:cli cli:cli http:http mcp:robot"; strings.Join(doors, " ") != want {
		t.Errorf("the callers are %v, want %s", doors, want)
	}
}
