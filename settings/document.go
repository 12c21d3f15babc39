package settings

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// field is one value that a file is known to hold.
type field struct {
	// key is the place in the file: "browser.headless" is headless in the object browser.
	key string
	// def is the shipped value; its type (bool, int or string) is the only one that the field takes.
	def any
	// allowed says in words what the field takes ("1 to 24") when v, which has the right type, is not that, and ""
	// when it is. Nil allows everything.
	allowed func(v any) string
}

// refuse returns what the field takes when v is not that.
func (f field) refuse(v any) string {
	if f.allowed == nil {
		return ""
	}
	return f.allowed(v)
}

// document is what a file holds: a value for every field, and whatever else stands in it.
type document struct {
	// values has a bool, int or string for every field, by key.
	values map[string]any
	// unknown has the members that no field covers, exactly as written, by the object that they stand in ("" is the
	// top) and their name there.
	unknown map[string]map[string]json.RawMessage
}

// shipped is the document of a file that does not exist.
func shipped(fields []field) document {
	d := document{values: make(map[string]any, len(fields)), unknown: map[string]map[string]json.RawMessage{}}
	for _, f := range fields {
		d.values[f.key] = f.def
	}
	return d
}

// clone copies the document as deep as anything here changes it.
func (d document) clone() document {
	return document{values: maps.Clone(d.values), unknown: d.unknown}
}

// unknownKeys lists the unknown members, sorted.
func (d document) unknownKeys() []string {
	keys := []string{}
	for object, members := range d.unknown {
		for name := range members {
			if object != "" {
				name = object + "." + name
			}
			keys = append(keys, name)
		}
	}
	slices.Sort(keys)
	return keys
}

// group splits a key into the object that holds it in the file ("" is the top) and its name there.
func group(key string) (object, name string) {
	if object, name, ok := strings.Cut(key, "."); ok {
		return object, name
	}
	return "", key
}

// member is one name and value of an object that is being written.
type member struct {
	name string
	raw  []byte
}

// encode writes the document: the fields in their order, then what is unknown, letter by letter as it was.
func (d document) encode(fields []field) []byte {
	members := map[string][]member{}
	for _, f := range fields {
		object, name := group(f.key)
		if object != "" && members[object] == nil {
			members[""] = append(members[""], member{name: object})
		}
		members[object] = append(members[object], member{name, literal(d.values[f.key])})
	}
	for object, unknown := range d.unknown {
		for _, name := range slices.Sorted(maps.Keys(unknown)) {
			members[object] = append(members[object], member{name, unknown[name]})
		}
	}
	for i, m := range members[""] {
		if m.raw == nil {
			members[""][i].raw = writeObject(members[m.name], "  ")
		}
	}
	return append(writeObject(members[""], ""), '\n')
}

// writeObject writes members one a line; indent is that of the object's own line.
func writeObject(members []member, indent string) []byte {
	var b bytes.Buffer
	b.WriteString("{")
	for i, m := range members {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n  " + indent)
		b.Write(literal(m.name))
		b.WriteString(": ")
		b.Write(m.raw)
	}
	b.WriteString("\n" + indent + "}")
	return b.Bytes()
}

// literal is v as JSON.
func literal(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // a bool, an int or a string always has a JSON form
	}
	return raw
}
