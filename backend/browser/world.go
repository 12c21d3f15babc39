package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	proto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"kuang/backend/cdp"
)

// worldName is the name of our isolated world in each frame. A page cannot see into it.
const worldName = "kuang"

// Library is a script that is installed once in each isolated world. Source is an expression that returns the API
// object; it is kept on the isolated global under Name.
type Library struct{ Name, Source string }

// World calls a library in the isolated worlds of a tab. A world belongs to one document: after a navigation it is
// made anew, with the library's state lost.
type World struct {
	tab *Tab
	lib Library
}

// ScriptError is an exception that script threw.
type ScriptError struct{ Exception string }

// Error satisfies the error interface.
func (e *ScriptError) Error() string { return "the script threw " + e.Exception }

// worlds are the isolated worlds of a tab's frames, made when first asked for.
type worlds struct {
	tab *Tab
	mu  sync.Mutex // guards by; nothing blocks under it
	by  map[proto.FrameID]*world
}

// world is the isolated world of one frame's document.
type world struct {
	loader  proto.LoaderID
	session *cdp.Session
	made    chan struct{} // closed when id or err is set
	id      runtime.ExecutionContextID
	err     error
}

func newWorlds(t *Tab) *worlds { return &worlds{tab: t, by: map[proto.FrameID]*world{}} }

// World returns the library's door to the tab's isolated worlds.
func (t *Tab) World(lib Library) *World { return &World{tab: t, lib: lib} }

// of returns the isolated world of the frame's document; concurrent callers make it once.
func (w *worlds) of(ctx context.Context, f Frame) (*world, error) {
	for {
		w.mu.Lock()
		have, ok := w.by[f.ID]
		if !ok || have.loader != f.LoaderID || have.session != f.Session {
			have = &world{loader: f.LoaderID, session: f.Session, made: make(chan struct{})}
			w.by[f.ID] = have
			w.mu.Unlock()
			w.make(ctx, f, have)
			return have, have.err
		}
		w.mu.Unlock()
		select {
		case <-have.made:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if have.err == nil {
			return have, nil
		}
		// Whoever made it failed, perhaps because its own call was cancelled: this caller tries for itself.
		w.drop(f.ID, have)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

func (w *worlds) make(ctx context.Context, f Frame, have *world) {
	made, err := cdp.Call(ctx, f.Session, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{
		FrameID: f.ID, WorldName: worldName,
	})
	have.id, have.err = made.ExecutionContextID, err
	if err != nil {
		w.drop(f.ID, have)
	}
	close(have.made)
}

// drop forgets a world that is gone.
func (w *worlds) drop(id proto.FrameID, gone *world) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.by[id] == gone {
		delete(w.by, id)
	}
}

// prune forgets the worlds of frames that have left.
func (w *worlds) prune(g *graph) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id := range w.by {
		if _, ok := g.frame(id); !ok {
			delete(w.by, id)
		}
	}
}

// within runs fn with the frame's isolated world. When the world went away under it, because the frame navigated or
// changed its process, fn runs once more on the frame as it is then.
func (t *Tab) within(ctx context.Context, f Frame, fn func(f Frame, id runtime.ExecutionContextID) error) error {
	err := t.withinOnce(ctx, f, fn)
	if !worldGone(err) {
		return err
	}
	now, ok := t.graph.frame(f.ID)
	if !ok {
		if t.link.conn.Err() != nil {
			return err
		}
		return &FrameGoneError{string(f.ID)}
	}
	return t.withinOnce(ctx, now, fn)
}

func (t *Tab) withinOnce(ctx context.Context, f Frame, fn func(f Frame, id runtime.ExecutionContextID) error) error {
	if f.Session == nil {
		return &FrameGoneError{string(f.ID)}
	}
	w, err := t.worlds.of(ctx, f)
	if err != nil {
		return err
	}
	err = fn(f, w.id)
	if worldGone(err) {
		t.worlds.drop(f.ID, w)
	}
	return err
}

// worldGone tells that a call failed because its world or its session no longer exists. Chromium gives all of these
// one code, so its words are what tells them from other refusals; only a call that did not run may be run again.
func worldGone(err error) bool {
	if cdp.IsClosed(err) {
		return true
	}
	var refused *cdp.Error
	if !errors.As(err, &refused) {
		return false
	}
	for _, words := range []string{
		"Cannot find context with specified id",
		"Execution context was destroyed",
		"Inspected target navigated or closed",
		"No frame for given id found",
		"Frame with the given id was not found",
		"Session with given id not found",
		"Promise was collected",
	} {
		if strings.HasPrefix(refused.Message, words) {
			return true
		}
	}
	return false
}

// invoke calls a function of the library and wraps its value, because undefined has no JSON. It throws nothing by
// itself: a missing library is an answer.
const invoke = `async function (lib, fn, ...args) {
	const api = globalThis[lib];
	if (!api) return { missing: true };
	return { value: await api[fn](...args) };
}`

// Call runs fn of the library, with args as JSON, in the frame's isolated world and decodes what it returns, or what
// its promise resolves to, into out; nil throws the result away. An exception is a *ScriptError. When the frame
// navigates meanwhile, the call is made once more in the new document.
func (w *World) Call(ctx context.Context, frame Frame, fn string, out any, args ...any) error {
	list, err := arguments(w.lib.Name, fn, args)
	if err != nil {
		return fmt.Errorf("calling %s: %w", fn, err)
	}
	var answer struct {
		Missing bool            `json:"missing"`
		Value   json.RawMessage `json:"value"`
	}
	err = w.tab.within(ctx, frame, func(f Frame, id runtime.ExecutionContextID) error {
		if err := call(ctx, f.Session, id, list, &answer); err != nil || !answer.Missing {
			return err
		}
		if err := w.install(ctx, f.Session, id); err != nil {
			return err
		}
		answer.Missing = false
		return call(ctx, f.Session, id, list, &answer)
	})
	if err != nil {
		return fmt.Errorf("calling %s in frame %s: %w", fn, frame.ID, w.tab.fault(err))
	}
	if answer.Missing {
		return fmt.Errorf("calling %s: the library %s gave no object", fn, w.lib.Name)
	}
	if out == nil || len(answer.Value) == 0 {
		return nil
	}
	if err := json.Unmarshal(answer.Value, out); err != nil {
		return fmt.Errorf("reading the answer of %s: %w", fn, err)
	}
	return nil
}

func (w *World) install(ctx context.Context, s *cdp.Session, id runtime.ExecutionContextID) error {
	name, err := json.Marshal(w.lib.Name)
	if err != nil {
		return fmt.Errorf("naming the library: %w", err)
	}
	// The assignment happens once even when two calls install at the same time.
	done, err := cdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{
		Expression: "void (globalThis[" + string(name) + "] ??= (" + w.lib.Source + "\n))", ContextID: id, Silent: new(true),
	})
	if err != nil {
		return err
	}
	return thrown(done.ExceptionDetails)
}

