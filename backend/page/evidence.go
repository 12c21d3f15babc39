package page

import (
	"context"
	"strconv"
	"time"

	"kuang/backend/verb"
)

// seen is what the page script saw of an action's effect.
type seen struct {
	Gone      bool     `json:"gone"`
	Changed   bool     `json:"changed"`
	Mutations int      `json:"mutations"`
	Added     int      `json:"added"`
	Removed   int      `json:"removed"`
	Fields    int      `json:"fields"`
	Changes   []string `json:"changes"`
	Focus     string   `json:"focus"`
	Scrolled  *Point   `json:"scrolled"`
	Title     string   `json:"title"`
	URL       string   `json:"url"`
	Events    struct {
		Click int `json:"click"`
	} `json:"events"`
	Typing *struct {
		Keydowns    int     `json:"keydowns"`
		Inputs      int     `json:"inputs"`
		CharsBefore *int    `json:"chars_before"`
		CharsAfter  *int    `json:"chars_after"`
		Landed      bool    `json:"landed"`
		Exact       bool    `json:"exact"`
		Uncleared   bool    `json:"uncleared"`
		Value       *string `json:"value"`
	} `json:"typing"`
}

// observe waits until the page has shown what the input did, at most the settle window; longer while an answer that the
// input asked for, or a navigation that it began, is under way.
func (a *action) observe(ctx context.Context) (seen, error) {
	deadline := a.began.Add(fetchWindow)
	for window := settleWindow; ; window = slice {
		var look struct {
			Gone     bool `json:"gone"`
			Changed  bool `json:"changed"`
			Doubtful bool `json:"doubtful"`
		}
		if err := a.look(ctx, "peek", args{"most": window.Milliseconds()}, &look); err != nil {
			return seen{}, err
		}
		if look.Doubtful && !a.asked() && !a.navigated() && a.in.Action != "type" {
			if err := a.look(ctx, "doubt", args{"most": doubtWindow.Milliseconds()}, nil); err != nil {
				return seen{}, err
			}
		}
		if look.Gone || look.Changed || a.navigated() || a.navigating() || !a.fetching() || time.Now().After(deadline) {
			break
		}
	}
	for deadline := time.Now().Add(commitWindow); !a.navigated() && a.navigating() && time.Now().Before(deadline); {
		main, err := a.tab.MainFrame(ctx)
		if err != nil {
			return seen{}, err
		}
		if err := a.run(ctx, main, "linger", args{"ms": slice.Milliseconds()}, nil); err != nil && ctx.Err() != nil {
			return seen{}, err
		}
	}
	return a.settle(ctx)
}

// look asks the page script in the target's frame; a frame that is gone has nothing more to say.
func (a *action) look(ctx context.Context, fn string, in args, out any) error {
	in["id"] = a.aimed.ID
	err := a.run(ctx, a.pane.frame, fn, in, out)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if gone(err) || a.closed() || a.navigated() {
		return nil
	}
	return err
}

func (a *action) settle(ctx context.Context) (seen, error) {
	ask := args{}
	if a.in.Action == "type" {
		ask["text"], ask["cleared"] = a.in.Text, a.in.ClearFirst
	}
	got := seen{Gone: true}
	if !a.closed() {
		// A reply that did not come leaves it gone.
		var answer *seen
		if err := a.look(ctx, "settle", ask, &answer); err != nil {
			return seen{}, err
		}
		if answer != nil {
			got = *answer
		}
	}
	a.aimed.ID = 0 // It ended with its report.
	if a.aside == 0 || a.closed() {
		return got, nil
	}
	main, err := a.tab.MainFrame(ctx)
	if err != nil {
		return seen{}, err
	}
	var around seen
	if err := a.run(ctx, main, "settle", args{"id": a.aside}, &around); err != nil {
		return seen{}, err
	}
	a.aside = 0
	got.add(around)
	return got, nil
}

