package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"kuang/backend/verb"
)

// accept runs the checks that a call goes through and returns what the verb would decode.
func accept(t testing.TB, r *Registry, name, body string) ([]byte, error) {
	t.Helper()
	tool, _ := r.Lookup(name)
	c := &run{name: name, body: []byte(body), tool: tool}
	_, err := c.validate()
	return c.input, err
}

func TestInputsThatAreAccepted(t *testing.T) {
	r := mustRegistry(t, handlers{})
	cases := map[string]string{
		`{"name":"a"}`: `{"name":"a"}`,
		` {"name":"a","limit":10.0,"ratio":1e-1} `:              `{"limit":10,"name":"a","ratio":1e-1}`,
		`{"name":"a","limit":1.2e1}`:                            `{"limit":12,"name":"a"}`,
		`{"name":"a","limit":null,"where":null,"roles":null}`:   `{"name":"a"}`,
		`{"name":"a","as":"components","roles":["link"]}`:       `{"as":"components","name":"a","roles":["link"]}`,
		`{"name":"a","where":{"x":1,"y":2.5},"ways":[]}`:        `{"name":"a","ways":[],"where":{"x":1,"y":2.5}}`,
		`{"name":"a","anyhow":{"b":[1,null,{"c":true}]}}`:       `{"anyhow":{"b":[1,null,{"c":true}]},"name":"a"}`,
		`{"name":"a","headers":{"any name":3}}`:                 `{"headers":{"any name":3},"name":"a"}`,
		`{"name":"\u0442\ud83d\ude00"}`:                         `{"name":"т😀"}`,
		`{"name":"a","ratio":0e999999999}`:                      `{"name":"a","ratio":0e999999999}`,
		`{"name":"a","anyhow":` + nested(MaxDepth-2, "1") + `}`: `{"anyhow":` + nested(MaxDepth-2, "1") + `,"name":"a"}`,
	}
	for body, want := range cases {
		got, err := accept(t, r, "look", body)
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		if string(got) != want {
			t.Errorf("%s became %s, want %s", body, got, want)
		}
		var in lookIn
		if err := json.Unmarshal(got, &in); err != nil {
			t.Errorf("%s does not decode: %v", got, err)
		}
	}
	for body, want := range map[string]string{
		`{"n":-9223372036854775808}`: `{"n":-9223372036854775808}`, `{"n":0e999999999}`: `{"n":0}`, `{"n":-0.0}`: `{"n":0}`, `{"n":9007199254740993}`: `{"n":9007199254740993}`,
	} {
		if got, err := accept(t, r, "count", body); err != nil || string(got) != want {
			t.Errorf("%s became %s, %v", body, got, err)
		}
	}
	for _, body := range []string{"", " \n", "{}"} {
		if _, err := accept(t, r, "picture", body); err != nil {
			t.Errorf("%q: %v", body, err)
		}
	}
}

// nested is inner inside n arrays.
func nested(n int, inner string) string {
	return strings.Repeat("[", n) + inner + strings.Repeat("]", n)
}

