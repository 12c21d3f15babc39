package browser

import (
	"context"
	"fmt"
	"time"

	proto "github.com/chromedp/cdproto/cdp"

	"kuang/backend/cdp"
)

// settleTimeout is how long a frame that is changing its process is waited for before it is left out. The change takes
// a few milliseconds once the frame's document has arrived.
const settleTimeout = 2 * time.Second

// Frame is one frame of a tab, as it was when it was asked for.
type Frame struct {
	ID       proto.FrameID
	ParentID proto.FrameID // empty for the main frame
	LoaderID proto.LoaderID
	URL      string
	Name     string // the frame element's name or id
	// Origin is that of the address, null where the address has none: Chromium does not tell that a frame without a
	// source shares its parent's origin, nor that a sandboxed one has an opaque one. The frame's self.origin does.
	Origin  string
	OOPIF   bool // lives in a process of its own, with a session of its own
	Session *cdp.Session
}

// FrameGoneError is a frame that has left the tab, or whose document was replaced again and again under a call.
type FrameGoneError struct{ ID string }

// Error satisfies the error interface.
func (e *FrameGoneError) Error() string { return "the frame " + e.ID + " is gone" }

// Frames are the tab's frames, same-process and out-of-process: the main frame first, then each frame before its
// children, siblings in the order in which they were heard of. It sends nothing; it waits only for a frame that is changing its process.
func (t *Tab) Frames(ctx context.Context) ([]Frame, error) {
	timeout := time.NewTimer(settleTimeout)
	defer timeout.Stop()
	for {
		changed := t.graph.changed.wait()
		frames, settled := t.graph.list()
		if settled && len(frames) > 0 {
			return frames, nil
		}
		select {
		case <-changed:
		case <-timeout.C:
			if len(frames) > 0 {
				return frames, nil
			}
			return nil, fmt.Errorf("listing the frames of tab %s: %w", t.id, &FrameGoneError{"main"})
		case <-t.closed:
			return nil, fmt.Errorf("listing the frames of tab %s: %w", t.id, t.fault(cdp.ErrClosed))
		case <-ctx.Done():
			return nil, fmt.Errorf("listing the frames of tab %s: %w", t.id, ctx.Err())
		}
	}
}

// MainFrame is the tab's main frame.
func (t *Tab) MainFrame(ctx context.Context) (Frame, error) {
	if f, ok := t.graph.frame(""); ok {
		return f, nil
	}
	frames, err := t.Frames(ctx)
	if err != nil {
		return Frame{}, err
	}
	return frames[0], nil
}

// list returns the frames that can be spoken to, and whether those are all.
func (g *graph) list() (frames []Frame, settled bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	settled = true
	for _, c := range g.children {
		settled = settled && c.ready
	}
	var walk func(id proto.FrameID)
	walk = func(id proto.FrameID) {
		n, ok := g.nodes[id]
		if !ok {
			return
		}
		if n.session == nil {
			settled = false
			return
		}
		frames = append(frames, g.view(n))
		for _, c := range n.children {
			walk(c)
		}
	}
	walk(g.main)
	return frames, settled
}

// frame returns the frame as it is now; the empty id is the main frame.
func (g *graph) frame(id proto.FrameID) (Frame, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if id == "" {
		id = g.main
	}
	n, ok := g.nodes[id]
	if !ok || n.session == nil {
		return Frame{}, false
	}
	return g.view(n), true
}

func (g *graph) view(n *node) Frame {
	parent, ok := g.nodes[n.parent]
	return Frame{
		ID: n.id, ParentID: n.parent, LoaderID: n.loader, URL: n.url, Name: n.name, Origin: n.origin,
		OOPIF: ok && parent.session != n.session, Session: n.session,
	}
}

func (g *graph) isCrashed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.crashed
}

func (g *graph) crashCount() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.crashes
}

func (g *graph) url() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n, ok := g.nodes[g.main]; ok {
		return n.url
	}
	return ""
}

func (g *graph) loader() proto.LoaderID {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n, ok := g.nodes[g.main]; ok {
		return n.loader
	}
	return ""
}

// sessions are the tab's session and those of its out-of-process frames.
func (g *graph) sessions() []*cdp.Session {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := make([]*cdp.Session, 0, len(g.children))
	for _, c := range g.children {
		all = append(all, c.session)
	}
	return all
}
