package tool

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestScrubberKnowsEverySpelling(t *testing.T) {
	const secret = `p"w\<&ö 9'` + "\n"
	s := newScrubber([]string{secret, ""})
	inJSON, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"plain":        "before " + secret + " after",
		"json":         `{"text":` + string(inJSON) + `}`,
		"json, as is":  `{"text":"p\"w\\<&ö 9'\n"}`,
		"html":         "value=p&#34;w\\&lt;&amp;ö 9&#39;\n",
		"query":        "?q=p%22w%5C%3C%26%C3%B6+9%27%0A",
		"path":         "/p%22w%5C%3C&%C3%B6%209%27%0A/",
		"json in json": `"{\"text\":` + strings.ReplaceAll(strings.ReplaceAll(string(inJSON), `\`, `\\`), `"`, `\"`) + `}"`,
	} {
		got := s.text(text)
		if name == "json in json" {
			out, err := s.json([]byte(text)) // A string is scrubbed as what it says, so one level of escapes is gone.
			if err != nil {
				t.Fatal(err)
			}
			got = string(out)
		}
		if !strings.Contains(got, Redacted) || strings.Contains(got, `w\`) || strings.Contains(got, "%5C") {
			t.Errorf("%s: %q became %q", name, text, got)
		}
	}
}

func TestScrubberOnJSON(t *testing.T) {
	cases := []struct {
		secrets  []string
		in, want string
	}{
		{nil, `{"b":1,"a":2}`, `{"b":1,"a":2}`},
		{[]string{"hunter2"}, `{"b":"xhunter2x","a":["hunter2",{"hunter2":1}]}`, `{"b":"x[redacted]x","a":["[redacted]",{"[redacted]":1}]}`},
		{[]string{"4711"}, `{"x":4711,"y":47110,"z":"a 4711"}`, `{"x":"[redacted]","y":47110,"z":"a [redacted]"}`},
		// Short ones go only where they stand alone.
		{[]string{"7"}, `{"x":7,"digit":"7","tab":"t7","padded":" 7 "}`, `{"x":7,"digit":"[redacted]","tab":"t7","padded":"[redacted]"}`},
		// One secret inside another leaves no half behind.
		{[]string{"pass", "password1"}, `{"a":"password1 pass"}`, `{"a":"[redacted] [redacted]"}`},
		// Names that become the same stay both.
		{[]string{"aaaa", "bbbb"}, `{"aaaa":1,"bbbb":2}`, `{"[redacted]":1,"[redacted]":2}`},
		{[]string{"true"}, `{"a":true,"b":null}`, `{"a":true,"b":null}`},
	}
	for _, c := range cases {
		got, err := newScrubber(c.secrets).json([]byte(c.in))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != c.want {
			t.Errorf("%s without %q is %s, want %s", c.in, c.secrets, got, c.want)
		}
	}
}

func TestShapeKeepsNoValue(t *testing.T) {
	for in, want := range map[string]string{
		`{"text":"hunter2","n":[1,true,null,{"a":"b"}]}`: `{"text":"[redacted]","n":["[redacted]",true,null,{"a":"[redacted]"}]}`,
		`hunter2`:                               `{"unreadable_bytes":7}`,
		``:                                      `{"unreadable_bytes":0}`,
		`{"` + strings.Repeat("k", 100):         `{"unreadable_bytes":102}`,
		`{"a":1,"a":"hunter2"}`:                 `{"unreadable_bytes":21}`,
		`"hunter2"`:                             `"[redacted]"`,
		`{"` + strings.Repeat("k", 65) + `":1}`: `{"` + strings.Repeat("k", 64) + `…":"[redacted]"}`,
	} {
		if got := string(shape([]byte(in))); got != want {
			t.Errorf("the shape of %.60s is %s, want %s", in, got, want)
		}
	}
}
