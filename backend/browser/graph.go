package browser

import (
	"slices"
	"sync"

	proto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"kuang/backend/cdp"
)

// graph follows the frames of a tab, and the documents of its main frame, by events alone. The sessions of one tab
// tell different parts: a session speaks for the frames of one process only, and a frame that changes process is
// detached from one session, with the reason swap, and found again on another.
type graph struct {
	top      *cdp.Session
	changed  *signal
	onCommit func() // called, under mu, at each commit and same-document navigation of the main frame

	// mu guards what follows; the reader takes it for each event. Nothing blocks under it.
	mu       sync.Mutex
	main     proto.FrameID
	nodes    map[proto.FrameID]*node
	children map[target.SessionID]*child
	docs     documents
	crashed  bool // until the main frame commits a document again
	crashes  int
}

// node is one frame.
type node struct {
	id, parent proto.FrameID
	session    *cdp.Session // nil while the frame is between two processes
	loader     proto.LoaderID
	url        string
	name       string
	origin     string
	children   []proto.FrameID // in the order of attachment
}

// child is the session of an out-of-process frame.
type child struct {
	session *cdp.Session
	ready   bool
	// told are the frames that events spoke of before the frame tree was read; on those the events know better.
	told map[proto.FrameID]bool
}

func newGraph(top *cdp.Session, changed *signal, onCommit func()) *graph {
	g := &graph{
		top: top, changed: changed, onCommit: onCommit,
		nodes: map[proto.FrameID]*node{}, children: map[target.SessionID]*child{},
	}
	g.children[top.ID()] = &child{session: top, told: map[proto.FrameID]bool{}}
	return g
}

// event takes an event of a session of the tab; it runs on the reader. It reports a document that came back from the
// back-forward cache, whose frames must be read anew.
func (g *graph) event(s *cdp.Session, method string, params jsonv2.Value) (restored bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch method {
	case page.FrameAttached.Method:
		if e, err := cdp.Decode[page.EventFrameAttached](params); err == nil {
			g.tell(s, e.FrameID)
			g.attached(s, e.FrameID, e.ParentFrameID)
		}
	case page.FrameNavigated.Method:
		if e, err := cdp.Decode[page.EventFrameNavigated](params); err == nil {
			g.tell(s, e.Frame.ID)
			g.navigated(s, e.Frame)
			if restored = e.Type == page.NavigationTypeBackForwardCacheRestore; restored {
				g.unready(s)
			}
		}
	case page.NavigatedWithinDocument.Method:
		if e, err := cdp.Decode[page.EventNavigatedWithinDocument](params); err == nil {
			g.within(e)
		}
	case page.FrameDetached.Method:
		if e, err := cdp.Decode[page.EventFrameDetached](params); err == nil {
			g.tell(s, e.FrameID)
			g.detached(s, e)
		}
	default:
		if s != g.top || !g.docs.event(g.main, method, params) {
			return false
		}
	}
	g.changed.fire()
	return restored
}

// unready makes readers wait until the frames of the session are known again; the caller holds mu.
func (g *graph) unready(s *cdp.Session) {
	if c, ok := g.children[s.ID()]; ok {
		c.ready, c.told = false, map[proto.FrameID]bool{}
	}
}

func (g *graph) tell(s *cdp.Session, id proto.FrameID) {
	if c, ok := g.children[s.ID()]; ok && !c.ready {
		c.told[id] = true
	}
}

// attached also hears of a frame that comes back from a process of its own, before that process's session ends.
func (g *graph) attached(s *cdp.Session, id, parent proto.FrameID) {
	n := g.node(id, parent)
	if n.session != nil && n.session != s {
		g.removeChildren(n)
	}
	n.session = s
	if n.url == "" { // What a frame shows until its document is announced.
		n.url, n.origin = "about:blank", "null"
	}
}

func (g *graph) navigated(s *cdp.Session, f *proto.Frame) {
	isMain := s == g.top && f.ParentID == ""
	if isMain && g.main != f.ID {
		if old, ok := g.nodes[g.main]; ok {
			g.remove(old)
		}
		g.main = f.ID
	}
	n := g.node(f.ID, f.ParentID)
	// A document begins without frames. A frame in a process of its own is kept: when it belonged to the document
	// before, the end of its session takes it away, and when a whole page comes back from the back-forward cache, its
	// session is announced before the page is.
	for _, id := range slices.Clone(n.children) {
		if c, ok := g.nodes[id]; ok && (c.session == s || c.session == nil) {
			g.remove(c)
		}
	}
	n.take(s, f)
	if isMain {
		g.crashed = false
		g.docs.commit(f)
		g.onCommit()
	}
}

