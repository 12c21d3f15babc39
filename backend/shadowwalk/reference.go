package shadowwalk

import (
	"context"

	"github.com/chromedp/cdproto/accessibility"
	proto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"

	"kuang/backend/cdp"
)

var getFullAXTree = proto.Command[accessibility.GetFullAXTreeParams, axNodes]{Method: accessibility.CommandGetFullAXTree}

// enumerateAll is the thorough way: the whole document with all its shadow roots and frames, and the accessibility tree
// of each frame in the process.
func enumerateAll(ctx context.Context, s *scan) (found, error) {
	if err := s.domains.enableAccessibility(ctx, s.session); err != nil {
		return found{}, err
	}
	if err := s.domains.enableDOM(ctx, s.session); err != nil {
		return found{}, err
	}
	frames, err := s.page.Frames(ctx)
	if err != nil {
		return found{}, err
	}
	byNode := map[proto.BackendNodeID]axNode{}
	for _, f := range frames {
		if f.Session != s.session {
			continue
		}
		tree, err := cdp.Call(ctx, s.session, getFullAXTree, accessibility.GetFullAXTreeParams{FrameID: f.ID})
		if refused(err) { // The frame went away.
			continue
		}
		if err != nil {
			return found{}, err
		}
		for _, n := range tree.Nodes {
			byNode[n.Backend] = n
		}
	}
	whole, err := cdp.Call(ctx, s.session, getDocument, dom.GetDocumentParams{Depth: new(int64(-1)), Pierce: new(true)})
	if err != nil {
		return found{}, err
	}
	var f found
	walk{byNode: byNode, roles: s.roles, into: &f}.node(whole.Root, false, s.main.ID, nil)
	return f, nil
}

// walk goes through a whole document, roots before children.
type walk struct {
	byNode map[proto.BackendNodeID]axNode
	roles  roleBook
	into   *found
}

func (w walk) node(n wireNode, sealed bool, frame proto.FrameID, owners []owner) {
	sealed = sealed || n.ShadowRootType == closedRoot
	if ax, ok := w.byNode[n.BackendNodeID]; ok && sealed && n.NodeType == elementNode && n.LocalName != nativeOption {
		w.into.candidates++
		if role, ok := w.roles.role(ax); ok {
			w.into.controls = append(w.into.controls, control{ax: ax, role: role, frame: frame, owners: owners})
		}
	}
	for _, r := range n.ShadowRoots {
		if r.ShadowRootType != browserRoot {
			w.node(r, sealed, frame, owners)
		}
	}
	if n.ContentDocument != nil {
		inside := append([]owner{{n.BackendNodeID, frame}}, owners...)
		w.node(*n.ContentDocument, sealed, n.FrameID, inside)
	}
	for _, c := range n.Children {
		w.node(c, sealed, frame, owners)
	}
}
