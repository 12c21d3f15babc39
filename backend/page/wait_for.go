package page

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"kuang/backend/verb"
)

const (
	// defaultWait is how long wait_for waits when the caller does not say.
	defaultWait = 10 * time.Second
	// defaultPoll is the pause between two looks: short beside what a person notices, long beside what a look costs.
	defaultPoll = 100 * time.Millisecond
	// waitSlice bounds one stretch of the loop in the page, so that a call whose page hangs still ends in time.
	waitSlice = 20 * time.Second
	// lastLook is how long after the time is up the page may take over its last look.
	lastLook = time.Second
)

// Condition is one thing to wait for.
type Condition struct {
	Type     string `json:"type" enum:"selector,gone,text,url" jsonschema:"selector: an element shows. gone: no element shows any more. text: the page says something. url: the address is one."`
	Selector string `json:"selector,omitempty" jsonschema:"For selector and gone: CSS, through open shadow roots and same-origin frames."`
	Visible  *bool  `json:"visible,omitempty" jsonschema:"For selector: false accepts an element that is there but not painted. Default true."`
	Text     string `json:"text,omitempty" jsonschema:"For text: words that must be painted on the page; case does not count."`
	Regex    string `json:"regex,omitempty" jsonschema:"For text and url: JavaScript regular expression, such as Total: \\d+ or /total/i."`
	Pattern  string `json:"pattern,omitempty" jsonschema:"For url: a part of the address, or a regular expression on it."`
}

// WaitForIn is what to wait for.
type WaitForIn struct {
	Conditions []Condition `json:"conditions" jsonschema:"What to wait for; at least one."`
	Require    string      `json:"require,omitempty" enum:"any,all" jsonschema:"Whether one condition is enough. Default any."`
	TimeoutMS  int         `json:"timeout_ms,omitempty" min:"1" max:"120000" jsonschema:"Longest wait in milliseconds. Default 10000."`
	PollMS     int         `json:"poll_ms,omitempty" min:"20" max:"10000" jsonschema:"Pause between two looks in milliseconds. Default 100."`
}

// Seen is what was last seen of a condition.
type Seen struct {
	Type    string `json:"type"`
	Met     bool   `json:"met"`
	Count   *int   `json:"count,omitempty" jsonschema:"Elements that match."`
	Visible *int   `json:"visible,omitempty" jsonschema:"Of these, painted ones."`
	// PageChars is how much text the page had.
	PageChars *int   `json:"page_chars,omitempty" jsonschema:"Characters of text on the page."`
	Seen      string `json:"seen,omitempty" jsonschema:"The element, the words around the match, or the address."`
}

// WaitForOut says how the wait ended.
type WaitForOut struct {
	WaitedMS int64  `json:"waited_ms"`
	Attempts int    `json:"attempts" jsonschema:"How often the page was looked at."`
	Results  []Seen `json:"results" jsonschema:"What was last seen, a row a condition in your order."`
	URL      string `json:"url"`
	Chars    int    `json:"chars" jsonschema:"Characters of page text in this reply."`
}

func (v *verbs) waitFor() verb.Definition {
	return verb.Define(verb.Definition{
		Name: "wait_for", Title: "Wait for the page", Domain: "page.wait_for",
		Summary: "Wait until the page shows, says or is what you need.",
		Description: "Use it in place of sleeping, after an action whose effect takes time. It answers as soon as the " +
			"conditions hold and also across navigations; when they do not in time it fails with TIMEOUT and what was last " +
			"seen of each. Loading placeholders can satisfy a selector early: wait for the text you need instead.",
		Effect: verb.Read, Target: verb.OwnTab, Untrusted: true, Levers: []string{deepOpen},
	}, func(ctx context.Context, call *verb.Call, in WaitForIn) (WaitForOut, error) {
		if err := in.check(call); err != nil {
			return WaitForOut{}, err
		}
		h := v.hand(call)
		began := time.Now()
		timeout := cmp.Or(time.Duration(in.TimeoutMS)*time.Millisecond, defaultWait)
		out, ok, err := h.wait(ctx, in, began.Add(timeout))
		if err != nil {
			return WaitForOut{}, err
		}
		out.WaitedMS = time.Since(began).Milliseconds()
		for _, r := range out.Results {
			out.Chars += utf8.RuneCountInString(r.Seen)
		}
		if !ok {
			message, hint := "The conditions did not hold within %d ms.",
				"results says what was last seen. Observe the page, loosen the conditions, or give more timeout_ms."
			if len(out.Results) == 0 {
				message, hint = "The page did not answer within %d ms: it is busy, or it keeps loading again.",
					"Give more timeout_ms. When it stays so, close the tab and open the page in a new one."
			}
			return WaitForOut{}, &verb.Error{
				Code: verb.Timeout, Message: fmt.Sprintf(message, timeout.Milliseconds()), Hint: hint,
				Evidence: map[string]any{
					"waited_ms": out.WaitedMS, "attempts": out.Attempts, "results": out.Results, "url": out.URL, "chars": out.Chars,
				},
			}
		}
		return out, nil
	})
}

