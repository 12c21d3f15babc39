package cli

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestFlagsBecomeTheInput(t *testing.T) {
	cases := []struct {
		args []string
		want string
	}{
		{[]string{"look"}, `{}`},
		{[]string{"look", "--name", "Confirm order", "--limit", "3", "--ratio=0.5", "--sealed", "--as", "text",
			"--roles", `["button"]`, "--at", `{"x":1,"y":2}`},
			`{"name":"Confirm order","limit":3,"ratio":0.5,"sealed":true,"as":"text","roles":["button"],"at":{"x":1,"y":2}}`},
		{[]string{"peek", "--sealed=false", "--name", `"quoted" {}`}, `{"sealed":false,"name":"\"quoted\" {}"}`},
		{[]string{"fail", "--retry-after", "4"}, `{"retry_after":4}`},
		{[]string{"fail", "--retry_after", "4"}, `{"retry_after":4}`},
		{[]string{"press", "--tab", "t3"}, `{"tab":"t3"}`},
	}
	for _, tc := range cases {
		sent, _, _, err := run(t, `{"ok":true}`, tc.args...)
		if err != nil {
			t.Errorf("%v: %v", tc.args, err)
			continue
		}
		var got, want any
		body := sent[strings.Index(sent, "{"):]
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatalf("%v sent %s: %v", tc.args, body, err)
		}
		if err := json.Unmarshal([]byte(tc.want), &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%v sent %s, want %s", tc.args, body, tc.want)
		}
	}
}

func TestBadFlagsAreRefusedBeforeAnythingIsSent(t *testing.T) {
	for _, args := range [][]string{{"look", "--limit", "many"}, {"look", "--at", "{"}, {"look", "--nmae", "x"}, {"look", "extra"}, {"unheard"}} {
		sent, _, _, err := run(t, `{"ok":true}`, args...)
		if err == nil || sent != "" || ExitCode(err) != 1 {
			t.Errorf("%v: sent %q, %v", args, sent, err)
		}
	}
}