func (n *node) take(s *cdp.Session, f *proto.Frame) {
	n.session = s
	n.loader, n.name, n.origin = f.LoaderID, f.Name, f.SecurityOrigin
	n.url = public(f.URL + f.URLFragment)
	if f.UnreachableURL != "" {
		n.url = public(f.UnreachableURL)
	}
	if n.origin == "" || n.origin == "://" {
		n.origin = "null"
	}
}

func (g *graph) within(e page.EventNavigatedWithinDocument) {
	n, ok := g.nodes[e.FrameID]
	if !ok {
		return
	}
	n.url = public(e.URL)
	if e.FrameID == g.main {
		g.docs.within()
		g.onCommit()
	}
}

func (g *graph) detached(s *cdp.Session, e page.EventFrameDetached) {
	n, ok := g.nodes[e.FrameID]
	if !ok {
		return
	}
	if e.Reason == page.FrameDetachedReasonSwap {
		if n.session == s { // The other process has not been heard of yet.
			g.removeChildren(n)
			n.session = nil
		}
		return
	}
	parent, ok := g.nodes[n.parent]
	if n.session == s || ok && parent.session == s {
		g.remove(n)
	}
}

// childFound notes an out-of-process frame when its session appears.
func (g *graph) childFound(s *cdp.Session, info *target.Info) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.children[s.ID()] = &child{session: s, told: map[proto.FrameID]bool{}}
	n := g.node(proto.FrameID(info.TargetID), info.ParentFrameID)
	g.removeChildren(n)
	n.session = s
	n.url = public(info.URL)
	g.changed.fire()
}

// known says that the frames of the session are known.
func (g *graph) known(s *cdp.Session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c, ok := g.children[s.ID()]; ok {
		c.ready, c.told = true, nil
	}
	g.changed.fire()
}

// childGone drops the frames that the session spoke for, but not one that another session has taken over.
func (g *graph) childGone(id target.SessionID) (*cdp.Session, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c, ok := g.children[id]
	if !ok {
		return nil, false
	}
	delete(g.children, id)
	for _, n := range g.nodes {
		if n.session == c.session {
			g.remove(n)
		}
	}
	g.changed.fire()
	return c.session, true
}

// merge adds what the frame tree of a session shows beyond the events.
func (g *graph) merge(s *cdp.Session, tree *page.FrameTree) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c, ok := g.children[s.ID()]
	if !ok {
		return
	}
	g.mergeTree(s, tree, c.told)
	if s == g.top {
		c.ready, c.told = true, nil
	}
	g.changed.fire()
}

func (g *graph) mergeTree(s *cdp.Session, tree *page.FrameTree, told map[proto.FrameID]bool) {
	f := tree.Frame
	if !told[f.ID] {
		n := g.node(f.ID, f.ParentID)
		if n.session == nil || n.session == s || n.loader == "" {
			n.take(s, f)
		}
		if s == g.top && f.ParentID == "" {
			g.main = f.ID
			g.docs.found(f)
		}
	}
	for _, sub := range tree.ChildFrames {
		g.mergeTree(s, sub, told)
	}
}

// node returns the frame, new or known, under its parent. A frame keeps the parent that it was first heard of with.
func (g *graph) node(id, parent proto.FrameID) *node {
	n, ok := g.nodes[id]
	if !ok {
		n = &node{id: id}
		g.nodes[id] = n
	}
	if parent == "" || n.parent != "" || g.under(parent, id) {
		return n
	}
	p, ok := g.nodes[parent]
	if !ok { // An out-of-process frame can be announced before the frame around it.
		p = &node{id: parent}
		g.nodes[parent] = p
	}
	n.parent = parent
	p.children = append(p.children, id)
	return n
}

// under reports whether the frame id is top or stands somewhere under it.
func (g *graph) under(id, top proto.FrameID) bool {
	for id != "" {
		if id == top {
			return true
		}
		n, ok := g.nodes[id]
		if !ok {
			return false
		}
		id = n.parent
	}
	return false
}

// remove drops a frame with everything under it.
func (g *graph) remove(n *node) {
	g.removeChildren(n)
	delete(g.nodes, n.id)
	if p, ok := g.nodes[n.parent]; ok {
		p.children = slices.DeleteFunc(p.children, func(id proto.FrameID) bool { return id == n.id })
	}
}

func (g *graph) removeChildren(n *node) {
	for _, id := range slices.Clone(n.children) {
		if c, ok := g.nodes[id]; ok {
			g.remove(c)
		}
	}
	n.children = nil
}

// crash notes that the process behind a session died. The main frame can be navigated again; an out-of-process frame
// shows nothing from then on and leaves the tree until it navigates.
func (g *graph) crash(s *cdp.Session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s == g.top {
		g.crashed = true
		g.crashes++
	} else {
		for _, n := range g.nodes {
			if n.session == s {
				g.remove(n)
			}
		}
	}
	g.changed.fire()
}
