package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"kuang/backend/verb"
)

// checker compares one decoded input with a verb's schema. It reports the first thing to repair, naming the field by
// its path, and brings whole numbers that were written with a fraction or an exponent into the form that Go decodes.
type checker struct{ verb string }

// check validates object and rewrites it in place: nulls of optional fields go, whole numbers become plain digits.
func check(name string, s *jsonschema.Schema, object map[string]any) error {
	if err := (checker{verb: name}).object("", s, object); err != nil {
		return err
	}
	return nil
}

func (c checker) object(path string, s *jsonschema.Schema, object map[string]any) *verb.Error {
	for _, field := range slices.Sorted(maps.Keys(object)) {
		if s.Properties[field] == nil && closed(s) {
			return c.unknown(path, field, s)
		}
		if object[field] == nil && !slices.Contains(s.Required, field) {
			delete(object, field)
		}
	}
	for _, field := range s.Required {
		if _, ok := object[field]; !ok {
			return c.missing(join(path, field), s.Properties[field])
		}
	}
	for _, field := range slices.Sorted(maps.Keys(object)) {
		sub := s.Properties[field]
		if sub == nil {
			sub = s.AdditionalProperties
		}
		v, err := c.value(join(path, field), sub, object[field])
		if err != nil {
			return err
		}
		object[field] = v
	}
	return nil
}

func (c checker) value(path string, s *jsonschema.Schema, v any) (any, *verb.Error) {
	if s == nil {
		return v, finite(path, v)
	}
	switch s.Type {
	case "string":
		text, ok := v.(string)
		if !ok {
			return nil, c.mistyped(path, s, v)
		}
		return text, c.choice(path, s, text)
	case "boolean":
		if _, ok := v.(bool); !ok {
			return nil, c.mistyped(path, s, v)
		}
		return v, nil
	case "integer", "number":
		return c.number(path, s, v)
	case "array":
		list, ok := v.([]any)
		if !ok {
			return nil, c.mistyped(path, s, v)
		}
		for i, item := range list {
			fixed, err := c.value(fmt.Sprintf("%s[%d]", path, i), s.Items, item)
			if err != nil {
				return nil, err
			}
			list[i] = fixed
		}
		return list, nil
	case "object":
		object, ok := v.(map[string]any)
		if !ok {
			return nil, c.mistyped(path, s, v)
		}
		return object, c.object(path, s, object)
	default:
		return v, finite(path, v)
	}
}

// number accepts 12, 12.0 and 1.2e1 for an integer, since callers in other languages write all three.
func (c checker) number(path string, s *jsonschema.Schema, v any) (any, *verb.Error) {
	n, ok := v.(json.Number)
	if !ok {
		return nil, c.mistyped(path, s, v)
	}
	f, err := strconv.ParseFloat(n.String(), 64)
	if err != nil {
		return nil, outOfRange(path)
	}
	if s.Minimum != nil && f < *s.Minimum || s.Maximum != nil && f > *s.Maximum {
		return nil, c.bounds(path, s, n)
	}
	if s.Type == "number" {
		return n, nil
	}
	whole, ok := wholeNumber(n.String(), f)
	if !ok && f == math.Trunc(f) && math.Abs(f) > exactFloat {
		return nil, outOfRange(path)
	}
	if !ok {
		return nil, c.mistyped(path, s, v)
	}
	return json.Number(strconv.FormatInt(whole, 10)), nil
}

// exactFloat is 2^53, up to which a float tells every whole number from its neighbours.
const exactFloat = 1 << 53

// wholeNumber reads a JSON number, whose float is f, as a whole number. It never expands an exponent: 1e-999999999 is
// three characters of work for the sender and must not be more for us.
func wholeNumber(text string, f float64) (int64, bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	vanished := f == 0 && strings.ContainsAny(mantissa, "123456789")
	if f != math.Trunc(f) || math.Abs(f) > exactFloat || vanished {
		return 0, false
	}
	return int64(f), true
}

func (c checker) choice(path string, s *jsonschema.Schema, text string) *verb.Error {
	allowed := choices(s)
	if len(allowed) == 0 || slices.Contains(allowed, text) {
		return nil
	}
	// The word itself is not repeated: it may be a secret in the wrong field.
	err := &verb.Error{
		Code: verb.BadRequest, Message: fmt.Sprintf("%s does not take that word.", quote(path)),
		Hint:     "Use one of: " + strings.Join(allowed, ", ") + ".",
		Evidence: map[string]any{"field": path, "expected": allowed},
	}
	if near := nearest(strings.ToLower(text), allowed); near != "" {
		err.Hint = fmt.Sprintf("Did you mean %s? Otherwise one of: %s.", quote(near), strings.Join(allowed, ", "))
		err.Evidence["nearest"] = near
	}
	return err
}

