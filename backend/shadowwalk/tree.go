package shadowwalk

import (
	"slices"

	proto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
)

// The node types of DOM that matter here.
const (
	elementNode  = 1
	documentNode = 9
)

// The types of shadow roots that matter here. The third, "open", does not.
const (
	closedRoot  = "closed"
	browserRoot = "user-agent" // what Chromium builds its own controls from
)

// wireNode is a DOM node as the protocol sends it, without attributes and text: those can hold what a field holds.
type wireNode struct {
	NodeID          proto.NodeID        `json:"nodeId"`
	BackendNodeID   proto.BackendNodeID `json:"backendNodeId"`
	NodeType        int                 `json:"nodeType"`
	LocalName       string              `json:"localName"`
	ShadowRootType  string              `json:"shadowRootType"`
	FrameID         proto.FrameID       `json:"frameId"`
	Children        []wireNode          `json:"children"`
	ShadowRoots     []wireNode          `json:"shadowRoots"`
	ContentDocument *wireNode           `json:"contentDocument"`
}

// wireChildren is the event that tells the children of a node.
type wireChildren struct {
	ParentID proto.NodeID `json:"parentId"`
	Nodes    []wireNode   `json:"nodes"`
}

// decoding accepts the invalid UTF-8 that a page may put into any string.
var decoding = jsonv2.JoinOptions(jsonv2.DefaultOptionsV2(), jsonv2.AllowInvalidUTF8(true))

// node is one node of the part of the document that is known.
type node struct {
	id      proto.NodeID
	backend proto.BackendNodeID
	kind    int
	name    string // local name
	root    string // the shadow root's type; empty for what is no shadow root
	parent  *node  // the host of a root, the owner of a frame's document; nil for the top document
	// index orders the node among what has the same parent: a root or a frame's document comes before the children.
	index int
	// frame is set on documents; content is the document that a frame owner holds, when it is in this process.
	frame   proto.FrameID
	content *node
}

// tree is the part of the document that Chromium has told about: the ancestors of what was searched, with all their
// children.
type tree struct {
	nodes map[proto.NodeID]*node
}

// newTree starts with the top document of the frame.
func newTree(top wireNode, frame proto.FrameID) *tree {
	t := &tree{nodes: map[proto.NodeID]*node{}}
	t.add(top, nil, 0).frame = frame
	return t
}

// children takes in the children of a known node; those of an unknown one are of no document of ours.
func (t *tree) children(e wireChildren) {
	parent, ok := t.nodes[e.ParentID]
	if !ok {
		return
	}
	for i, n := range e.Nodes {
		t.add(n, parent, i+1)
	}
}

// add takes in a node with everything that came with it.
func (t *tree) add(w wireNode, parent *node, index int) *node {
	n := &node{
		id: w.NodeID, backend: w.BackendNodeID, kind: w.NodeType, name: w.LocalName, root: w.ShadowRootType,
		parent: parent, index: index,
	}
	t.nodes[n.id] = n
	for _, r := range w.ShadowRoots {
		t.add(r, n, 0)
	}
	if w.ContentDocument != nil {
		n.content = t.add(*w.ContentDocument, n, 0)
		n.content.frame = w.FrameID
	}
	for i, c := range w.Children {
		t.add(c, n, i+1)
	}
	return n
}

// sealed reports whether a closed root is above the node, in its document or around a frame that it is in.
func (n *node) sealed() bool {
	for a := n; a != nil; a = a.parent {
		if a.root == closedRoot {
			return true
		}
	}
	return false
}

// document is the document that the node is in; nil for a node that hangs in none.
func (n *node) document() *node {
	for a := n; a != nil; a = a.parent {
		if a.kind == documentNode {
			return a
		}
	}
	return nil
}

// frameID is the frame whose document the node is in.
func (n *node) frameID() proto.FrameID {
	if d := n.document(); d != nil {
		return d.frame
	}
	return ""
}

// owners are the frame elements around the node, innermost first.
func (n *node) owners() []*node {
	var owners []*node
	for d := n.document(); d != nil && d.parent != nil; d = d.parent.document() {
		owners = append(owners, d.parent)
	}
	return owners
}

// path places the node in document order.
func (n *node) path() []int {
	var path []int
	for a := n; a != nil; a = a.parent {
		path = append(path, a.index)
	}
	slices.Reverse(path)
	return path
}
