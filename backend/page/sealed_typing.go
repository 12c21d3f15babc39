package page

import (
	"context"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"kuang/backend/cdp"
	"kuang/backend/shadowwalk"
)

// sealedProbe tells whether what was typed into a closed root changed the field there, without telling its value: the
// value is compared in a world of its own, and only yes or no comes out. Two single-node commands are sent for it, and
// no protocol domain is enabled.
type sealedProbe struct {
	session *cdp.Session
	object  runtime.RemoteObjectID
}

// probeWorld is apart from the world of the page script, so that the kept value meets no other code of ours.
const probeWorld = "kuang sealed"

// The field is what has the focus in the root around the node under the pointer. Its value stays in this world and is
// removed after it was compared.
const (
	keepValue = `function () {
		const root = this.getRootNode();
		const field = root.activeElement ?? (this.nodeType === 1 ? this : this.parentElement);
		globalThis.kept = { field, before: field.value ?? field.textContent };
	}`
	compareValue = `function () {
		const { field, before } = globalThis.kept ?? {};
		delete globalThis.kept;
		return field !== undefined && (field.value ?? field.textContent) !== before;
	}`
)

// probe takes hold of the field at the point; nil when the person has not allowed sealed reads or nothing can be held.
func (a *action) probe(ctx context.Context) *sealedProbe {
	if a.call.Policy.Allow(shadowwalk.Lever) != nil {
		return nil
	}
	s := a.tab.Session()
	at, err := cdp.Call(ctx, s, dom.GetNodeForLocation, dom.GetNodeForLocationParams{X: int64(a.point.X), Y: int64(a.point.Y)})
	if err != nil {
		return a.unprobed(err)
	}
	world, err := cdp.Call(ctx, s, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: at.FrameID, WorldName: probeWorld})
	if err != nil {
		return a.unprobed(err)
	}
	node, err := cdp.Call(ctx, s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: at.BackendNodeID, ExecutionContextID: world.ExecutionContextID})
	if err != nil {
		return a.unprobed(err)
	}
	p := &sealedProbe{s, node.Object.ObjectID}
	if _, err := p.call(ctx, keepValue); err != nil {
		return a.unprobed(err)
	}
	return p
}

// unprobed notes why typing goes on unverified.
func (a *action) unprobed(err error) *sealedProbe {
	a.call.Log.Debug("looking for the field at the point", "tab", a.tab.ID(), "error", err)
	return nil
}

// changed compares and lets go. It answers false, false when the field is gone.
func (p *sealedProbe) changed(ctx context.Context) (changed, known bool) {
	got, err := p.call(ctx, compareValue)
	if err != nil {
		return false, false
	}
	// A failed release is made up by the document's end.
	_, _ = cdp.Call(ctx, p.session, runtime.ReleaseObject, runtime.ReleaseObjectParams{ObjectID: p.object})
	return got, true
}

func (p *sealedProbe) call(ctx context.Context, fn string) (bool, error) {
	done, err := cdp.Call(ctx, p.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: fn, ObjectID: p.object, ReturnByValue: new(true), Silent: new(true),
	})
	if err != nil || done.Result == nil {
		return false, err
	}
	return string(done.Result.Value) == "true", nil
}
