package settings

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestParseDamage(t *testing.T) {
	tests := map[string]struct{ data, why string }{
		"empty":       {"", "is not JSON (line 1)"},
		"blank":       {" \n\n", "is not JSON (line 3)"},
		"cut short":   {"{\n\"enabled\": tr", "is not JSON (line 2)"},
		"two objects": {"{}\n{}", "is not JSON (line 2)"},
		"comment":     {"{ // no\n}", "is not JSON (line 1)"},
		"list":        {"[]", "holds a list in place of an object"},
		"null":        {" null", "holds null in place of an object"},
		"text":        {`"off"`, "holds a text in place of an object"},
		"number":      {" 7 ", "holds 7 in place of an object"},
		"binary":      {"\x7fELF\x02\x01\xff\xfe", "is not text"},
		"zeros":       {strings.Repeat("\x00", 64), "is not JSON (line 1)"},
		"bad UTF-8":   {"{\"note\": \"\xc3\x28\"}", "is not text"},
		"huge":        {"{" + strings.Repeat(" ", maxBytes) + "}", "is far too large"},
		"deep":        {strings.Repeat("[", 100_000), "is not JSON (line 1)"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, _, err := parse([]byte(tt.data), newSchema().fields(), nil)
			if err == nil || err.Error() != tt.why {
				t.Errorf("damage = %v, want %q", err, tt.why)
			}
		})
	}
}

func TestParseValues(t *testing.T) {
	tests := map[string]struct {
		data     string
		want     map[string]any // what differs from the shipped values
		problems []string
		unknown  []string
	}{
		"empty object":     {data: "{}"},
		"byte order mark":  {data: "\xef\xbb\xbf{\"enabled\":false}", want: map[string]any{Master: false}},
		"nested":           {data: `{"frames":{"maxFrames":2},"shadow":{"axSealed":false}}`, want: map[string]any{"frames.maxFrames": 2, "shadow.axSealed": false}},
		"number forms":     {data: `{"frames":{"maxFrames":2.0,"maxControls":1e2}}`, want: map[string]any{"frames.maxFrames": 2, "frames.maxControls": 100}},
		"out of range":     {data: `{"enabled":false,"frames":{"maxFrames":99}}`, want: map[string]any{Master: false}, problems: []string{"frames.maxFrames is 99. It takes 1 to 24, so 6 holds."}},
		"below range":      {data: `{"frames":{"maxFrames":-1}}`, problems: []string{"frames.maxFrames is -1. It takes 1 to 24, so 6 holds."}},
		"a fraction":       {data: `{"frames":{"maxFrames":2.5}}`, problems: []string{"frames.maxFrames is 2.5. It takes a whole number, so 6 holds."}},
		"astronomical":     {data: `{"frames":{"maxFrames":1e300}}`, problems: []string{"frames.maxFrames is 1e300. It takes a whole number, so 6 holds."}},
		"beyond a float":   {data: `{"frames":{"maxFrames":1e999}}`, problems: []string{"frames.maxFrames is 1e999. It takes a whole number, so 6 holds."}},
		"text for switch":  {data: `{"enabled":"off"}`, problems: []string{"enabled is a text. It takes true or false, so true holds."}},
		"null":             {data: `{"enabled":null,"shadow":{"axSealed":null}}`, problems: []string{"enabled is null. It takes true or false, so true holds.", "shadow.axSealed is null. It takes true or false, so true holds."}},
		"group is a value": {data: `{"shadow":false}`, problems: []string{"shadow is false in place of a group of settings."}},
		"group is a list":  {data: `{"frames":[1,2]}`, problems: []string{"frames is a list in place of a group of settings."}},
		"unknown":          {data: `{"later":{"x":[1]},"shadow":{"soon":1,"axSealed":false},"note":"n"}`, want: map[string]any{"shadow.axSealed": false}, unknown: []string{"later", "note", "shadow.soon"}},
		"a dotted name":    {data: `{"shadow.axSealed":false}`, unknown: []string{"shadow.axSealed"}},
		"other case":       {data: `{"Enabled":false,"SHADOW":{"axSealed":false}}`, unknown: []string{"Enabled", "SHADOW"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			fields := newSchema().fields()
			base := shipped(fields)
			doc, problems, err := parse([]byte(tt.data), fields, base.values)
			if err != nil {
				t.Fatal(err)
			}
			maps.Copy(base.values, tt.want)
			if !maps.Equal(doc.values, base.values) {
				t.Errorf("values = %v", doc.values)
			}
			if !slices.Equal(problems, tt.problems) {
				t.Errorf("problems = %q", problems)
			}
			if !slices.Equal(doc.unknownKeys(), append([]string{}, tt.unknown...)) {
				t.Errorf("unknown = %q", doc.unknownKeys())
			}
		})
	}
}