// add joins what was seen in the main document to what was seen in the target's.
func (s *seen) add(o seen) {
	s.Changed = s.Changed || o.Changed
	s.Mutations += o.Mutations
	s.Added += o.Added
	s.Removed += o.Removed
	s.Fields += o.Fields
	s.Changes = append(s.Changes, o.Changes...)
	if s.Focus == "" {
		s.Focus = o.Focus
	}
	if s.Scrolled == nil {
		s.Scrolled = o.Scrolled
	}
	if s.Gone && !o.Gone {
		s.Changed, s.Changes = true, append(s.Changes, "another document in the target's frame")
	}
	s.Title, s.URL, s.Gone = o.Title, o.URL, o.Gone
}

func (a *action) closed() bool {
	select {
	case <-a.tab.Closed():
		return true
	default:
		return false
	}
}

// navigated tells that the main frame has another document than before the input.
func (a *action) navigated() bool { return a.tab.LoaderID() != a.before.loader }

// navigating tells that a document for the main frame was asked for since the input and has not come.
func (a *action) navigating() bool {
	for _, r := range a.tab.Network().Requests(a.began) {
		if r.Type == "Document" && r.EndedAt.IsZero() && r.FrameID == string(a.mainID()) {
			return true
		}
	}
	return false
}

func (a *action) mainID() string {
	p := a.pane
	for p.parent != nil {
		p = p.parent
	}
	return string(p.frame.ID)
}

// asked tells that the page sent a request for data or for a document since the input, which explains late changes.
func (a *action) asked() bool {
	for _, r := range a.tab.Network().Requests(a.began) {
		if r.Type == "Fetch" || r.Type == "XHR" || r.Type == "Document" {
			return true
		}
	}
	return false
}

// fetching tells that a request which the page sent since the input is not answered.
func (a *action) fetching() bool {
	for _, r := range a.tab.Network().Requests(a.began) {
		if r.EndedAt.IsZero() && (r.Type == "Fetch" || r.Type == "XHR") {
			return true
		}
	}
	return false
}

// report turns what was seen into the answer.
func (a *action) report(ctx context.Context, out ActOut, s seen) (ActOut, error) {
	navigated := a.navigated()
	d := &Delta{
		Focus: s.Focus, Mutations: s.Mutations, Added: s.Added, Removed: s.Removed, Fields: s.Fields, Changes: s.Changes,
		Scrolled: s.Scrolled, Dialogs: a.tab.Dialogs(a.began), Requests: len(a.tab.Network().Requests(a.began)), Received: s.Events.Click > 0,
	}
	if a.aimed.Moved != nil && *a.aimed.Moved != (Point{}) {
		d.Scrolled = a.aimed.Moved
	}
	out.Delta, out.URL = d, a.tab.URL()
	title := s.Title
	if navigated && !a.closed() {
		var now struct {
			URL   string `json:"url"`
			Title string `json:"title"`
		}
		main, err := a.tab.MainFrame(ctx)
		if err != nil {
			return ActOut{}, err
		}
		if err := a.run(ctx, main, "arrived", args{"ms": readyWindow.Milliseconds()}, &now); err != nil {
			return ActOut{}, err
		}
		title, out.URL = now.Title, now.URL
	} else if s.URL != "" {
		out.URL = s.URL
	}
	d.URL = change(a.before.url, out.URL)
	if navigated || !s.Gone {
		d.Title = change(a.before.title, title)
	}
	d.NewTabs = a.opened.by(ctx, a.tab, a.aimed.OpensTab && a.in.Action == "click")
	sealedChanged, sealedKnown := false, false
	if a.sealed != nil {
		sealedChanged, sealedKnown = a.sealed.changed(ctx)
	}
	out.Typing = a.typing(s, sealedChanged, sealedKnown)
	out.Verdict = a.verdict(s, out, navigated)
	if err := a.typedNothing(s, out, sealedKnown); err != nil && !navigated {
		return ActOut{}, err
	}
	if out.Verdict != NoEffect {
		if a.tab.Revision() == a.before.revision {
			a.tab.Bump()
		}
		d.Revision = &RevisionChange{a.before.revision, a.tab.Revision()}
	}
	out.Warning = join(out.Warning, a.warning(s, out))
	return out, nil
}

