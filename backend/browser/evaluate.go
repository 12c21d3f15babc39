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

// scriptTimeout bounds script of a caller who set no deadline. It is less than the 30 s that a protocol call waits for
// its answer, so that the answer says that the script was ended.
//
// It is a variable so that a test can make it short.
var scriptTimeout = 25 * time.Second

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
	var e Evaluation
	var err error
	switch {
	case !main:
		err = t.within(ctx, frame, func(w *world) error {
			var err error
			e, err = evaluate(ctx, w.session, w, expression)
			return err
		})
	case frame.ParentID != "" && !frame.OOPIF:
		return Evaluation{}, &UnsupportedError{
			"The main world of a same-process child frame cannot be reached without enabling Runtime, which the page could notice. Use the isolated world.",
		}
	case frame.Session == nil:
		err = &FrameGoneError{string(frame.ID)}
	default:
		if err = t.usable(); err == nil {
			e, err = evaluate(ctx, frame.Session, nil, expression)
		}
	}
	if err != nil {
		return Evaluation{}, fmt.Errorf("evaluating in frame %s: %w", frame.ID, t.frameFault(err, frame.ID))
	}
	return e, nil
}

// evaluate runs the expression in the isolated world w, or in the main world of the session's root frame when w is
// nil. It asks for a handle first and for the value second: only so are promises awaited both inside the expression
// and as its result, and is the class of an object known.
func evaluate(ctx context.Context, s *cdp.Session, w *world, expression string) (Evaluation, error) {
	p := runtime.EvaluateParams{
		Expression: expression, Silent: new(true), AwaitPromise: new(true), ReplMode: new(true),
	}
	if w != nil {
		p.Expression, p.ContextID = w.guarded(expression), w.id
	}
	// An endless loop must not outlive its call: the page would stay blocked.
	limit := scriptLimit(ctx)
	p.Timeout = runtime.TimeDelta(limit.Milliseconds())
	began := time.Now()
	done, err := cdp.Call(ctx, s, runtime.Evaluate, p)
	// Chromium answers a script that it ended with an error that says anything but that; the time tells.
	if errors.As(err, new(*cdp.Error)) && time.Since(began) >= limit {
		return Evaluation{}, &TimeoutError{Waiting: "the script to end", After: limit}
	}
	if err != nil {
		return Evaluation{}, err
	}
	if w != nil && w.strayed(done.ExceptionDetails) {
		return Evaluation{}, errWorldGone
	}
	result, details := done.Result, done.ExceptionDetails
	defer func() { release(ctx, s, done.Result, result) }()
	if details == nil && result.Subtype == runtime.RemoteObjectSubtypePromise {
		settled, err := cdp.Call(ctx, s, runtime.AwaitPromise, runtime.AwaitPromiseParams{PromiseObjectID: result.ObjectID})
		if err != nil {
			return Evaluation{}, err
		}
		result, details = settled.Result, settled.ExceptionDetails
	}
	e := evaluation(result, details)
	if e.Exception != "" || result.ObjectID == "" {
		return e, nil
	}
	value, err := cdp.Call(ctx, s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function () { return this }", ObjectID: result.ObjectID,
		ReturnByValue: new(true), Silent: new(true),
	})
	if what, ok := unreturnable(err); ok {
		e.Exception = what
		return e, nil
	}
	if err != nil {
		return Evaluation{}, err
	}
	if err := thrown(value.ExceptionDetails); err != nil {
		e.Exception = err.Error()
	} else if len(value.Result.Value) > 0 {
		e.Value = json.RawMessage(value.Result.Value)
	}
	return e, nil
}

// scriptLimit is how long script may run without a pause: until the deadline of ctx, or scriptTimeout.
func scriptLimit(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return scriptTimeout
	}
	return max(time.Until(deadline), time.Millisecond) // Zero would be no limit.
}

// release lets the page forget the objects that we hold handles on. A page that is gone has forgotten them.
func release(ctx context.Context, s *cdp.Session, objects ...*runtime.RemoteObject) {
	var last runtime.RemoteObjectID
	for _, o := range objects {
		if o == nil || o.ObjectID == "" || o.ObjectID == last {
			continue
		}
		last = o.ObjectID
		_, _ = cdp.Call(ctx, s, runtime.ReleaseObject, runtime.ReleaseObjectParams{ObjectID: last})
	}
}

func evaluation(r *runtime.RemoteObject, details *runtime.ExceptionDetails) Evaluation {
	e := Evaluation{Value: json.RawMessage("null")}
	var script *ScriptError
	if errors.As(thrown(details), &script) {
		e.Exception = script.Exception
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
		e.Value = json.RawMessage(quoted(string(r.UnserializableValue)))
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
