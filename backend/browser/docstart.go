package browser

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/chromedp/cdproto/page"

	"kuang/backend/cdp"
)

// injected is what a tab's sessions run at document start.
type injected struct {
	mu      sync.Mutex // one change at a time; held over protocol calls, which are bounded
	applied map[*cdp.Session]map[string]injection
}

type injection struct {
	source string
	id     page.ScriptIdentifier
}

// SetDocumentStart runs source in the main world of every document that begins from now on, in every frame of every
// attached tab, before the page's own scripts. An empty source removes what the key ran; documents that are already
// there keep what ran in them.
func (b *Browser) SetDocumentStart(ctx context.Context, key, source string) error {
	b.mu.Lock()
	if source == "" {
		delete(b.scripts, key)
	} else {
		b.scripts[key] = source
	}
	b.mu.Unlock()

	var failed []error
	for _, t := range b.Tabs() {
		for _, s := range t.graph.sessions() {
			// A tab or frame that goes away meanwhile needs no script.
			if err := t.applyScripts(ctx, s); err != nil && !cdp.IsClosed(err) {
				failed = append(failed, fmt.Errorf("tab %s: %w", t.id, err))
			}
		}
	}
	return errors.Join(failed...)
}

// applyScripts makes a session run the scripts that are wanted now, and no others.
func (t *Tab) applyScripts(ctx context.Context, s *cdp.Session) error {
	t.browser.mu.Lock()
	wanted := maps.Clone(t.browser.scripts)
	t.browser.mu.Unlock()

	t.injected.mu.Lock()
	defer t.injected.mu.Unlock()
	have := t.injected.applied[s]
	if have == nil {
		have = map[string]injection{}
		t.injected.applied[s] = have
	}
	for key, in := range have {
		if wanted[key] == in.source {
			continue
		}
		if _, err := cdp.Call(ctx, s, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: in.id}); err != nil {
			return fmt.Errorf("removing the script %s: %w", key, err)
		}
		delete(have, key)
	}
	for key, source := range wanted {
		if _, ok := have[key]; ok {
			continue
		}
		added, err := cdp.Call(ctx, s, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: source})
		if err != nil {
			return fmt.Errorf("adding the script %s: %w", key, err)
		}
		have[key] = injection{source, added.Identifier}
	}
	return nil
}

// probePatched asks a document, and the same-origin documents in its frames, whether a closed root stays closed. It
// builds an element that never enters the document.
const probePatched = `(() => {
	const open = (w) => {
		try {
			const host = w.document.createElement('div');
			host.attachShadow({ mode: 'closed' });
			if (host.shadowRoot !== null) return true;
			for (let i = 0; i < w.frames.length; i++) if (open(w.frames[i])) return true;
		} catch { /* another origin, or no HTML document */ }
		return false;
	};
	return open(window);
})()`

// Patched asks the tab's documents whether attachShadow is forced open in them. It runs in the main world, as the
// page's own scripts see it; same-process frames of another origin cannot be asked that way and are left out.
func (t *Tab) Patched(ctx context.Context) (bool, error) {
	frames, err := t.Frames(ctx)
	if err != nil {
		return false, err
	}
	for i, f := range frames {
		if i > 0 && !f.OOPIF {
			continue
		}
		e, err := t.Evaluate(ctx, f, true, probePatched)
		if err != nil {
			return false, fmt.Errorf("asking tab %s whether it is patched: %w", t.id, err)
		}
		if string(e.Value) == "true" {
			return true, nil
		}
	}
	return false, nil
}
