package page

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"kuang/backend/browser"
	"kuang/backend/shadowwalk"
	"kuang/backend/verb"
)

// defaultFound is how many matches find answers when the caller does not say.
const defaultFound = 20

// FindIn says what to look for. All that is given must hold.
type FindIn struct {
	Role     string `json:"role,omitempty" jsonschema:"ARIA role, such as button, link, textbox, checkbox, combobox, heading."`
	Name     string `json:"name,omitempty" jsonschema:"Accessible name: exact matches come first, then names that begin with it, then names that contain it. Case does not count."`
	Contains string `json:"contains,omitempty" jsonschema:"Text that the element says, at any place in it. Alone, it finds the smallest elements that say it."`
	Regex    string `json:"regex,omitempty" jsonschema:"JavaScript regular expression on the name or the text, such as Total: \\d+ or /total/i."`
	Tag      string `json:"tag,omitempty" jsonschema:"Tag name, such as input."`
	Selector string `json:"selector,omitempty" jsonschema:"CSS selector; it reaches through open shadow roots, and >>> leads into one explicitly."`
	Limit    int    `json:"limit,omitempty" min:"1" max:"200" jsonschema:"Most rows to answer. Default 20."`
	Sealed   bool   `json:"sealed,omitempty" jsonschema:"Also look inside closed shadow roots, by the accessibility tree: role, name, contains and regex hold there, on the name. Needs the person's leave (shadow.axSealed). Default false."`
}

// Match is an element that was found.
type Match struct {
	Mark int `json:"mark" jsonschema:"The element's number, for act(mark_id)."`
	Facts
	Tag        string       `json:"tag"`
	Rect       browser.Rect `json:"rect" jsonschema:"Its box in CSS pixels of the top viewport."`
	InViewport bool         `json:"in_viewport"`
	Frame      string       `json:"frame,omitempty" jsonschema:"Id of the child frame it lies in."`

	rank int
}

// FindOut is what was found, best first.
type FindOut struct {
	Marks          []Match              `json:"marks" jsonschema:"Matches, best first."`
	Sealed         []shadowwalk.Control `json:"sealed,omitempty" jsonschema:"Matches inside closed shadow roots: no mark, act on the middle of rect."`
	Total          int                  `json:"total" jsonschema:"How many matched, sealed ones aside."`
	SealedTotal    int                  `json:"sealed_total,omitempty" jsonschema:"How many sealed controls the page has, matching or not."`
	SealedCut      string               `json:"sealed_cut,omitempty" jsonschema:"What was left out of the sealed read."`
	Chars          int                  `json:"chars" jsonschema:"Characters of page text in this reply."`
	Truncated      bool                 `json:"truncated" jsonschema:"More matched than limit."`
	FramesUnplaced int                  `json:"frames_unplaced,omitempty" jsonschema:"Child frames that were not searched."`
	Hint           string               `json:"hint,omitempty"`
}

func (v *verbs) find() verb.Definition {
	return verb.Define(verb.Definition{
		Name: "find", Title: "Find elements", Domain: "inspect.find",
		Summary: "Find elements by role, name, text or selector, with marks to act on.",
		Description: "Use it when you know what you look for; each match has a mark for act(mark_id). Role and name are the " +
			"steadiest. With sealed:true it also answers the controls inside closed shadow roots, in sealed and without marks: " +
			"act on the middle of their rect with x and y, at once, since they are measured only now.",
		Effect: verb.Read, Target: verb.OwnTab, Untrusted: true, Levers: []string{deepOpen, shadowwalk.Lever},
	}, func(ctx context.Context, call *verb.Call, in FindIn) (FindOut, error) {
		if err := in.check(call); err != nil {
			return FindOut{}, err
		}
		h := v.hand(call)
		panes, unplaced, err := h.panes(ctx)
		if err != nil {
			return FindOut{}, err
		}
		out := FindOut{Marks: []Match{}, FramesUnplaced: unplaced}
		for _, p := range panes {
			if err := h.findIn(ctx, p, in, &out); err != nil {
				if p.parent == nil || ctx.Err() != nil || isRefusal(err) {
					return FindOut{}, err
				}
				out.FramesUnplaced++
			}
		}
		slices.SortStableFunc(out.Marks, func(a, b Match) int { return cmp.Compare(a.rank, b.rank) })
		out.Marks = out.Marks[:min(len(out.Marks), in.limit())]
		if in.Sealed {
			if err := v.findSealed(ctx, call, in, &out); err != nil {
				return FindOut{}, err
			}
		}
		out.finish(in)
		return out, nil
	})
}

func (in FindIn) limit() int { return cmp.Or(in.Limit, defaultFound) }

// check refuses a search for nothing and an ask that the person has not allowed, before anything is read.
func (in FindIn) check(call *verb.Call) error {
	nothing := FindIn{Limit: in.Limit, Sealed: in.Sealed}
	if in == nothing && !in.Sealed {
		return &verb.Error{
			Code: verb.BadRequest, Message: "find was not told what to look for.",
			Hint: "Give at least one of role, name, contains, regex, tag or selector; observe lists everything.",
		}
	}
	if strings.Contains(in.Selector, ">>>") {
		if err := call.Require(deepOpen); err != nil {
			return err
		}
	}
	if in.Sealed {
		return call.Require(shadowwalk.Lever)
	}
	return nil
}