// wait runs the loop in the page, again in the next document when the page navigates. A page that does not answer, or
// navigates without end, is given up soon after until, with the results that were seen before.
func (h *hand) wait(ctx context.Context, in WaitForIn, until time.Time) (out WaitForOut, ok bool, err error) {
	caller := ctx
	ctx, cancel := context.WithDeadline(ctx, until.Add(lastLook))
	defer cancel()
	late := func() bool { return caller.Err() == nil && ctx.Err() != nil }
	for {
		frame, err := h.tab.MainFrame(ctx)
		switch {
		case late():
			return out, false, nil
		case err != nil:
			return out, false, err
		}
		slice := until
		if next := time.Now().Add(waitSlice); next.Before(until) {
			slice = next
		}
		var got struct {
			OK       bool   `json:"ok"`
			Attempts int    `json:"attempts"`
			Results  []Seen `json:"results"`
			URL      string `json:"url"`
		}
		err = h.run(ctx, frame, "wait", args{
			"conditions": in.Conditions, "all": in.Require == "all", "until": slice.UnixMilli(),
			"poll": cmp.Or(in.PollMS, int(defaultPoll.Milliseconds())),
		}, &got)
		switch {
		case err == nil:
			out.Attempts += got.Attempts
			out.Results, out.URL = got.Results, got.URL
			if got.OK || !time.Now().Before(until) {
				return out, got.OK, nil
			}
		case late():
			return out, false, nil
		case ctx.Err() != nil || isRefusal(err) || frame.LoaderID == h.tab.LoaderID():
			return out, false, err
		}
		// Another document came: go on there.
	}
}

// check refuses conditions that lack what their type needs, or have what it does not take.
func (in WaitForIn) check(call *verb.Call) error {
	if len(in.Conditions) == 0 {
		return &verb.Error{Code: verb.BadRequest, Message: "conditions is empty.", Hint: `Give at least one, such as {"type":"text","text":"Results"}.`}
	}
	for i, c := range in.Conditions {
		if strings.Contains(c.Selector, ">>>") {
			if err := call.Require(deepOpen); err != nil {
				return err
			}
		}
		given := map[string]bool{
			"selector": c.Selector != "", "visible": c.Visible != nil, "text": c.Text != "", "regex": c.Regex != "", "pattern": c.Pattern != "",
		}
		want := conditionFields[c.Type]
		has := false
		for _, name := range want.one {
			has = has || given[name]
			delete(given, name)
		}
		delete(given, want.also)
		for name, extra := range given {
			if extra {
				return badCondition(i, c.Type, "does not take "+name)
			}
		}
		if !has {
			return badCondition(i, c.Type, "needs "+strings.Join(want.one, " or "))
		}
	}
	return nil
}

// conditionFields lists, by type, the fields of which one is needed and the one that may go with it.
var conditionFields = map[string]struct {
	one  []string
	also string
}{
	"selector": {one: []string{"selector"}, also: "visible"},
	"gone":     {one: []string{"selector"}},
	"text":     {one: []string{"text", "regex"}},
	"url":      {one: []string{"pattern", "regex"}},
}

func badCondition(i int, kind, what string) error {
	return &verb.Error{
		Code: verb.BadRequest, Message: fmt.Sprintf("Condition %d of type %s %s.", i+1, kind, what),
		Hint:     `Such as {"type":"selector","selector":".card"}, {"type":"gone","selector":".spinner"}, {"type":"text","text":"Results"} or {"type":"url","pattern":"/cart"}.`,
		Evidence: map[string]any{"condition": i},
	}
}
