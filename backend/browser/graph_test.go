package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/chromedp/cdproto"
	proto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"kuang/backend/cdp"
)

// silent is a browser that never says a word.
type silent chan struct{}

func (s silent) Read(context.Context, *cdproto.Message) error  { <-s; return io.EOF }
func (s silent) Write(context.Context, *cdproto.Message) error { return nil }
func (s silent) Close() error {
	select {
	case <-s:
	default:
		close(s)
	}
	return nil
}

// scene is a graph that a test tells what happens, in words: "top attached f1 main", "far navigated f1", …
type scene struct {
	t     *testing.T
	conn  *cdp.Conn
	g     *graph
	moves int
	load  int
}

func newScene(t *testing.T) *scene {
	s := &scene{t: t, conn: cdp.New(make(silent), slog.New(slog.DiscardHandler))}
	t.Cleanup(func() { s.conn.Close() })
	s.g = newGraph(s.session("top"), newSignal(), func() { s.moves++ })
	return s
}

func (s *scene) session(name string) *cdp.Session { return s.conn.Session(target.SessionID(name)) }

func (s *scene) tell(line string) {
	s.t.Helper()
	words := strings.Fields(line)
	on, what, id := s.session(words[0]), words[1], words[2]
	arg := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	event := func(method string, params any) {
		raw, err := json.Marshal(params)
		if err != nil {
			s.t.Fatal(err)
		}
		s.g.event(on, method, jsonv2.Value(raw))
	}
	switch what {
	case "attached":
		event(page.FrameAttached.Method, map[string]string{"frameId": id, "parentFrameId": arg(3)})
	case "navigated":
		s.load++
		event(page.FrameNavigated.Method, map[string]any{"type": "Navigation", "frame": map[string]string{
			"id": id, "parentId": arg(3), "loaderId": fmt.Sprint("L", s.load), "url": "http://" + id, "securityOrigin": "http://" + id,
		}})
	case "swapped":
		event(page.FrameDetached.Method, map[string]string{"frameId": id, "reason": "swap"})
	case "removed":
		event(page.FrameDetached.Method, map[string]string{"frameId": id, "reason": "remove"})
	case "found": // an out-of-process frame
		s.g.childFound(on, &target.Info{TargetID: target.ID(id), ParentFrameID: proto.FrameID(arg(3))})
		s.g.known(on)
	case "gone":
		s.g.childGone(on.ID())
	case "crashed":
		s.g.crash(on)
	default:
		s.t.Fatalf("nobody understands %q", line)
	}
}

// tree prints the frames that can be spoken to, with their session.
func (s *scene) tree() string {
	frames, _ := s.g.list()
	var parts []string
	for _, f := range frames {
		parts = append(parts, fmt.Sprintf("%s/%s@%s", f.ParentID, f.ID, f.Session.ID()))
	}
	return strings.Join(parts, " ")
}

