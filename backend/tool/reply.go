package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"reflect"
	"strings"

	"kuang/backend/verb"
)

// The names of the envelope around every answer.
const (
	fieldOK        = "ok"
	fieldError     = "error"
	fieldRevision  = "revision"
	fieldUntrusted = "untrusted"
)

// Reply is what a caller gets, on every surface.
type Reply struct {
	// Body is the one JSON object: {"ok":true,…} or {"ok":false,"error":{…}}.
	Body json.RawMessage
	// Err is the error in Body, nil on success.
	Err *verb.Error
	// Status is the HTTP status that goes with it.
	Status int
	// Image is the picture of verbs that take one.
	Image *verb.Image
	// RetryAfter is in seconds; 0 means that the caller need not wait.
	RetryAfter int
	// Untrusted says that Body carries text of a page.
	Untrusted bool
	// RunID is the run that the call was logged under; empty when it could not be logged.
	RunID string
}

// Refuse is the reply to a call that never reached a verb.
func Refuse(err *verb.Error) Reply { return failure(err, scrubber{}, false) }

// failure builds the reply of a failed call. The error is scrubbed as it enters the reply.
func failure(e *verb.Error, s scrubber, untrusted bool) Reply {
	object, err := encode(e)
	if err == nil {
		object, err = s.json(object)
	}
	if err != nil {
		e = &verb.Error{Code: verb.Internal, Message: "The error could not be written.", Cause: err}
		object = []byte(`{"code":"INTERNAL","message":"The error could not be written."}`)
	}
	body := append([]byte(`{"ok":false`), trust(untrusted)...)
	body = append(append(append(body, `,"error":`...), object...), '}')
	return Reply{Body: body, Err: e, Status: e.Status(), RetryAfter: retryAfter(e), Untrusted: untrusted}
}

// place is the tab that a call worked on, as the envelope shows it; empty for verbs without one.
type place struct {
	tab      string
	revision int64
}

// success builds the reply of a verb that worked.
func success(out any, at place, s scrubber, untrusted bool) (Reply, error) {
	fields, err := encode(out)
	if err != nil {
		return Reply{}, fmt.Errorf("encoding the output: %w", err)
	}
	if len(fields) < 2 || fields[0] != '{' {
		return Reply{}, fmt.Errorf("the output is not an object")
	}
	if fields, err = s.json(fields); err != nil {
		return Reply{}, err
	}
	body := []byte(`{"ok":true`)
	if at.tab != "" {
		own := map[string]json.RawMessage{}
		if err := json.Unmarshal(fields, &own); err != nil {
			return Reply{}, fmt.Errorf("reading the output back: %w", err)
		}
		if _, ok := own[tabField]; !ok {
			body = fmt.Appendf(body, `,%q:%q`, tabField, at.tab)
		}
		if _, ok := own[fieldRevision]; !ok {
			body = fmt.Appendf(body, `,%q:%d`, fieldRevision, at.revision)
		}
	}
	body = append(body, trust(untrusted)...)
	if string(fields) != "{}" {
		body = append(body, ',')
	}
	body = append(body, fields[1:]...)
	return Reply{Body: body, Status: http.StatusOK, Untrusted: untrusted}, nil
}

func trust(untrusted bool) string {
	if untrusted {
		return `,"untrusted":true`
	}
	return ""
}

// encode marshals without turning <, > and & into escapes, which costs a reader of page text and gains nothing here.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func retryAfter(e *verb.Error) int {
	switch n := e.Evidence["retry_after"].(type) {
	case int:
		return n
	case int64:
		return int(n)
	case float64:
		return int(n)
	default:
		return 0
	}
}

// jsonFields walks the top-level JSON names of a struct type.
func jsonFields(t reflect.Type) iter.Seq[string] {
	return func(yield func(string) bool) {
		if t == nil || t.Kind() != reflect.Struct {
			return
		}
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous || !f.IsExported() || name == "-" {
				continue
			}
			if name == "" {
				name = f.Name
			}
			if !yield(name) {
				return
			}
		}
	}
}