// verdict claims only what was observed.
func (a *action) verdict(s seen, out ActOut, navigated bool) Verdict {
	d := out.Delta
	switch {
	case navigated:
		return Navigated
	case s.Changed, s.Gone, d.URL != nil, len(d.NewTabs) > 0, len(d.Dialogs) > 0, a.closed():
		return Effect
	case out.Typing != nil && out.Typing.Landed:
		return Effect
	case a.in.Action == "scroll_into_view" && d.Scrolled != nil:
		return Effect
	case (a.in.Action == "focus" || a.in.Action == "press") && s.Focus != "":
		return Effect
	default:
		return NoEffect
	}
}

// typing is the evidence of a type action.
func (a *action) typing(s seen, sealedChanged, sealedKnown bool) *Typing {
	if s.Typing == nil {
		return nil
	}
	t := s.Typing
	if a.aimed.Sealed {
		return &Typing{
			Landed: sealedChanged || !sealedKnown && t.Inputs > 0, Verified: sealedKnown, Keydowns: t.Keydowns, Inputs: t.Inputs,
		}
	}
	out := &Typing{
		Landed: t.Landed, Verified: true, Keydowns: t.Keydowns, Inputs: t.Inputs, CharsBefore: t.CharsBefore, CharsAfter: t.CharsAfter,
		Value: t.Value, Exact: &t.Exact,
	}
	if a.in.Secret {
		out.Value = nil
	}
	return out
}

// typedNothing is the failure of a type action whose text is nowhere to be seen.
func (a *action) typedNothing(s seen, out ActOut, sealedKnown bool) error {
	t := out.Typing
	if t == nil || t.Landed || a.in.Text == "" && !a.in.ClearFirst || a.aimed.Sealed && !sealedKnown {
		return nil
	}
	hint := "The keys did not reach the page: aim again, something may be in the way."
	if t.Keydowns > 0 {
		hint = "The page got the keys and did not keep them. Do not repeat it; the control may take no such text, or ask the person."
	}
	evidence := map[string]any{"keydowns": t.Keydowns, "typing": t}
	if t.CharsBefore != nil {
		evidence["chars_before"], evidence["chars_after"] = *t.CharsBefore, *t.CharsAfter
	}
	return &verb.Error{Code: verb.TypeNoEffect, Message: "The field does not hold what was typed: its value did not change.", Hint: hint, Evidence: evidence}
}

// warning says what the verdict does not.
func (a *action) warning(s seen, out ActOut) string {
	var w string
	if a.aimed.Sealed {
		if out.Typing != nil && !out.Typing.Verified {
			w = "The field may be in a closed shadow root and its value was not compared; inputs counts the input events that the page got."
		} else if out.Verdict == NoEffect {
			w = "The target may be in a closed shadow root, whose inside cannot be observed from the page: what it did there is not known."
		}
	}
	t := s.Typing
	switch {
	case t == nil || a.aimed.Sealed || out.Typing == nil:
	case t.Uncleared:
		w = join(w, "The field did not become empty when it was cleared.")
	case !t.Exact && out.Typing.Landed:
		w = join(w, "The field does not hold exactly what was typed; see value and chars_after.")
	}
	if out.Verdict == NoEffect && a.fetching() {
		w = join(w, "A request that the page sent is not answered yet: wait_for what it should bring.")
	}
	if !a.navigated() && a.navigating() {
		w = join(w, "A navigation has begun and brought no document in "+strconv.Itoa(int(commitWindow.Seconds()))+" s: wait_for its url.")
	}
	if len(out.Delta.NewTabs) > 0 {
		w = join(w, "A new tab opened; name it in tab, or make it active with tabs.")
	}
	return w
}

func change(from, to string) *Change {
	if from == to {
		return nil
	}
	return &Change{from, to}
}

// join puts two sentences together.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}
