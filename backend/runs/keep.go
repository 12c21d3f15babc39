package runs

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// longest is how much of an input or an output is kept, in bytes of JSON.
const longest = 64 << 10

// keep returns what the log keeps of text: all of it when it is JSON and short enough, and else its beginning as a
// JSON string that is short enough. size is the length of text.
func keep(text json.RawMessage) (kept json.RawMessage, size int, cut bool) {
	size = len(text)
	switch {
	case size == 0:
		return nil, 0, false
	case size <= longest && json.Valid(text):
		return bytes.Clone(text), size, false
	}
	begin := text[:min(size, longest)]
	for {
		if kept = quote(begin); len(kept) <= longest {
			break
		}
		// Escapes made it longer than it may be. What is left keeps the proportion, so two rounds usually do.
		n := len(begin) * (longest - 2) / len(kept)
		begin = begin[:min(n, len(begin)-1)]
	}
	return kept, size, len(begin) < size
}

// quote is text as a JSON string, without half a character at its end.
func quote(text []byte) json.RawMessage {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				text = text[:len(text)-n]
			}
			break
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // the log is not a web page, and escapes would only make it longer
	if err := enc.Encode(string(text)); err != nil {
		panic(err) // a string always has a JSON form
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
