package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"kuang/backend/api"
	"kuang/backend/tool"
	"kuang/backend/tool/tooltest"
)

// run runs one command line against a server that answers with the given body, and returns what it was sent.
func run(t *testing.T, answer string, args ...string) (sent, out, errOut string, err error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		sent = fmt.Sprintf("%s %s %s %s", r.Header.Get("Authorization"), r.Header.Get(api.HeaderClient), r.URL.Path, body)
		io.WriteString(w, answer)
	}))
	defer server.Close()
	registry, err := tool.NewRegistry(tooltest.Verbs()...)
	if err != nil {
		t.Fatal(err)
	}
	token := filepath.Join(t.TempDir(), api.TokenFile)
	secret := strings.Repeat("ab", 32)
	if err := os.WriteFile(token, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	root := &cobra.Command{Use: "kuang", SilenceErrors: true, SilenceUsage: true}
	AddVerbs(root, registry, func() (*Client, error) { return Dial(server.URL, token) })
	var o, e bytes.Buffer
	root.SetOut(&o)
	root.SetErr(&e)
	root.SetIn(strings.NewReader(`{"from":"stdin"}`))
	root.SetArgs(args)
	err = root.ExecuteContext(t.Context())
	return strings.ReplaceAll(sent, secret, "TOKEN"), o.String(), e.String(), err
}

func TestCallSendsWhatItWasGiven(t *testing.T) {
	const ok = `{"ok":true,"tab":"t1","revision":2,"text":"one\ntwo","rows":[{"mark":1},{"mark":2}],"none":[]}`
	cases := []struct {
		args      []string
		sent, out string
	}{
		{[]string{"call", "anything", `{"a":1}`}, `Bearer TOKEN cli /v1/anything {"a":1}`,
			"ok tab=t1 revision=2\none\ntwo\nrows: 2\n  {\"mark\":1}\n  {\"mark\":2}\nnone: none\n"},
		{[]string{"call", "anything"}, `Bearer TOKEN cli /v1/anything {}`, ""},
		{[]string{"call", "anything", "-"}, `Bearer TOKEN cli /v1/anything {"from":"stdin"}`, ""},
		{[]string{"call", "anything", "--client", "other", "--json"}, `Bearer TOKEN other /v1/anything {}`, ok + "\n"},
	}
	for _, tc := range cases {
		sent, out, _, err := run(t, ok, tc.args...)
		if err != nil || sent != tc.sent || tc.out != "" && out != tc.out {
			t.Errorf("%v: sent %q, printed %q, %v", tc.args, sent, out, err)
		}
	}
}

func TestExitCodes(t *testing.T) {
	failure := func(code string) string {
		return `{"ok":false,"error":{"code":"` + code + `","message":"It failed.","hint":"Do this."}}`
	}
	cases := map[string]int{`{"ok":true}`: 0, failure("NO_TARGET"): 1, failure("BROWSER_UNAVAILABLE"): 3, failure("UNAUTHORIZED"): 2, failure("TIMEOUT"): 4, "<html>": 2}
	for answer, want := range cases {
		_, out, errOut, err := run(t, answer, "call", "x")
		if got := ExitCode(err); got != want {
			t.Errorf("%s exits with %d, want %d", answer, got, want)
		}
		if strings.Contains(answer, "error") && (out != "" || !strings.Contains(errOut, "It failed. Do this.") || !Reported(err)) {
			t.Errorf("%s printed %q and %q", answer, out, errOut)
		}
		_, out, _, _ = run(t, answer, "call", "x", "--json")
		if json.Valid([]byte(answer)) && strings.TrimSpace(out) != answer {
			t.Errorf("%s was printed as %s", answer, out)
		}
	}
	_, err := Dial("http://127.0.0.1:1", filepath.Join(t.TempDir(), "none"))
	if ExitCode(err) != 2 {
		t.Errorf("no token exits with %d: %v", ExitCode(err), err)
	}
	if got := ExitCode(errors.New("other")); got != 1 {
		t.Errorf("another error exits with %d", got)
	}
}

func TestPageTextCannotSteerTheTerminal(t *testing.T) {
	const hostile = `{"ok":true,"title":"a\u001b[31mred\u0007` + "\u009b" + `","text":"x\n\u009by","rows":["` + "\u009b" + `"],"at":{"x":"` + "\u007f" + `"}}`
	for _, args := range [][]string{{"call", "x"}, {"call", "x", "--json"}} {
		_, out, _, err := run(t, hostile, args...)
		if err != nil || strings.ContainsAny(out, "\x1b\x07\u009b\u007f") {
			t.Errorf("%v printed %q, %v", args, out, err)
		}
		if len(args) == 3 && !reflect.DeepEqual(tooltest.Decode(t, []byte(out)), tooltest.Decode(t, []byte(hostile))) {
			t.Errorf("the object changed: %s", out)
		}
	}
	_, _, errOut, _ := run(t, `{"ok":false,"error":{"code":"X","message":"a\u001b[31m"}}`, "call", "x")
	if strings.Contains(errOut, "\x1b") {
		t.Errorf("an error printed %q", errOut)
	}
}
