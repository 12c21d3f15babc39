package page

import (
	"context"
	"sync"
	"time"

	"kuang/backend/browser"
)

const (
	// tabWindow is how long a link that opens a tab may take to do so.
	tabWindow = 2 * time.Second
	// tabPoll is the pause between two looks at whether a tab that opened can be used.
	tabPoll = 20 * time.Millisecond
)

// openedTabs follows which tabs open, from just before an input on.
type openedTabs struct {
	browser *browser.Browser
	stop    func()
	news    chan struct{} // gets a value when ids grew

	mu  sync.Mutex // guards ids
	ids []string
}

func watchTabs(b *browser.Browser) *openedTabs {
	o := &openedTabs{browser: b, news: make(chan struct{}, 1)}
	o.stop = b.Subscribe(func(e browser.Event) {
		if e.Kind != browser.TabOpened {
			return
		}
		o.mu.Lock()
		o.ids = append(o.ids, e.TabID)
		o.mu.Unlock()
		select {
		case o.news <- struct{}{}:
		default:
		}
	})
	return o
}

// by lists the tabs that opener opened. A tab that has opened is waited for until it can be used and tells who opened
// it; one that is sure to open is waited for even before.
func (o *openedTabs) by(ctx context.Context, opener *browser.Tab, sure bool) []NewTab {
	late := time.NewTimer(tabWindow)
	defer late.Stop()
	look := time.NewTicker(tabPoll)
	defer look.Stop()
	for {
		list, pending := o.attached(opener)
		if len(list) > 0 || !pending && !sure {
			return list
		}
		select {
		case <-o.news:
		case <-look.C:
		case <-late.C:
			return list
		case <-ctx.Done():
			return list
		}
	}
}

// attached lists what opener opened, and tells whether a tab has opened whose opener is not known yet.
func (o *openedTabs) attached(opener *browser.Tab) (list []NewTab, pending bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, id := range o.ids {
		t, ok := o.browser.Tab(id)
		switch {
		case !ok:
			pending = true
		case t.OpenerID() == opener.ID():
			list = append(list, NewTab{t.ID(), t.URL()})
		}
	}
	return list, pending
}
