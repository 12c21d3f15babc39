package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	protobrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"

	"kuang/backend/cdp"
)

// pageTarget is a tab of the browser, attached or not. Browser.mu guards it.
type pageTarget struct {
	id     string // t1, t2, …
	number int
	info   *target.Info
	tab    *Tab // nil for a tab of the person
}

// OpenOptions describe a new tab.
type OpenOptions struct {
	// URL is loaded before Open returns; empty means about:blank.
	URL string
	// Background leaves the active tab in front.
	Background bool
	// Until and Timeout bound the load of URL; they default to UntilLoad and 30 s.
	Until   WaitUntil
	Timeout time.Duration
}

// Listing is a tab as a person sees it in the strip. A tab that is not attached belongs to the person.
type Listing struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	URL      string `json:"url"`
	Attached bool   `json:"attached"`
}

// discover starts to follow the tabs of a fresh link.
func (b *Browser) discover(ctx context.Context, l *link) error {
	l.conn.Root().Listen(func(method string, params jsonv2.Value) { b.targetEvent(l, method, params) })
	_, err := cdp.Call(ctx, l.conn.Root(), target.SetDiscoverTargets, target.SetDiscoverTargetsParams{
		Discover: true, Filter: onlyTargets("page"),
	})
	if err != nil || !b.opts.Headless || l.proc == nil {
		return err
	}
	// Nobody sees a file arrive in a browser without a window, and the person's folder is no place for it.
	_, err = cdp.Call(ctx, l.conn.Root(), protobrowser.SetDownloadBehavior, protobrowser.SetDownloadBehaviorParams{
		Behavior: protobrowser.SetDownloadBehaviorBehaviorDeny,
	})
	return err
}

// onlyTargets is a filter that lets one type of target through.
func onlyTargets(kind string) target.Filter {
	var f target.Filter
	return append(f, struct {
		Exclude bool   `json:"exclude"`
		Type    string `json:"type,omitempty,omitzero"`
	}{Type: kind})
}

// targetEvent keeps the list of tabs; it runs on the reader.
func (b *Browser) targetEvent(l *link, method string, params jsonv2.Value) {
	switch method {
	case target.TargetCreated.Method:
		if e, err := cdp.Decode[target.EventTargetCreated](params); err == nil && isTab(e.TargetInfo) {
			b.created(l, e.TargetInfo)
		}
	case target.TargetInfoChanged.Method:
		if e, err := cdp.Decode[target.EventTargetInfoChanged](params); err == nil && isTab(e.TargetInfo) {
			b.created(l, e.TargetInfo) // A prerendered page becomes a tab by a change.
		}
	case target.TargetDestroyed.Method:
		if e, err := cdp.Decode[target.EventTargetDestroyed](params); err == nil {
			b.mu.Lock()
			b.forget(e.TargetID)
			b.mu.Unlock()
		}
	case target.DetachedFromTarget.Method:
		if e, err := cdp.Decode[target.EventDetachedFromTarget](params); err == nil {
			b.detached(e.SessionID)
		}
	}
}

func isTab(i *target.Info) bool {
	return i.Type == "page" && i.Subtype == "" && !strings.HasPrefix(i.URL, "devtools:")
}

// created notes a tab, or what changed about it, and adopts a popup of an attached tab.
func (b *Browser) created(l *link, info *target.Info) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l.closing {
		return
	}
	p, known := b.pages[info.TargetID]
	if known {
		changed := p.info.Title != info.Title || p.info.URL != info.URL
		p.info = info
		if changed {
			b.events.announce(Event{Kind: TabChanged, TabID: p.id})
		}
		return
	}
	b.note(info)
	opener := ""
	if o := b.pages[info.OpenerID]; o != nil && o.tab != nil {
		opener = o.id
		b.granted(func(w expectation) bool { return w.opener == opener })
	} else {
		opener = b.granted(func(w expectation) bool { return w.url == info.URL })
	}
	if opener != "" {
		b.work.Go(func() { b.adoptPopup(l, info.TargetID, opener) })
	}
}

// detached parts with a tab whose session the browser ended while the tab itself stays.
func (b *Browser) detached(id target.SessionID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.pages {
		if p.tab != nil && p.tab.session.ID() == id {
			p.tab.end()
			p.tab = nil
			b.events.announce(Event{Kind: TabChanged, TabID: p.id})
		}
	}
}

// note gives a new tab its id; the caller holds mu.
func (b *Browser) note(info *target.Info) *pageTarget {
	b.lastTab++
	p := &pageTarget{id: "t" + strconv.Itoa(b.lastTab), number: b.lastTab, info: info}
	b.pages[info.TargetID] = p
	b.events.announce(Event{Kind: TabOpened, TabID: p.id})
	return p
}

// forget drops a tab that is gone; the caller holds mu.
func (b *Browser) forget(id target.ID) {
	p, ok := b.pages[id]
	if !ok {
		return
	}
	delete(b.pages, id)
	if p.tab != nil {
		p.tab.end()
	}
	b.events.announce(Event{Kind: TabClosed, TabID: p.id})
}

