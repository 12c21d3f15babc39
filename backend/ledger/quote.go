package ledger

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestQuote is how many characters of page text a sentence repeats, as they are shown: a line in the panel.
const longestQuote = 80

// Quote sets page text in quotation marks for a sentence: “…”. Whatever is not a visible character of the text
// (controls, line breaks, direction marks, joiners, private characters, bytes that are no character) is shown as its
// code point, such as ⟨U+202E⟩, so that it cannot turn the sentence around, break it or hide in it. The quotation
// marks “ and ” of the text become ‘ and ’, so that it cannot end the quotation. After 80 characters comes “…”.
func Quote(s string) string {
	var b strings.Builder
	b.WriteString("“")
	shown := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		text := show(r, s[i:i+size])
		n := utf8.RuneCountInString(text)
		if shown+n > longestQuote {
			b.WriteString("…")
			break
		}
		b.WriteString(text)
		shown += n
		i += size
	}
	b.WriteString("”")
	return b.String()
}

// show is the character r, which stands as raw in the text, in a form that does nothing but show.
func show(r rune, raw string) string {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		return fmt.Sprintf("⟨0x%02X⟩", raw[0]) // not UTF-8
	case r == '“':
		return "‘"
	case r == '”':
		return "’"
	case r == '⟨', r == '⟩': // what a shown code point is made of
		return fmt.Sprintf("⟨U+%04X⟩", r)
	case unicode.Is(unicode.Zs, r):
		return " " // a space of whatever width
	case unicode.IsGraphic(r) && !invisible(r):
		return raw
	}
	return fmt.Sprintf("⟨U+%04X⟩", r)
}

// invisible reports graphic characters that show nothing. The two selectors that pages put behind an emoji are not
// among them.
func invisible(r rune) bool {
	switch r {
	case '\uFE0E', '\uFE0F': // text and emoji style
		return false
	case '\u115F', '\u1160', '\u3164', '\uFFA0', // Hangul fillers
		'\u034F', // combining grapheme joiner
		'\u2800': // blank Braille pattern
		return true
	}
	return unicode.Is(unicode.Variation_Selector, r)
}
