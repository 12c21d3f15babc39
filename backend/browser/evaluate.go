package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/runtime"

	"kuang/backend/cdp"
)

// Evaluation is the outcome of an expression.
type Evaluation struct {
	// Value is the result as JSON. What JSON lacks comes as a string: "NaN", "Infinity", "-0", "12n".
	Value json.RawMessage
	// Exception is what was thrown; empty when nothing was.
	Exception string
	// Type is JavaScript's typeof, or null, or for an object its class.
	Type string
}

// UnsupportedError is an ask that cannot be fulfilled quietly, whatever the page.
type UnsupportedError struct{ What string }

// Error satisfies the error interface.
func (e *UnsupportedError) Error() string { return e.What }

// Evaluate runs an expression, with top-level await, in the frame's isolated world or in the page's main world.
//
// The main world of a frame is reached without its context id only where the frame is the root of a session: the main
// frame and out-of-process frames. The id of any other main world is told only by Runtime.enable, which a page can
// notice, so such a frame is an *UnsupportedError.
func (t *Tab) Evaluate(ctx context.Context, frame Frame, main bool, expression string) (Evaluation, error) {
	var done runtime.EvaluateResult
	run := func(f Frame, id runtime.ExecutionContextID) error {
		p := runtime.EvaluateParams{
			Expression: expression, ContextID: id, Silent: new(true),
			ReturnByValue: new(true), AwaitPromise: new(true), ReplMode: new(true),
		}
		if deadline, ok := ctx.Deadline(); ok {
			// An endless loop must not outlive its call: the page would stay blocked.
			if left := time.Until(deadline); left > 0 {
				p.Timeout = runtime.TimeDelta(left.Milliseconds())
			}
		}
		var err error
		done, err = cdp.Call(ctx, f.Session, runtime.Evaluate, p)
		return err
	}
	var err error
	switch {
	case !main:
		err = t.within(ctx, frame, run)
	case frame.ParentID != "" && !frame.OOPIF:
		return Evaluation{}, &UnsupportedError{
			"The main world of a same-process child frame cannot be reached without enabling Runtime, which the page could notice. Use the isolated world.",
		}
	case frame.Session == nil:
		err = &FrameGoneError{string(frame.ID)}
	default:
		err = run(frame, 0)
	}
	if err != nil {
		if what, ok := unreturnable(err); ok {
			return Evaluation{Exception: what, Value: json.RawMessage("null"), Type: "object"}, nil
		}
		return Evaluation{}, fmt.Errorf("evaluating in frame %s: %w", frame.ID, t.fault(err))
	}
	return evaluation(done), nil
}

func evaluation(done runtime.EvaluateResult) Evaluation {
	e := Evaluation{Value: json.RawMessage("null")}
	var script *ScriptError
	if errors.As(thrown(done.ExceptionDetails), &script) {
		e.Exception = script.Exception
		return e
	}
	r := done.Result
	if r == nil {
		return e
	}
	e.Type = string(r.Type)
	switch {
	case r.Subtype == runtime.RemoteObjectSubtypeNull:
		e.Type = "null"
	case r.ClassName != "":
		e.Type = r.ClassName
	}
	switch {
	case r.UnserializableValue != "":
		if raw, err := json.Marshal(string(r.UnserializableValue)); err == nil {
			e.Value = raw
		}
	case len(r.Value) > 0:
		e.Value = json.RawMessage(r.Value)
	}
	return e
}

// unreturnable explains a value that has no JSON form: the expression ran, but its result cannot leave the page.
func unreturnable(err error) (string, bool) {
	var refused *cdp.Error
	if !errors.As(err, &refused) {
		return "", false
	}
	switch refused.Message {
	case "Object reference chain is too long", "Object couldn't be returned by value":
		return "the value cannot be returned as JSON: " + refused.Message, true
	}
	return "", false
}