// A bad value gives way to what holds, and a missing one to what is shipped: while Kuang runs these differ.
func TestParseInstead(t *testing.T) {
	fields := newSchema().fields()
	holds := shipped(fields)
	holds.values["frames.maxFrames"], holds.values["frames.maxControls"] = 3, 5
	for data, want := range map[string][2]int{
		`{"frames":{"maxFrames":99}}`: {3, 40},
		`{"frames":"none"}`:           {3, 5},
		`{}`:                          {6, 40},
	} {
		doc, _, err := parse([]byte(data), fields, holds.values)
		if got := [2]any{doc.values["frames.maxFrames"], doc.values["frames.maxControls"]}; err != nil || got != [2]any{want[0], want[1]} {
			t.Errorf("%s: %v, %v", data, got, err)
		}
	}
}

func TestEncodeKeepsWhatIsUnknown(t *testing.T) {
	const note = "{ \"precise\": 12345678901234567890.10,\n   \"text\":\"<\u2028>\" }"
	fields := newSchema().fields()
	doc, _, err := parse([]byte(`{"zoo": `+note+`, "shadow": {"soon": [1, 2]}}`), fields, shipped(fields).values)
	if err != nil {
		t.Fatal(err)
	}
	out := string(doc.encode(fields))
	for _, want := range []string{note, "\"soon\": [1, 2]", "{\n  \"enabled\": true,\n  \"shadow\": {\n    \"axSealed\": true,"} {
		if !strings.Contains(out, want) {
			t.Errorf("lost %s in\n%s", want, out)
		}
	}
}

func fuzzParse(f *testing.F, fields []field) {
	for _, seed := range []string{
		"", "{}", "null", "[]", "\xef\xbb\xbf{}", `{"enabled":false}`, `{"frames":{"maxFrames":99},"x":{"y":[null]}}`,
		`{"shadow":1,"shadow":{"axSealed":false,"axSealed":true}}`, `{"":1,"shadow":{"":{}}}`, "{\"\u202e\":1e9999}",
		`{"browser":{"executable":"/usr/bin/chromium","transport":"port","debug_port":9222,"attach":"http://[::1]:1"},"api":{"port":65536}}`,
		string(shipped(fields).encode(fields)),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, problems, err := parse(data, fields, shipped(fields).values)
		if err != nil {
			return
		}
		for _, f := range fields {
			v, ok := doc.values[f.key]
			if _, typed := decode(literal(v), f.def); !ok || !typed || f.refuse(v) != "" {
				t.Fatalf("%s = %v got through", f.key, v)
			}
		}
		for _, p := range problems {
			if len(p) > 300 || strings.ContainsAny(p, "\n\u202e") {
				t.Fatalf("problem %q repeats the file", p)
			}
		}
		out := doc.encode(fields)
		if !json.Valid(out) || len(out) > len(data)+4096 {
			t.Fatalf("%d bytes became %d: %s", len(data), len(out), out)
		}
		again, problems, err := parse(out, fields, nil)
		if len(out) > maxBytes {
			return // save refuses it
		}
		if err != nil || len(problems) > 0 {
			t.Fatalf("our own file is wrong: %v %v", err, problems)
		}
		if !maps.Equal(doc.values, again.values) || !maps.EqualFunc(doc.unknown, again.unknown, func(a, b map[string]json.RawMessage) bool {
			return maps.EqualFunc(a, b, func(x, y json.RawMessage) bool { return bytes.Equal(x, y) })
		}) {
			t.Fatalf("reading back changed\n%s", out)
		}
	})
}

func FuzzPolicyFile(f *testing.F) { fuzzParse(f, newSchema().fields()) }

func FuzzPreferencesFile(f *testing.F) { fuzzParse(f, preferenceFields()) }
