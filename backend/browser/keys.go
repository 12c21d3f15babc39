package browser

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/chromedp/chromedp/kb"
)

// Modifiers is a set of held modifier keys, in the protocol's bits.
type Modifiers int64

// The modifier keys.
const (
	Alt     Modifiers = 1
	Control Modifiers = 2
	Meta    Modifiers = 4
	Shift   Modifiers = 8
)

// UnknownKeyError is a key name that no key has.
type UnknownKeyError struct{ Key string }

// Error satisfies the error interface.
func (e *UnknownKeyError) Error() string {
	return fmt.Sprintf("there is no key %q; use a character, or a name such as Enter, Tab, ArrowDown, F5 or Control+A", e.Key)
}

// key is what a press of one key sends.
type key struct {
	name, code string // KeyboardEvent.key and .code
	text       string // what it types; empty for none
	windows    int64  // Windows' virtual key code, which pages read as keyCode
	location   int64  // 1 for a left modifier key
	shift      bool   // the US layout reaches it with Shift
	plain      string // what it types without Shift
}

// modifierKeys are the modifier keys in the order in which a hand presses them.
func modifierKeys() []struct {
	bit Modifiers
	key key
} {
	return []struct {
		bit Modifiers
		key key
	}{
		{Control, key{name: "Control", code: "ControlLeft", windows: 17, location: 1}},
		{Alt, key{name: "Alt", code: "AltLeft", windows: 18, location: 1}},
		{Meta, key{name: "Meta", code: "MetaLeft", windows: 91, location: 1}},
		{Shift, key{name: "Shift", code: "ShiftLeft", windows: 16, location: 1}},
	}
}

// ParseModifiers reads modifier names. Ctrl, Cmd, Command and Option are understood as well.
func ParseModifiers(names []string) (Modifiers, error) {
	var set Modifiers
	for _, name := range names {
		bit, ok := modifier(name)
		if !ok {
			return 0, &UnknownKeyError{name}
		}
		set |= bit
	}
	return set, nil
}

func modifier(name string) (Modifiers, bool) {
	switch strings.ToLower(name) {
	case "alt", "option":
		return Alt, true
	case "control", "ctrl":
		return Control, true
	case "meta", "cmd", "command":
		return Meta, true
	case "shift":
		return Shift, true
	}
	return 0, false
}

// parseKey reads a key or a chord such as Control+Shift+K; Control++ is Control and plus.
func parseKey(chord string) (Modifiers, key, error) {
	var held Modifiers
	rest := chord
	for {
		name, after, found := strings.Cut(rest, "+")
		if !found || name == "" || after == "" {
			break
		}
		bit, ok := modifier(name)
		if !ok {
			return 0, key{}, &UnknownKeyError{chord}
		}
		held |= bit
		rest = after
	}
	if bit, ok := modifier(rest); ok {
		for _, m := range modifierKeys() {
			if m.bit == bit {
				return held, m.key, nil
			}
		}
	}
	k, ok := findKey(rest)
	if !ok {
		return 0, key{}, &UnknownKeyError{chord}
	}
	return held, k, nil
}

// findKey finds a key by the character that it types or by its DOM name.
func findKey(name string) (key, bool) {
	if r, size := utf8.DecodeRuneInString(name); size == len(name) {
		return typingKey(r)
	}
	switch strings.ToLower(name) { // Names that people use for DOM's.
	case "esc":
		name = "Escape"
	case "return":
		name = "Enter"
	case "del":
		name = "Delete"
	case "space", "spacebar":
		return typingKey(' ')
	case "up", "down", "left", "right":
		name = "Arrow" + name
	}
	for _, k := range kb.Keys {
		if len(k.Key) > 1 && strings.EqualFold(k.Key, name) {
			return fromTable(k), true
		}
	}
	return key{}, false
}

// typingKey is the key of the US layout that types the character.
func typingKey(r rune) (key, bool) {
	switch {
	case r == '\n' || r == '\r':
		r = '\r'
	case r == '\t':
	case r < ' ' || r > '~':
		return key{}, false
	}
	k, ok := kb.Keys[r]
	if !ok {
		return key{}, false
	}
	return fromTable(k), true
}

func fromTable(k *kb.Key) key {
	return key{name: k.Key, code: k.Code, text: k.Text, windows: k.Windows, shift: k.Shift, plain: k.Unmodified}
}

// withShift is the key that the same place on the US keyboard is when Shift is held.
func (k key) withShift() key {
	if k.shift || len(k.text) != 1 {
		return k
	}
	for _, other := range kb.Keys {
		if other.Code == k.code && other.Shift {
			return fromTable(other)
		}
	}
	return k
}
