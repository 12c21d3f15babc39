package panel

import (
	"encoding/json"
	"testing"
)

func TestDescribe(t *testing.T) {
	for input, want := range map[string]string{
		`{"role":"button","name":"Confirm order","sealed":true}`: "role button, name “Confirm order”, sealed",
		`{"x":946,"y":534.5}`:                                    "x 946, y 534.5",
		`{"url":"https://shop.example/stoves"}`:                  "url https://shop.example/stoves",
		`{"sealed":false,"conditions":[{},{}],"target":{"a":1}}`: "sealed off, 2 conditions, target",
		`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}`:                  "a 1, b 2, c 3, d 4, and 2 more",
		`{"text":"[redacted]"}`:                                  "text “[redacted]”",
		`{}`:                                                     "",
		`null`:                                                   "",
		``:                                                       "",
		`{"text":"cut off in the mid`:                            "",
		`"cut as text"`:                                          "",
		`{"first":1,"second":`:                                   "first 1",
	} {
		if got := describe(json.RawMessage(input)); got != want {
			t.Errorf("describe(%s) is %q, not %q", input, got, want)
		}
	}
}

func TestVerdict(t *testing.T) {
	for output, want := range map[string]string{
		`{"ok":true,"verdict":"effect"}`: "effect", `{"ok":true}`: "", `{"verdict":{"a":1}}`: "", `{"cut`: "", ``: "", `[1]`: "",
	} {
		if got := verdict(json.RawMessage(output)); got != want {
			t.Errorf("verdict(%s) is %q, not %q", output, got, want)
		}
	}
}

func FuzzDescribe(f *testing.F) {
	f.Add([]byte(`{"role":"button","a":[1,{"b":null}],"c":`))
	f.Fuzz(func(t *testing.T, input []byte) {
		describe(input)
		verdict(input)
	})
}
