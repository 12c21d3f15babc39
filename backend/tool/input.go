package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"kuang/backend/verb"
)

// Limits of what a caller may send. A real call is a few hundred bytes and three levels deep; the limits leave room for
// pasted text and keep a hostile body from costing memory or stack.
const (
	MaxBody  = 1 << 20 // bytes
	MaxDepth = 64      // levels, the outer object being the first
)

// parse reads one JSON object strictly: valid UTF-8, every name once, nothing after it, within the limits. An empty body
// is an empty object, since many verbs need no input. Numbers keep their digits.
func parse(body []byte) (map[string]any, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return map[string]any{}, nil
	}
	if err := CheckJSON(body); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, malformed("The body is not valid JSON: "+err.Error()+".", err)
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, &verb.Error{
			Code: verb.BadRequest, Message: "The input must be a JSON object, got " + kindOf(v) + ".",
			Hint: `Send an object, such as {} or {"name":"value"}.`,
		}
	}
	return object, nil
}

// CheckJSON refuses bodies that are too large, too deep, not JSON, or say a name twice.
func CheckJSON(body []byte) error {
	if len(body) > MaxBody {
		return TooLarge()
	}
	dec := jsontext.NewDecoder(bytes.NewReader(body))
	for {
		_, err := dec.ReadToken()
		switch {
		case errors.Is(err, io.EOF) && dec.InputOffset() > 0:
			return nil
		case errors.Is(err, jsontext.ErrDuplicateName):
			return malformed("The body says the same field twice, so it is not clear which value counts.", err)
		case err != nil:
			return malformed(fmt.Sprintf("The body is not valid JSON at byte %d.", dec.InputOffset()), err)
		case dec.StackDepth() > MaxDepth:
			return malformed(fmt.Sprintf("The body is nested deeper than %d levels.", MaxDepth), nil)
		case dec.StackDepth() == 0 && hasMore(body, dec.InputOffset()):
			return malformed(fmt.Sprintf("The body goes on after its JSON value at byte %d.", dec.InputOffset()), nil)
		}
	}
}

// TooLarge is the refusal of a body over MaxBody.
func TooLarge() *verb.Error {
	return &verb.Error{
		Code: verb.BadRequest, Message: fmt.Sprintf("The body is larger than %d bytes.", MaxBody),
		Hint: "Send less in one call.", Evidence: map[string]any{"max_bytes": MaxBody},
	}
}

func malformed(message string, cause error) *verb.Error {
	return &verb.Error{Code: verb.BadRequest, Message: message, Hint: "Send one JSON object in UTF-8, each field once.", Cause: cause}
}

func hasMore(body []byte, offset int64) bool {
	return len(bytes.TrimSpace(body[offset:])) > 0
}

// kindOf names the JSON kind of a decoded value for a person.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "an array"
	default:
		return "an object"
	}
}
