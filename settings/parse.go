package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// maxBytes is the largest settings file that is read or written: thousands of times what Kuang writes, and small
// enough that a wrong file under the name costs nothing.
const maxBytes = 1 << 20

// damage says why a file cannot be understood at all, as the end of a sentence that begins with the file's name.
type damage struct{ why string }

func (d *damage) Error() string { return d.why }

// parse reads a file. A value that is missing is the shipped one. A value that its field does not take is replaced by
// that of instead, and a sentence says so. Content that is not a JSON object is a *damage.
func parse(data []byte, fields []field, instead map[string]any) (document, []string, error) {
	top, err := parseTop(data)
	if err != nil {
		return document{}, nil, err
	}
	p := parser{doc: shipped(fields), instead: instead}
	objects := map[string]map[string]json.RawMessage{"": top}
	for _, f := range fields {
		object, _ := group(f.key)
		if _, seen := objects[object]; !seen {
			objects[object] = p.object(top, object, fields)
		}
	}
	for _, f := range fields {
		object, name := group(f.key)
		if raw, ok := objects[object][name]; ok {
			delete(objects[object], name)
			p.value(f, raw)
		}
	}
	for object, rest := range objects {
		if len(rest) > 0 {
			p.doc.unknown[object] = rest
		}
	}
	return p.doc, p.problems, nil
}

// parser gathers what parse has understood so far.
type parser struct {
	doc      document
	instead  map[string]any
	problems []string
}

// object takes the group called name out of top. A group that is not an object is one bad value, so each of its
// fields falls back.
func (p *parser) object(top map[string]json.RawMessage, name string, fields []field) map[string]json.RawMessage {
	raw, ok := top[name]
	if !ok {
		return nil
	}
	delete(top, name)
	members, ok := parseObject(raw)
	if ok {
		return members
	}
	for _, f := range fields {
		if object, _ := group(f.key); object == name {
			p.doc.values[f.key] = p.instead[f.key]
		}
	}
	p.problems = append(p.problems, fmt.Sprintf("%s is %s in place of a group of settings.", name, describe(raw)))
	return nil
}

// value takes raw as the value of f, or falls back.
func (p *parser) value(f field, raw json.RawMessage) {
	v, ok := decode(raw, f.def)
	takes := typeName(f.def)
	if ok {
		takes = f.refuse(v)
	}
	if takes == "" {
		p.doc.values[f.key] = v
		return
	}
	p.doc.values[f.key] = p.instead[f.key]
	p.problems = append(p.problems, fmt.Sprintf("%s is %s. It takes %s, so %s holds.",
		f.key, describe(raw), takes, say(p.instead[f.key])))
}

// parseTop reads the object that a file is.
func parseTop(data []byte) (map[string]json.RawMessage, error) {
	if len(data) > maxBytes {
		return nil, &damage{"is far too large"}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // some editors put a byte order mark in front
	if !utf8.Valid(data) {
		return nil, &damage{"is not text"}
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		why := "is not JSON"
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			read := data[:min(int(syntax.Offset), len(data))]
			why += fmt.Sprintf(" (line %d)", 1+bytes.Count(read, []byte("\n")))
		}
		return nil, &damage{why}
	}
	top, ok := parseObject(whole)
	if !ok {
		return nil, &damage{"holds " + describe(whole) + " in place of an object"}
	}
	return top, nil
}

// parseObject splits an object into its members, and reports whether raw is one.
func parseObject(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	var members map[string]json.RawMessage
	err := json.Unmarshal(raw, &members)
	return members, err == nil && members != nil // null decodes into a nil map
}

// decode reads raw as the type of def.
func decode(raw json.RawMessage, def any) (any, bool) {
	if raw[0] == 'n' { // null would leave a Go value as it is
		return nil, false
	}
	switch def.(type) {
	case bool:
		var v bool
		err := json.Unmarshal(raw, &v)
		return v, err == nil
	case int:
		var v float64
		if err := json.Unmarshal(raw, &v); err != nil {
			return nil, false
		}
		return wholeNumber(v)
	case string:
		var v string
		err := json.Unmarshal(raw, &v)
		return v, err == nil
	}
	return nil, false
}

// wholeNumber turns a number without a fraction into an int. The bound keeps that exact on every platform.
func wholeNumber(f float64) (any, bool) {
	if f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		return nil, false
	}
	return int(f), true
}

// typeName says what a field takes whose value has another type.
func typeName(def any) string {
	switch def.(type) {
	case bool:
		return "true or false"
	case int:
		return "a whole number"
	}
	return "a text"
}

// describe names a value of the wrong kind without repeating text that somebody else may have written.
func describe(raw json.RawMessage) string {
	const longest = 24 // a number may be written as long as one likes
	switch {
	case raw[0] == '"':
		return "a text"
	case raw[0] == '{':
		return "an object"
	case raw[0] == '[':
		return "a list"
	case len(raw) > longest:
		return "a very long number"
	}
	return string(raw)
}

// say names a value that holds.
func say(v any) string {
	if s, ok := v.(string); ok {
		return strconv.Quote(s)
	}
	return string(literal(v))
}