func TestGraph(t *testing.T) {
	start := []string{"top navigated main", "top attached a main", "top navigated a main"}
	cases := []struct {
		name  string
		tell  []string
		want  string
		moves int
	}{
		{"a page with a frame", nil, "/main@top main/a@top", 1},
		{"the frame goes far: swap first", []string{"top swapped a", "far found a main", "far navigated a main"}, "/main@top main/a@far", 1},
		{"the frame goes far: session first", []string{"far found a main", "top swapped a", "far navigated a"}, "/main@top main/a@far", 1},
		{"between two processes", []string{"top swapped a"}, "/main@top", 1},
		{"the frame comes home: attached first", []string{"far found a main", "top swapped a", "far attached b a", "top attached a main", "far gone -", "top navigated a main"}, "/main@top main/a@top", 1},
		{"the frame comes home: gone first", []string{"far found a main", "top swapped a", "far gone -", "top attached a main", "top navigated a main"}, "/main@top main/a@top", 1},
		{"far in far", []string{"far found a main", "far navigated a main", "far attached b a", "further found b a", "far swapped b", "further navigated b"}, "/main@top main/a@far a/b@further", 1},
		{"the outer one of two far frames goes", []string{"far found a main", "far attached b a", "further found b a", "top removed a", "further gone -", "far gone -"}, "/main@top", 1},
		{"a frame is removed with what is in it", []string{"top attached b a", "top attached c b", "top removed a"}, "/main@top", 1},
		{"a new document has no frames", []string{"top navigated main"}, "/main@top", 2},
		{"a whole page comes back, far frame first", []string{"far found x main", "top navigated main"}, "/main@top main/x@far", 2},
		{"the far frames of the page before end late", []string{"far found a main", "top navigated main", "far gone -"}, "/main@top", 2},
		{"a late word of the old process", []string{"far found a main", "top removed zz"}, "/main@top main/a@far", 1},
		{"another main frame takes the tab over", []string{"top navigated other"}, "/other@top", 2},
		{"a far frame crashes and comes back", []string{"far found a main", "far crashed -", "far navigated a main"}, "/main@top main/a@far", 1},
		{"a far frame is announced before the frame around it", []string{"far found c b", "top attached b main"}, "/main@top main/a@top main/b@top b/c@far", 1},
		{"a circle is not believed", []string{"top attached main a", "top attached a a"}, "/main@top main/a@top", 1},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			s := newScene(t)
			for _, line := range append(start, tc.tell...) {
				s.tell(line)
			}
			if got := s.tree(); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
			if s.moves != tc.moves {
				t.Errorf("%d moves of the main frame, want %d", s.moves, tc.moves)
			}
		})
	}
}

func TestGraphBelievesEventsMoreThanAnOlderTree(t *testing.T) {
	s := newScene(t)
	s.tell("top navigated main")
	s.tell("top attached gone main")
	s.tell("top removed gone")
	frame := func(id, parent, loader string) *proto.Frame {
		return &proto.Frame{ID: proto.FrameID(id), ParentID: proto.FrameID(parent), LoaderID: proto.LoaderID(loader), URL: "http://" + id}
	}
	s.g.merge(s.session("top"), &page.FrameTree{Frame: frame("main", "", "old"), ChildFrames: []*page.FrameTree{
		{Frame: frame("gone", "main", "x")}, {Frame: frame("kept", "main", "y")},
	}})
	if got := s.tree(); got != "/main@top main/kept@top" {
		t.Errorf("got %s", got)
	}
	if s.g.loader() != "L1" {
		t.Errorf("the loader is %s", s.g.loader())
	}
}

// FuzzGraph tells the graph anything in any order; the tree must stay a tree.
func FuzzGraph(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	f.Add([]byte("top attached a main and then some"))
	f.Fuzz(func(t *testing.T, script []byte) {
		s := newScene(t)
		s.tell("top navigated f0")
		acts := []string{"attached", "navigated", "swapped", "removed", "found", "gone", "crashed"}
		for len(script) >= 3 {
			act := acts[int(script[0])%len(acts)]
			session := []string{"top", "far", "further"}[int(script[0]/16)%3]
			if session == "top" && (act == "gone" || act == "found") {
				session = "far"
			}
			s.tell(fmt.Sprintf("%s %s f%d f%d", session, act, script[1]%6, script[2]%6))
			script = script[3:]
		}
		frames, _ := s.g.list()
		seen := map[proto.FrameID]bool{}
		for i, frame := range frames {
			if seen[frame.ID] || i > 0 && !seen[frame.ParentID] {
				t.Fatalf("%s stands twice or before its parent: %s", frame.ID, s.tree())
			}
			seen[frame.ID] = true
		}
	})
}

func TestDocumentsAreBounded(t *testing.T) {
	var ds documents
	ds.commit(&proto.Frame{LoaderID: "current"})
	for i := range 3 * maxDocuments {
		ds.doc(proto.LoaderID(fmt.Sprint(i)))
	}
	if len(ds.recent) != maxDocuments || !ds.doc("current").committed {
		t.Errorf("kept %d, current %+v", len(ds.recent), ds.doc("current"))
	}
}