func (h *hand) findIn(ctx context.Context, p *pane, in FindIn, out *FindOut) error {
	ask := args{"limit": in.limit()}
	for key, value := range map[string]string{
		"role": in.Role, "name": in.Name, "contains": in.Contains, "regex": in.Regex, "tag": in.Tag, "selector": in.Selector,
	} {
		if value != "" {
			ask[key] = value
		}
	}
	if len(ask) == 1 {
		return nil // Only sealed controls are asked for.
	}
	if p.view != nil {
		ask["view"] = p.view
	}
	var got struct {
		Rows []struct {
			Match
			Rank int `json:"rank"`
		} `json:"rows"`
		Total int `json:"total"`
	}
	if err := h.mark(ctx, p.frame, "find", ask, &got); err != nil {
		return err
	}
	for _, row := range got.Rows {
		m := row.Match
		m.rank, m.Frame, m.Rect = row.Rank, p.id(), p.rect(m.Rect)
		out.Marks = append(out.Marks, m)
	}
	out.Total += got.Total
	return nil
}

// findSealed adds what matches inside closed roots.
func (v *verbs) findSealed(ctx context.Context, call *verb.Call, in FindIn, out *FindOut) error {
	query := shadowwalk.Query{Role: in.Role, Contains: cmp.Or(in.Name, in.Contains), Limit: min(in.limit(), 40)}
	if in.Regex != "" {
		var err error
		if query.Regex, err = goRegexp(in.Regex); err != nil {
			return &verb.Error{
				Code: verb.BadRequest, Message: "The regex " + quoted(in.Regex) + " cannot be used on sealed controls: " + err.Error() + ".",
				Hint: "Leave out lookaround and back references, or ask by role and name.",
			}
		}
	}
	if in.Tag != "" || in.Selector != "" {
		out.SealedCut = "tag and selector say nothing about what is in a closed root, so none was read"
		return nil
	}
	found, err := v.readSealed(ctx, call, query)
	if err != nil {
		return err
	}
	for _, c := range found.Controls {
		if in.Name == "" || in.Contains == "" || strings.Contains(strings.ToLower(c.Name), strings.ToLower(in.Contains)) {
			out.Sealed = append(out.Sealed, c)
		}
	}
	slices.SortStableFunc(out.Sealed, func(a, b shadowwalk.Control) int {
		return cmp.Compare(rank(a.Name, in.Name), rank(b.Name, in.Name))
	})
	out.SealedTotal = found.Sealed
	var left []string
	if found.Capped {
		left = append(left, "a document has more than 200 sealed controls, whose rest was not looked at")
	}
	if found.Unmeasured > 0 {
		left = append(left, "more matched than the limit")
	}
	if found.UnreadFrames > 0 {
		left = append(left, "frames of other sites were not read")
	}
	out.SealedCut = strings.Join(left, "; ")
	return nil
}

// rank orders sealed matches as the page script orders the others.
func rank(name, wanted string) int {
	name, wanted = strings.ToLower(name), strings.ToLower(strings.Join(strings.Fields(wanted), " "))
	switch {
	case name == wanted:
		return 0
	case strings.HasPrefix(name, wanted):
		return 1
	default:
		return 2
	}
}

// readSealed reads once more when the page navigated under the read.
func (v *verbs) readSealed(ctx context.Context, call *verb.Call, q shadowwalk.Query) (shadowwalk.Result, error) {
	found, err := v.Walker.Find(ctx, call.Tab, q)
	if errors.Is(err, shadowwalk.ErrNavigated) {
		found, err = v.Walker.Find(ctx, call.Tab, q)
	}
	if errors.Is(err, shadowwalk.ErrNavigated) {
		return found, &verb.Error{
			Code: verb.StaleRef, Message: "The page keeps navigating while its sealed controls are read.",
			Hint: "Wait for it to settle with wait_for, then repeat the call.", Cause: err,
		}
	}
	return found, err
}

// goRegexp takes JavaScript's /source/flags or a bare source to Go.
func goRegexp(s string) (*regexp.Regexp, error) {
	if end := strings.LastIndexByte(s, '/'); strings.HasPrefix(s, "/") && end > 0 {
		var flags string
		for _, f := range s[end+1:] {
			if strings.ContainsRune("ims", f) {
				flags += string(f)
			}
		}
		s = s[1:end]
		if flags != "" {
			s = "(?" + flags + ")" + s
		}
	}
	return regexp.Compile(s)
}

func (o *FindOut) finish(in FindIn) {
	for _, m := range o.Marks {
		o.Chars += utf8.RuneCountInString(m.Name)
		if m.Value != nil {
			o.Chars += utf8.RuneCountInString(*m.Value)
		}
	}
	for _, c := range o.Sealed {
		o.Chars += utf8.RuneCountInString(c.Name)
	}
	o.Truncated = o.Total > len(o.Marks)
	switch {
	case o.Truncated:
		o.Hint = "More matched: raise limit, or ask for more."
	case len(o.Marks) == 0 && len(o.Sealed) == 0 && !in.Sealed:
		o.Hint = "Nothing matched. observe shows what is there; sealed:true also looks inside closed shadow roots."
	case len(o.Marks) == 0 && len(o.Sealed) == 0:
		o.Hint = "Nothing matched. observe shows what is there."
	}
}