func call(ctx context.Context, s *cdp.Session, id runtime.ExecutionContextID, args []*runtime.CallArgument, out any) error {
	done, err := cdp.Call(ctx, s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: invoke, ExecutionContextID: id, Arguments: args,
		AwaitPromise: new(true), ReturnByValue: new(true), Silent: new(true),
	})
	if err != nil {
		return err
	}
	if err := thrown(done.ExceptionDetails); err != nil {
		return err
	}
	return json.Unmarshal(done.Result.Value, out)
}

func arguments(lib, fn string, args []any) ([]*runtime.CallArgument, error) {
	list := make([]*runtime.CallArgument, 0, len(args)+2)
	for _, a := range append([]any{lib, fn}, args...) {
		raw, err := json.Marshal(a)
		if err != nil {
			return nil, fmt.Errorf("encoding an argument: %w", err)
		}
		list = append(list, &runtime.CallArgument{Value: jsonv2.Value(raw)})
	}
	return list, nil
}

// thrown turns exception details into a *ScriptError without the stack, which names only our own lines.
func thrown(d *runtime.ExceptionDetails) error {
	if d == nil {
		return nil
	}
	text := d.Text
	if e := d.Exception; e != nil {
		switch {
		case e.Description != "":
			text, _, _ = strings.Cut(e.Description, "\n    at ")
		case len(e.Value) > 0:
			text = string(e.Value)
		case e.UnserializableValue != "":
			text = string(e.UnserializableValue)
		}
	}
	return &ScriptError{text}
}
