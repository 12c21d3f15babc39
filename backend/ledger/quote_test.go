package ledger

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestQuote(t *testing.T) {
	a80 := strings.Repeat("a", 80)
	tests := map[string]struct{ text, want string }{
		"plain":               {"Confirm order", "“Confirm order”"},
		"empty":               {"", "“”"},
		"other scripts":       {"Größe 注文する שלום ❤️", "“Größe 注文する שלום ❤️”"},
		"direction override":  {"pay\u202eexample", "“pay⟨U+202E⟩example”"},
		"isolates and marks":  {"\u2066a\u2069\u200f\u061c", "“⟨U+2066⟩a⟨U+2069⟩⟨U+200F⟩⟨U+061C⟩”"},
		"line breaks":         {"a\nb\r\tc\u2028d\u0085", "“a⟨U+000A⟩b⟨U+000D⟩⟨U+0009⟩c⟨U+2028⟩d⟨U+0085⟩”"},
		"controls":            {"\x00\x1b[31m\x7f", "“⟨U+0000⟩⟨U+001B⟩[31m⟨U+007F⟩”"},
		"zero width":          {"a\u200bb\ufeffc\u2060\u00ad", "“a⟨U+200B⟩b⟨U+FEFF⟩c⟨U+2060⟩⟨U+00AD⟩”"},
		"tag characters":      {"a\U000e0041", "“a⟨U+E0041⟩”"},
		"looks like nothing":  {"\u3164\u2800\U000e0101", "“⟨U+3164⟩⟨U+2800⟩⟨U+E0101⟩”"},
		"private, unassigned": {"\ue000\U0010ffff", "“⟨U+E000⟩⟨U+10FFFF⟩”"},
		"spaces":              {"a\u00a0b\u3000c", "“a b c”"},
		"not UTF-8":           {"a\xff\xc3(", "“a⟨0xFF⟩⟨0xC3⟩(”"},
		"a real U+FFFD":       {"a\ufffd", "“a\ufffd”"},
		"ends the quotation":  {"x” on bank.example. Clicked “y", "“x’ on bank.example. Clicked ‘y”"},
		"forges a code point": {"⟨U+202E⟩", "“⟨U+27E8⟩U+202E⟨U+27E9⟩”"},
		"80":                  {a80, "“" + a80 + "”"},
		"81":                  {a80 + "b", "“" + a80 + "…”"},
		"81 wide":             {strings.Repeat("語", 81), "“" + strings.Repeat("語", 80) + "…”"},
		"code point cut off":  {a80[:75] + "\u202e" + "b", "“" + a80[:75] + "…”"},
		"very long":           {strings.Repeat("\u202e", 1<<20), "“" + strings.Repeat("⟨U+202E⟩", 10) + "…”"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Quote(tt.text); got != tt.want {
				t.Errorf("Quote = %s\n  want %s", got, tt.want)
			}
		})
	}
}

func FuzzQuote(f *testing.F) {
	for _, seed := range []string{"", "Confirm order", "\u202e\u2066\n\x00", "\xff\xfe", "“”⟨⟩", strings.Repeat("é", 81), "\u0600\u070f\u08e2\u180e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q := Quote(s)
		inner, opened := strings.CutPrefix(q, "“")
		inner, closed := strings.CutSuffix(inner, "”")
		if !opened || !closed || strings.ContainsAny(inner, "“”") || !utf8.ValidString(q) {
			t.Fatalf("%q is not one quotation", q)
		}
		for _, r := range q {
			if !unicode.IsPrint(r) || unicode.In(r, unicode.Cf, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp, unicode.Co) {
				t.Fatalf("%U got through in %q", r, q)
			}
		}
		if n := utf8.RuneCountInString(strings.TrimSuffix(inner, "…")); n > longestQuote {
			t.Fatalf("%d characters", n)
		}
		if plain := strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) < 0; plain && len(s) <= longestQuote && inner != s {
			t.Fatalf("%q became %q", s, q)
		}
	})
}