func (c checker) unknown(path, field string, s *jsonschema.Schema) *verb.Error {
	names, owner := fieldNames(s), c.verb
	if path != "" {
		owner = quote(path)
	}
	err := &verb.Error{
		Code: verb.BadRequest, Message: fmt.Sprintf("%s has no field %s.", owner, quote(clip(field))),
		Evidence: map[string]any{"field": join(path, clip(field)), "fields": names},
	}
	if len(names) == 0 {
		err.Hint = "Leave it out: " + owner + " takes no fields."
		return err
	}
	err.Hint = "Its fields are: " + strings.Join(names, ", ") + "."
	if near := nearest(strings.ToLower(field), names); near != "" {
		err.Hint = fmt.Sprintf("Did you mean %s? ", quote(near)) + err.Hint
		err.Evidence["nearest"] = near
	}
	return err
}

func (c checker) missing(path string, s *jsonschema.Schema) *verb.Error {
	expected := wanted(s)
	return &verb.Error{
		Code: verb.BadRequest, Message: fmt.Sprintf("%s needs the field %s.", c.verb, quote(path)),
		Hint:     fmt.Sprintf("Add %s: %s, such as %s.", quote(path), expected, example(s)),
		Evidence: map[string]any{"field": path, "expected": expected},
	}
}

func (c checker) mistyped(path string, s *jsonschema.Schema, v any) *verb.Error {
	expected, got := wanted(s), kindOf(v)
	if n, ok := v.(json.Number); ok && s.Type == "integer" {
		got = "the number " + clip(n.String())
	}
	hint := fmt.Sprintf("Send %s as %s, such as %s.", quote(path), expected, example(s))
	if _, ok := v.(string); ok && s.Type != "string" {
		hint = fmt.Sprintf("Send %s as %s without quotes around it, such as %s.", quote(path), expected, example(s))
	}
	return &verb.Error{
		Code: verb.BadRequest, Message: fmt.Sprintf("%s must be %s, got %s.", quote(path), expected, got), Hint: hint,
		Evidence: map[string]any{"field": path, "expected": expected, "got": got},
	}
}

func (c checker) bounds(path string, s *jsonschema.Schema, n json.Number) *verb.Error {
	limits := ""
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		limits = fmt.Sprintf("from %s to %s", plain(*s.Minimum), plain(*s.Maximum))
	case s.Minimum != nil:
		limits = "at least " + plain(*s.Minimum)
	default:
		limits = "at most " + plain(*s.Maximum)
	}
	return &verb.Error{
		Code: verb.BadRequest, Message: fmt.Sprintf("%s must be %s, got %s.", quote(path), limits, clip(n.String())),
		Hint:     fmt.Sprintf("Send %s %s.", quote(path), limits),
		Evidence: map[string]any{"field": path, "expected": limits, "got": clip(n.String())},
	}
}

func outOfRange(path string) *verb.Error {
	return &verb.Error{
		Code: verb.BadRequest, Message: fmt.Sprintf("The number in %s is too large.", quote(path)),
		Hint: "Send a number within 64 bits.", Evidence: map[string]any{"field": path},
	}
}

// finite refuses numbers that no float holds, in values whose shape the verb leaves open.
func finite(path string, v any) *verb.Error {
	switch v := v.(type) {
	case json.Number:
		if f, err := strconv.ParseFloat(v.String(), 64); err != nil || math.IsInf(f, 0) {
			return outOfRange(path)
		}
	case []any:
		for i, item := range v {
			if err := finite(fmt.Sprintf("%s[%d]", path, i), item); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, item := range v {
			if err := finite(join(path, clip(key)), item); err != nil {
				return err
			}
		}
	}
	return nil
}

// wanted says in words what a schema accepts.
func wanted(s *jsonschema.Schema) string {
	if s == nil {
		return "a value"
	}
	if allowed := choices(s); len(allowed) > 0 {
		return "one of " + strings.Join(allowed, ", ")
	}
	switch s.Type {
	case "integer":
		return "a whole number"
	case "number":
		return "a number"
	case "boolean":
		return "true or false"
	case "array":
		return "an array"
	case "object":
		return "an object"
	case "string":
		return "a string"
	default:
		return "a value"
	}
}

func join(path, field string) string {
	if path == "" {
		return field
	}
	return path + "." + field
}

func quote(s string) string { return strconv.Quote(s) }

func plain(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// clip keeps what a caller sent from filling a message or the log.
func clip(s string) string {
	const longest = 64
	if r := []rune(s); len(r) > longest {
		return string(r[:longest]) + "…"
	}
	return s
}
