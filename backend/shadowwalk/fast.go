package shadowwalk

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	protobrowser "github.com/chromedp/cdproto/browser"
	proto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"

	"kuang/backend/cdp"
)

// operable selects what a person may operate, and the elements that hold frames.
const operable = "button,input,select,textarea,a[href],area[href],summary,iframe,frame,object,embed," +
	"[role],[tabindex],[contenteditable]"

// inAnyRoot finds the same below every author shadow root. Chromium evaluates a search in each root as well as in the
// document, and only in a root does :host stand for something.
const inAnyRoot = ":host :is(" + operable + ")"

// searchesRoots is the oldest Chromium in which the search was checked to look into roots. Version 132 evaluates it in
// the document only and finds nothing, which must not pass for a page without sealed controls.
const searchesRoots = 156

// The commands with answers that are decoded into types of ours: none of them can carry what a field holds.
var (
	getDocument = proto.Command[dom.GetDocumentParams, struct {
		Root wireNode `json:"root"`
	}]{Method: dom.CommandGetDocument}
	getPartialAXTree = proto.Command[accessibility.GetPartialAXTreeParams, axNodes]{Method: accessibility.CommandGetPartialAXTree}
)

type axNodes struct {
	Nodes []axNode `json:"nodes"`
}

// enumerate is the fast way: search for what can be operated in any root, learn which of it has a closed root above,
// and ask the accessibility tree about those nodes alone. A browser that is older than that search is read whole.
func enumerate(ctx context.Context, s *scan) (found, error) {
	var top wireNode
	// Asking for the document turns the domain on as well, so that the order of the two does not matter.
	err := together(ctx,
		s.readMajor,
		func(ctx context.Context) error { return s.domains.enableDOM(ctx, s.session) },
		func(ctx context.Context) error {
			d, err := cdp.Call(ctx, s.session, getDocument, dom.GetDocumentParams{Depth: new(int64(0))})
			top = d.Root
			return err
		},
	)
	if err != nil {
		return found{}, err
	}
	if s.state.major < searchesRoots {
		return enumerateAll(ctx, s)
	}
	candidates, err := s.search(ctx, newTree(top, s.main.ID))
	if err != nil || len(candidates) == 0 {
		return found{}, err
	}
	f := found{}
	candidates, f.capped = capped(candidates)
	f.candidates = len(candidates)
	nodes, err := s.readNodes(ctx, candidates)
	if err != nil {
		return found{}, err
	}
	for i, n := range nodes {
		if n == nil {
			continue
		}
		if role, ok := s.roles.role(*n); ok {
			f.controls = append(f.controls, newControl(candidates[i], *n, role))
		}
	}
	return f, nil
}

// readNodes asks the accessibility tree about each candidate; nil for one that is gone. The first answer waits for
// Chromium to build its tree, which is most of what a read costs; what the measuring needs later is asked meanwhile.
func (s *scan) readNodes(ctx context.Context, candidates []*node) ([]*axNode, error) {
	nodes := make([]*axNode, len(candidates))
	read := func(ctx context.Context, i int) error {
		a, err := cdp.Call(ctx, s.session, getPartialAXTree, accessibility.GetPartialAXTreeParams{
			BackendNodeID: candidates[i].backend, FetchRelatives: new(false),
		})
		switch {
		case refused(err): // The node went away since the search.
			return nil
		case err != nil:
			return err
		}
		for j := range a.Nodes {
			if a.Nodes[j].Backend == candidates[i].backend {
				nodes[i] = &a.Nodes[j]
			}
		}
		return nil
	}
	err := together(ctx,
		func(ctx context.Context) error { return each(ctx, len(candidates), read) },
		func(ctx context.Context) error {
			_, err := s.viewport(ctx)
			return err
		},
	)
	return nodes, err
}

// readMajor learns the first number of the browser's version, 0 when it does not tell one.
func (s *scan) readMajor(ctx context.Context) error {
	if s.state.major != 0 {
		return nil
	}
	v, err := cdp.Call(ctx, s.session, protobrowser.GetVersion, proto.Empty{})
	s.state.major = majorOf(v.Product)
	return err
}

// majorOf takes the version out of a product such as Chrome/156.0.8078.114.
func majorOf(product string) int {
	_, version, _ := strings.Cut(product, "/")
	first, _, _ := strings.Cut(version, ".")
	major, err := strconv.Atoi(first)
	if err != nil {
		return 0
	}
	return major
}

func newControl(n *node, ax axNode, role string) control {
	c := control{ax: ax, role: role, frame: n.frameID()}
	for _, o := range n.owners() {
		c.owners = append(c.owners, owner{o.backend, o.frameID()})
	}
	return c
}

// search returns the sealed candidates in document order. The document was asked for just before: a search needs that,
// and it makes Chromium forget all earlier node ids.
func (s *scan) search(ctx context.Context, t *tree) ([]*node, error) {
	hits, err := cdp.Call(ctx, s.session, dom.PerformSearch, dom.PerformSearchParams{Query: inAnyRoot})
	if err != nil || hits.ResultCount == 0 {
		return nil, err
	}
	// The answer comes after the children of every ancestor of every hit.
	var results dom.GetSearchResultsResult
	err = together(ctx,
		func(ctx context.Context) error {
			var err error
			results, err = cdp.Call(ctx, s.session, dom.GetSearchResults, dom.GetSearchResultsParams{
				SearchID: hits.SearchID, ToIndex: hits.ResultCount,
			})
			return err
		},
		func(ctx context.Context) error { return s.domains.enableAccessibility(ctx, s.session) },
	)
	if err != nil {
		return nil, err
	}
	if err := s.decodePushed(t); err != nil {
		return nil, err
	}
	seen := map[*node]bool{}
	sealed := t.sealedOf(results.NodeIDs, seen)
	// In the document of a sealed frame everything is sealed, in the light too, where :host finds nothing; frames in
	// there are sealed frames in turn.
	for i := 0; i < len(sealed); i++ {
		d := sealed[i].content
		if d == nil {
			continue
		}
		inside, err := cdp.Call(ctx, s.session, dom.QuerySelectorAll, dom.QuerySelectorAllParams{NodeID: d.id, Selector: operable})
		if refused(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := s.decodePushed(t); err != nil {
			return nil, err
		}
		sealed = append(sealed, t.sealedOf(inside.NodeIDs, seen)...)
	}
	paths := make(map[*node][]int, len(sealed))
	for _, n := range sealed {
		paths[n] = n.path()
	}
	slices.SortFunc(sealed, func(a, b *node) int { return slices.Compare(paths[a], paths[b]) })
	return sealed, nil
}

// sealedOf picks the elements that are sealed and were not seen before. A search also hits on text that happens to
// hold the query; such a node is taken like any other, and its role decides.
func (t *tree) sealedOf(ids []proto.NodeID, seen map[*node]bool) []*node {
	var sealed []*node
	for _, id := range ids {
		n, ok := t.nodes[id]
		if ok && n.kind == elementNode && n.name != nativeOption && !seen[n] && n.sealed() {
			seen[n] = true
			sealed = append(sealed, n)
		}
	}
	return sealed
}

// capped cuts the candidates of each document to the bound and says whether it had to.
func capped(nodes []*node) ([]*node, bool) {
	of := map[*node]int{}
	kept := slices.DeleteFunc(slices.Clone(nodes), func(n *node) bool {
		d := n.document()
		of[d]++
		return of[d] > maxCandidates
	})
	return kept, len(kept) < len(nodes)
}
