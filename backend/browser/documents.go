package browser

import (
	"slices"

	proto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"

	"kuang/backend/cdp"
)

// maxDocuments is how many documents of a main frame are remembered: enough for every navigation that can be under
// way, and for the steps back that Chromium keeps alive.
const maxDocuments = 64

// document is one document of the main frame, from its request on.
type document struct {
	loader    proto.LoaderID
	order     int64 // the order of first hearing
	status    int   // HTTP
	failure   string
	reached   []string // lifecycle names
	committed bool
	errorPage bool
}

func (d *document) has(name string) bool { return slices.Contains(d.reached, name) }

// documents follow the main frame. The graph's mutex guards them.
type documents struct {
	recent  []*document // oldest first
	current *document
	heard   int64
	moves   int64 // commits and same-document navigations
}

// doc returns the document with the loader, new or known.
func (ds *documents) doc(loader proto.LoaderID) *document {
	for _, d := range ds.recent {
		if d.loader == loader {
			return d
		}
	}
	ds.heard++
	d := &document{loader: loader, order: ds.heard}
	ds.recent = append(ds.recent, d)
	if len(ds.recent) > maxDocuments {
		ds.recent = slices.DeleteFunc(ds.recent, func(o *document) bool { return o == ds.oldest() })
	}
	return d
}

func (ds *documents) oldest() *document {
	if ds.recent[0] != ds.current {
		return ds.recent[0]
	}
	return ds.recent[1]
}

// found notes the document that was there when the tab was attached.
func (ds *documents) found(f *proto.Frame) {
	d := ds.doc(f.LoaderID)
	d.committed = true
	ds.current = d
}

func (ds *documents) commit(f *proto.Frame) {
	ds.found(f)
	ds.current.errorPage = f.UnreachableURL != ""
	ds.moves++
}

func (ds *documents) within() { ds.moves++ }

// event takes lifecycle and network events of the main frame and reports whether it learned anything.
func (ds *documents) event(main proto.FrameID, method string, params jsonv2.Value) bool {
	switch method {
	case page.LifecycleEvent.Method:
		e, err := cdp.Decode[page.EventLifecycleEvent](params)
		if err != nil || e.FrameID != main || e.LoaderID == "" {
			return false
		}
		d := ds.doc(e.LoaderID)
		if e.Name == "init" { // document.open begins the life of the document again.
			d.reached = nil
		}
		if !d.has(e.Name) {
			d.reached = append(d.reached, e.Name)
		}
		return true
	case network.RequestWillBeSent.Method:
		e, err := cdp.Decode[network.EventRequestWillBeSent](params)
		if err != nil || !isDocument(main, e.FrameID, e.LoaderID, e.RequestID) {
			return false
		}
		ds.doc(e.LoaderID)
		return true
	case network.ResponseReceived.Method:
		e, err := cdp.Decode[network.EventResponseReceived](params)
		if err != nil || !isDocument(main, e.FrameID, e.LoaderID, e.RequestID) {
			return false
		}
		ds.doc(e.LoaderID).status = int(e.Response.Status)
		return true
	case network.LoadingFailed.Method:
		e, err := cdp.Decode[network.EventLoadingFailed](params)
		if err != nil {
			return false
		}
		for _, d := range ds.recent {
			if string(d.loader) == string(e.RequestID) {
				d.failure = e.ErrorText
				return true
			}
		}
	}
	return false
}

// isDocument tells the request of a main document: Chromium gives it the loader's id.
func isDocument(main, frame proto.FrameID, loader proto.LoaderID, id network.RequestID) bool {
	return frame == main && loader != "" && string(loader) == string(id)
}
