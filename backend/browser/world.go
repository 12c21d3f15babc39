package browser

import (
	"context"
	"crypto/rand"
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
//
// Chromium counts context ids anew in each process, so after a navigation to another process the id of a world can
// name the page's own world there. Nothing is therefore run by the id alone: calls go through a handle on the world's
// global object, which no other process accepts, and an expression, which cannot, checks for a mark that only the
// isolated world has.
type world struct {
	loader  proto.LoaderID
	session *cdp.Session
	made    chan struct{} // closed when what follows is set
	id      runtime.ExecutionContextID
	global  runtime.RemoteObjectID
	mark    string // a name that exists on the isolated global only
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
	have.err = have.build(ctx, w.tab.graph, f)
	if have.err != nil {
		w.drop(f.ID, have)
	}
	close(have.made)
}

func (w *world) build(ctx context.Context, g *graph, f Frame) error {
	made, err := cdp.Call(ctx, f.Session, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{
		FrameID: f.ID, WorldName: worldName,
	})
	if err != nil {
		return err
	}
	global, err := cdp.Call(ctx, f.Session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: "globalThis", ContextID: made.ExecutionContextID, Silent: new(true),
	})
	if err != nil {
		return err
	}
	// A new document is announced before anything runs in it, so an unchanged frame means that the handle is ours.
	now, ok := g.frame(f.ID)
	if !ok || now.LoaderID != w.loader || now.Session != w.session || global.Result == nil || global.Result.ObjectID == "" {
		return errWorldGone
	}
	w.id, w.global, w.mark = made.ExecutionContextID, global.Result.ObjectID, "kuang"+rand.Text()
	marked, err := cdp.Call(ctx, f.Session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function (mark) { Object.defineProperty(this, mark, { value: true }) }",
		ObjectID:            w.global, Arguments: []*runtime.CallArgument{{Value: quoted(w.mark)}}, Silent: new(true),
	})
	if err != nil {
		return err
	}
	return thrown(marked.ExceptionDetails)
}

// errWorldGone is a world whose document was replaced while it was made.
var errWorldGone = errors.New("the document went away")

// guarded prefixes an expression so that it throws instead of running in any world but this one.
func (w *world) guarded(expression string) string {
	return "if (!globalThis[" + string(quoted(w.mark)) + "]) throw " + string(quoted(w.mark)) + "; " + expression
}

// strayed tells that a guarded expression met another world, and so did not run.
func (w *world) strayed(d *runtime.ExceptionDetails) bool {
	return d != nil && d.Exception != nil && string(d.Exception.Value) == string(quoted(w.mark))
}

func quoted(s string) jsonv2.Value {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // A string always has a JSON form.
	}
	return raw
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
func (t *Tab) within(ctx context.Context, f Frame, fn func(w *world) error) error {
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

func (t *Tab) withinOnce(ctx context.Context, f Frame, fn func(w *world) error) error {
	if err := t.usable(); err != nil {
		return err
	}
	if f.Session == nil {
		return &FrameGoneError{string(f.ID)}
	}
	w, err := t.worlds.of(ctx, f)
	if err != nil {
		return err
	}
	err = fn(w)
	if worldGone(err) {
		t.worlds.drop(f.ID, w)
	}
	return err
}

// worldGone tells that a call failed because its world or its session no longer exists. Chromium gives all of these
// one code, so its words are what tells them from other refusals; only a call that did not run may be run again.
func worldGone(err error) bool {
	if cdp.IsClosed(err) || errors.Is(err, errWorldGone) {
		return true
	}
	var refused *cdp.Error
	if !errors.As(err, &refused) {
		return false
	}
	for _, words := range []string{
		"Cannot find context with specified id",
		"Could not find object with given id",
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

// invoke calls a function of the library on the isolated global and wraps its value, because undefined has no JSON. It
// throws nothing by itself: a missing library is an answer.
const invoke = `async function (lib, fn, ...args) {
	const api = this[lib];
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
	err = w.tab.within(ctx, frame, func(in *world) error {
		if err := in.call(ctx, list, &answer); err != nil || !answer.Missing {
			return err
		}
		if err := in.install(ctx, w.lib); err != nil {
			return err
		}
		answer.Missing = false
		return in.call(ctx, list, &answer)
	})
	if err != nil {
		return fmt.Errorf("calling %s in frame %s: %w", fn, frame.ID, w.tab.frameFault(err, frame.ID))
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

// install evaluates the library. The assignment happens once even when two calls install at the same time.
func (w *world) install(ctx context.Context, lib Library) error {
	done, err := cdp.Call(ctx, w.session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: w.guarded("void (globalThis[" + string(quoted(lib.Name)) + "] ??= (" + lib.Source + "\n))"),
		ContextID:  w.id, Silent: new(true),
	})
	switch {
	case err != nil:
		return err
	case w.strayed(done.ExceptionDetails):
		return errWorldGone
	}
	return thrown(done.ExceptionDetails)
}

func (w *world) call(ctx context.Context, args []*runtime.CallArgument, out any) error {
	done, err := cdp.Call(ctx, w.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: invoke, ObjectID: w.global, Arguments: args,
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