// Open opens a tab, attaches to it and loads the address. When the address cannot be reached the tab is closed again.
// A *TimeoutError comes together with the tab, which is still loading.
func (b *Browser) Open(ctx context.Context, o OpenOptions) (*Tab, error) {
	var address string
	if o.URL != "" {
		var err error
		if address, err = Address(o.URL); err != nil {
			return nil, err
		}
	}
	if err := b.Ready(ctx); err != nil {
		return nil, err
	}
	l, ok := b.running()
	if !ok {
		return nil, fmt.Errorf("opening a tab: %w", cdp.ErrClosed)
	}
	made, err := cdp.Call(ctx, l.conn.Root(), target.CreateTarget, target.CreateTargetParams{
		URL: "about:blank", Background: &o.Background,
	})
	if err != nil {
		return nil, fmt.Errorf("opening a tab: %w", err)
	}
	t, err := b.attach(ctx, l, made.TargetID, "")
	if err != nil {
		b.discard(ctx, l, made.TargetID)
		return nil, fmt.Errorf("opening a tab: %w", err)
	}
	if address == "" || address == "about:blank" {
		return t, nil
	}
	if _, err := t.Navigate(ctx, address, o.Until, o.Timeout); err != nil {
		if errors.As(err, new(*TimeoutError)) {
			return t, err
		}
		b.discard(ctx, l, made.TargetID)
		return nil, err
	}
	return t, nil
}

// discard closes a tab that could not be used, whatever became of the call that opened it.
func (b *Browser) discard(ctx context.Context, l *link, id target.ID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), adoptTimeout)
	defer cancel()
	if _, err := cdp.Call(ctx, l.conn.Root(), target.CloseTarget, target.CloseTargetParams{TargetID: id}); err != nil {
		b.log.Debug("closing a tab that could not be used", "error", err)
	}
}

// attach makes a tab of a target.
func (b *Browser) attach(ctx context.Context, l *link, id target.ID, opener string) (*Tab, error) {
	attached, err := cdp.Call(ctx, l.conn.Root(), target.AttachToTarget, target.AttachToTargetParams{
		TargetID: id, Flatten: new(true),
	})
	if err != nil {
		return nil, fmt.Errorf("attaching: %w", err)
	}
	b.mu.Lock()
	if l.closing {
		b.mu.Unlock()
		return nil, fmt.Errorf("attaching: %w", cdp.ErrClosed)
	}
	p, ok := b.pages[id]
	if !ok { // The answer overtook the event.
		p = b.note(&target.Info{TargetID: id, Type: "page", URL: "about:blank"})
	}
	t := newTab(b, l, p.id, id, opener, l.conn.Session(attached.SessionID))
	b.mu.Unlock()

	if err := t.setUp(ctx); err != nil {
		t.end()
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pages[id] != p {
		t.end()
		return nil, &TabGoneError{p.id}
	}
	p.tab = t
	b.events.announce(Event{Kind: TabChanged, TabID: p.id})
	return t, nil
}

// Tab is the attached tab with the id.
func (b *Browser) Tab(id string) (*Tab, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.pages {
		if p.id == id && p.tab != nil {
			return p.tab, true
		}
	}
	return nil, false
}

// Tabs are the attached tabs, oldest first.
func (b *Browser) Tabs() []*Tab {
	b.mu.Lock()
	defer b.mu.Unlock()
	var tabs []*Tab
	for _, p := range b.inOrder() {
		if p.tab != nil {
			tabs = append(tabs, p.tab)
		}
	}
	return tabs
}

// listTimeout bounds the question for the titles; the browser answers it in a millisecond, whatever the pages do.
const listTimeout = time.Second

// Listed are all tabs, oldest first, with those of the person. The browser is asked for their titles, which it does
// not tell by itself; the tabs are sent nothing.
func (b *Browser) Listed() []Listing {
	if l, ok := b.running(); ok {
		ctx, cancel := context.WithTimeout(context.Background(), listTimeout)
		defer cancel()
		found, err := cdp.Call(ctx, l.conn.Root(), target.GetTargets, target.GetTargetsParams{Filter: onlyTargets("page")})
		if err != nil {
			b.log.Debug("asking for the titles of the tabs", "error", err)
		}
		for _, info := range found.TargetInfos {
			b.retitle(info.TargetID, info.Title)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	list := make([]Listing, 0, len(b.pages))
	for _, p := range b.inOrder() {
		list = append(list, Listing{ID: p.id, Title: p.info.Title, URL: public(p.info.URL), Attached: p.tab != nil})
	}
	return list
}

// retitle notes a title that is newer than what the browser last told, and reports whether it is another one.
func (b *Browser) retitle(id target.ID, title string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, ok := b.pages[id]
	if !ok || p.info.Title == title {
		return false
	}
	fresh := *p.info
	fresh.Title = title
	p.info = &fresh
	return true
}

// inOrder are the tabs by age; the caller holds mu.
func (b *Browser) inOrder() []*pageTarget {
	pages := make([]*pageTarget, 0, len(b.pages))
	for _, p := range b.pages {
		pages = append(pages, p)
	}
	slices.SortFunc(pages, func(x, y *pageTarget) int { return x.number - y.number })
	return pages
}

// titleOf is the title of a target as the browser last told.
func (b *Browser) titleOf(id target.ID) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p, ok := b.pages[id]; ok {
		return p.info.Title
	}
	return ""
}
