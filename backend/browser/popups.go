package browser

import (
	"context"
	"slices"
	"time"

	"github.com/chromedp/cdproto/target"
)

// adoptTimeout bounds the attach to a popup; the popup's own page may be slow, the browser is not.
const adoptTimeout = 10 * time.Second

// adoptPopup attaches to a tab that a tab of ours opened.
func (b *Browser) adoptPopup(l *link, id target.ID, opener string) {
	ctx, cancel := context.WithTimeout(context.Background(), adoptTimeout)
	defer cancel()
	if _, err := b.attach(ctx, l, id, opener); err != nil {
		// A popup that closed at once is nothing to report.
		b.log.Debug("adopting a popup", "opener", opener, "error", err)
	}
}

// expectation is a new tab that a page of ours asked for. Chromium does not name the opener of a tab that a held
// Control key or the middle button opens, only the wish of the page and then the tab, with the same address.
type expectation struct {
	url, opener string
	until       time.Time
}

// expectTime is how long after the wish a tab may come.
const expectTime = 5 * time.Second

func (b *Browser) expect(url, opener string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wishes = append(b.wishes, expectation{url, opener, b.now().Add(expectTime)})
}

// granted takes the oldest wish that fits and returns who wished; the caller holds mu.
func (b *Browser) granted(fits func(expectation) bool) string {
	now := b.now()
	b.wishes = slices.DeleteFunc(b.wishes, func(w expectation) bool { return now.After(w.until) })
	i := slices.IndexFunc(b.wishes, fits)
	if i < 0 {
		return ""
	}
	opener := b.wishes[i].opener
	b.wishes = slices.Delete(b.wishes, i, i+1)
	return opener
}