func TestInputsThatAreRefused(t *testing.T) {
	r := mustRegistry(t, handlers{})
	cases := []struct{ verb, body, message, hint string }{
		{"look", `{"nmae":"a"}`, `look has no field "nmae".`, `Did you mean "name"? Its fields are: name, limit,`},
		{"look", `{"name":"a","zzzzzz":1}`, `look has no field "zzzzzz".`, `Its fields are: name, limit,`},
		{"look", `{"name":"a","Limit":1}`, `look has no field "Limit".`, `Did you mean "limit"?`},
		{"picture", `{"a":1}`, `picture has no field "a".`, `picture takes no fields.`},
		{"press", `{"tabb":"t1"}`, `press has no field "tabb".`, `Did you mean "tab"?`},
		{"press", `{"tab":1}`, `"tab" must be a string, got a number.`, `Send "tab" as a string`},
		{"look", `{}`, `look needs the field "name".`, `Add "name": a string, such as "text".`},
		{"look", `{"name":null}`, `"name" must be a string, got null.`, ``},
		{"look", `{"name":"a","limit":"10"}`, `"limit" must be a whole number, got a string.`, `without quotes`},
		{"look", `{"name":"a","limit":1.5}`, `"limit" must be a whole number, got the number 1.5.`, ``},
		{"look", `{"name":"a","limit":0}`, `"limit" must be from 1 to 40, got 0.`, ``},
		{"count", `{"n":1.5}`, `"n" must be a whole number, got the number 1.5.`, ``},
		{"count", `{"n":1e-999999999}`, `"n" must be a whole number, got the number 1e-999999999.`, ``},
		{"count", `{"n":9223372036854775808}`, `The number in "n" is too large.`, ``},
		{"count", `{"n":1e300}`, `The number in "n" is too large.`, ``},
		{"look", `{"name":"a","limit":1e400}`, `The number in "limit" is too large.`, ``},
		{"look", `{"name":"a","sealed":"yes"}`, `"sealed" must be true or false, got a string.`, `without quotes`},
		{"look", `{"name":"a","as":"txet"}`, `"as" does not take that word.`, `Did you mean "text"?`},
		{"look", `{"name":"a","roles":"button"}`, `"roles" must be an array, got a string.`, `such as ["button"]`},
		{"look", `{"name":"a","roles":["button","hunter2"]}`, `"roles[1]" does not take that word.`, `button, link`},
		{"look", `{"name":"a","where":{"x":1}}`, `look needs the field "where.y".`, `Add "where.y": a number`},
		{"look", `{"name":"a","ways":[{"x":1,"y":2,"z":3}]}`, `"ways[0]" has no field "z".`, `Did you mean "x"?`},
		{"look", `{"name":"a","where":[1,2]}`, `"where" must be an object, got an array.`, ``},
		{"look", `{"name":"a","headers":{"b":"c"}}`, `"headers.b" must be a whole number, got a string.`, ``},
		{"look", `{"name":"a","anyhow":[{"b":1e999}]}`, `The number in "anyhow[0].b" is too large.`, ``},
		{"look", `[]`, `The input must be a JSON object, got an array.`, ``},
		{"look", `null`, `The input must be a JSON object, got null.`, ``},
		{"look", `{"name":"a","name":"b"}`, `The body says the same field twice`, ``},
		{"look", `{"name":"a"}{}`, `The body goes on after its JSON value at byte 12.`, ``},
		{"look", `{"name":"a"} x`, `The body goes on after its JSON value`, ``},
		{"look", `{"name":"a",}`, `The body is not valid JSON`, ``},
		{"look", `{'name':'a'}`, `The body is not valid JSON`, ``},
		{"look", `{"name":"` + "\xff" + `"}`, `The body is not valid JSON`, ``},
		{"look", `{"name":"a`, `The body is not valid JSON`, ``},
		{"look", `{"name":"\ud800"}`, `The body is not valid JSON`, ``},
		{"look", `{"name":"a","anyhow":` + nested(MaxDepth, "1") + `}`, `The body is nested deeper than 64 levels.`, ``},
		{"look", nested(500_000, ""), `The body is nested deeper than 64 levels.`, ``},
		{"look", `{"name":"` + strings.Repeat("a", MaxBody) + `"}`, `The body is larger than 1048576 bytes.`, ``},
	}
	for _, c := range cases {
		_, err := accept(t, r, c.verb, c.body)
		var e *verb.Error
		if !errors.As(err, &e) || e.Code != verb.BadRequest {
			t.Errorf("%.60s: got %v", c.body, err)
			continue
		}
		if !strings.Contains(e.Message, c.message) || !strings.Contains(e.Hint, c.hint) || e.Hint == "" {
			t.Errorf("%.60s says %q and %q, want %q and %q", c.body, e.Message, e.Hint, c.message, c.hint)
		}
		if strings.Contains(e.Message+e.Hint, "hunter2") {
			t.Errorf("%.60s repeats what was sent: %q", c.body, e.Message)
		}
	}
}

func TestNearest(t *testing.T) {
	words := []string{"navigate", "observe", "find", "wait_for", "page_state", "screenshot"}
	cases := map[string]string{
		"navigat": "navigate", "naviagte": "navigate", "obsreve": "observe", "fnid": "find", "fond": "find", "find": "find",
		"waitfor": "wait_for", "pagestate": "page_state", "screen": "", "delete_everything": "", "": "", strings.Repeat("x", 1000): "",
	}
	for word, want := range cases {
		if got := nearest(word, words); got != want {
			t.Errorf("nearest(%.20q) = %q, want %q", word, got, want)
		}
	}
}

// What the checks let through, the published schema must accept too, and the verb's type must decode: three readings of
// one definition. What they refuse must be a BAD_REQUEST with a hint.
func FuzzInput(f *testing.F) {
	for _, body := range []string{
		`{"name":"a"}`, `{"name":"a","limit":1e1,"ratio":-0}`, `{"name":"a","where":{"x":1,"y":2}}`, `{"name":null}`, `[]`, ``,
		`{"name":"a","ways":[{"x":1,"y":2}],"anyhow":{"a":1e308},"headers":{"":1}}`, `{"name":"a","name":"b"}`, nested(80, "{}"),
		`{"name":"a","roles":["button"],"as":"text","limit":40.0,"sealed":false}`, `{"name":"a","limit":9223372036854775808}`,
	} {
		f.Add([]byte(body))
	}
	r := mustRegistry(f, handlers{})
	tool, _ := r.Lookup("look")
	resolved, err := tool.InputSchema.Resolve(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		c := &run{name: "look", body: body, tool: tool}
		if _, err := c.validate(); err != nil {
			var e *verb.Error
			if !errors.As(err, &e) || e.Code != verb.BadRequest || e.Hint == "" {
				t.Fatalf("%q is refused with %v", body, err)
			}
			if !json.Valid(shape(body)) {
				t.Fatalf("the shape of %q is %s", body, shape(body))
			}
			return
		}
		var v any
		if err := json.Unmarshal(c.input, &v); err != nil {
			t.Fatalf("%q became %s: %v", body, c.input, err)
		}
		if err := resolved.Validate(v); err != nil {
			t.Fatalf("the schema refuses %s, which the checks accept: %v", c.input, err)
		}
		var in lookIn
		dec := json.NewDecoder(bytes.NewReader(c.input))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&in); err != nil {
			t.Fatalf("%s does not decode: %v", c.input, err)
		}
		if _, err := newScrubber([]string{fmt.Sprint(in.Name)}).json(c.input); err != nil {
			t.Fatalf("%s cannot be redacted: %v", c.input, err)
		}
	})
}
