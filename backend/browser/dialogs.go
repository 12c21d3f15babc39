package browser

import (
	"context"
	"sync"
	"time"

	"github.com/chromedp/cdproto/page"

	"kuang/backend/cdp"
)

// maxDialogs is how many dialogs a tab remembers; the oldest leave first.
const maxDialogs = 100

// Dialog is a JavaScript dialog that was answered.
type Dialog struct {
	Type    string    `json:"type"` // alert, confirm, prompt or beforeunload
	Message string    `json:"message"`
	URL     string    `json:"url"`
	At      time.Time `json:"at"`
	Answer  string    `json:"answer"` // accepted or dismissed
}

type dialogs struct {
	now  func() time.Time
	mu   sync.Mutex // guards list
	list []Dialog   // oldest first
}

func newDialogs(now func() time.Time) *dialogs { return &dialogs{now: now} }

// answer answers a dialog at once, because the page and every call to it stand still until somebody does: an alert is
// accepted, a question is answered with no, and a page that asks to stay is left. It runs on the reader and hands the
// answer to another goroutine.
func (t *Tab) answer(s *cdp.Session, e page.EventJavascriptDialogOpening) {
	accept := e.Type == page.DialogTypeAlert || e.Type == page.DialogTypeBeforeunload
	d := Dialog{Type: string(e.Type), Message: e.Message, URL: e.URL, At: t.dialogs.now(), Answer: "dismissed"}
	if accept {
		d.Answer = "accepted"
	}
	t.dialogs.add(d)
	t.browser.work.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), adoptTimeout)
		defer cancel()
		if _, err := cdp.Call(ctx, s, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: accept}); err != nil {
			t.browser.log.Debug("answering a dialog", "tab", t.id, "type", d.Type, "error", err)
		}
	})
}

func (ds *dialogs) add(d Dialog) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	ds.list = append(ds.list, d)
	if len(ds.list) > maxDialogs {
		ds.list = ds.list[1:]
	}
}

// Dialogs are the dialogs that the tab answered at or after since, oldest first.
func (t *Tab) Dialogs(since time.Time) []Dialog {
	t.dialogs.mu.Lock()
	defer t.dialogs.mu.Unlock()
	var list []Dialog
	for _, d := range t.dialogs.list {
		if !d.At.Before(since) {
			list = append(list, d)
		}
	}
	return list
}
