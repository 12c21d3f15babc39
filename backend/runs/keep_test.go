package runs

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestKeep(t *testing.T) {
	fits := `"` + strings.Repeat("x", longest-2) + `"`
	tests := map[string]struct {
		text, want string // want is the kept text, or what it begins with when cut
		cut        bool
	}{
		"nothing":         {"", "", false},
		"JSON":            {`{"a": 1}`, `{"a": 1}`, false},
		"just fits":       {fits, fits, false},
		"one too long":    {`"x` + fits[1:], `"\"xxx`, true},
		"not JSON":        {"{broken\x01\xff", `"{broken\u0001\ufffd"`, false},
		"escapes":         {strings.Repeat(`"`, longest), `"\"\"`, true},
		"control":         {strings.Repeat("\x01", longest), `"\u0001\u0001`, true},
		"four-byte runes": {"[\"" + strings.Repeat("😀", longest) + `"]`, `"[\"😀😀`, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, size, cut := keep(json.RawMessage(tt.text))
			if size != len(tt.text) || cut != tt.cut || len(got) > longest {
				t.Errorf("size %d, cut %v, %d bytes kept", size, cut, len(got))
			}
			if !cut && string(got) != tt.want || cut && !strings.HasPrefix(string(got), tt.want) {
				t.Errorf("kept %.80s", got)
			}
			if cut && len(got) < longest*9/10 {
				t.Errorf("only %d bytes were kept", len(got))
			}
			if cut && strings.Contains(string(got), "\ufffd") {
				t.Error("a character was cut in half")
			}
		})
	}
}

func FuzzKeep(f *testing.F) {
	for _, seed := range []string{"", "{}", `"\ud800"`, "\xff\xfe", "{\"a\":\"\u2028\"}"} {
		f.Add([]byte(seed), 1)
		f.Add([]byte(seed), 20000)
	}
	f.Fuzz(func(t *testing.T, data []byte, times int) {
		times = max(min(times, 2*longest/max(len(data), 1)), 1)
		text := []byte(strings.Repeat(string(data), times))
		got, size, cut := keep(text)
		if size != len(text) || len(got) > longest || len(got) > 0 && !json.Valid(got) || (len(got) == 0) != (size == 0) {
			t.Fatalf("%d bytes became %d, cut %v: %.60s", len(text), len(got), cut, got)
		}
		if cut {
			var s string
			if err := json.Unmarshal(got, &s); err != nil || utf8.Valid(text) && !strings.HasPrefix(string(text), s) {
				t.Fatalf("kept %.60s of %.60s: %v", got, text, err)
			}
		}
	})
}
