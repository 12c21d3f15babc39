package page

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"kuang/backend/browser"
	"kuang/backend/ledger"
	"kuang/backend/verb"
)

// ActIn is one action on one target.
type ActIn struct {
	Action     string   `json:"action" enum:"click,double_click,hover,type,press,focus,scroll_into_view" jsonschema:"What to do. press sends a key to the target, or to what has the focus when no target is named."`
	MarkID     int      `json:"mark_id,omitempty" min:"1" jsonschema:"Target by its mark, as observe and find give it."`
	Selector   string   `json:"selector,omitempty" jsonschema:"Target by CSS selector, through open shadow roots; the first match that shows is meant."`
	X          *float64 `json:"x,omitempty" min:"0" jsonschema:"Target by its place, with y: CSS pixels of the viewport. The only way into closed shadow roots."`
	Y          *float64 `json:"y,omitempty" min:"0" jsonschema:"See x."`
	Text       string   `json:"text,omitempty" jsonschema:"For type: what to type, after what the field already holds. A line break is Enter."`
	Secret     bool     `json:"secret,omitempty" jsonschema:"For type: text is a secret; it is blacked out of this answer, the run log and the ledger, and the field's value is not told. Default false."`
	ClearFirst bool     `json:"clear_first,omitempty" jsonschema:"For type: remove what the field holds first, by trusted keys. Default false."`
	Key        string   `json:"key,omitempty" jsonschema:"For press: a key such as Enter, Tab, Escape, ArrowDown, a, or a chord such as Control+A."`
	Modifiers  []string `json:"modifiers,omitempty" enum:"Alt,Control,Meta,Shift" jsonschema:"Keys held meanwhile, for click, double_click and press."`
	DryRun     bool     `json:"dry_run,omitempty" jsonschema:"Only resolve the target and say what would refuse it; nothing is sent. Default false."`
	TimeoutMS  int      `json:"timeout_ms,omitempty" min:"0" max:"30000" jsonschema:"How long to wait for a target that is not ready: hidden, disabled or covered. Default 0, refuse at once."`
}

// Secrets are the strings that nothing may store or answer.
func (in ActIn) Secrets() []string {
	if in.Secret && in.Text != "" {
		return []string{in.Text}
	}
	return nil
}

// Verdict is what was observed of an action's effect.
type Verdict string

// The verdicts.
const (
	Effect    Verdict = "effect"
	Navigated Verdict = "navigated"
	NoEffect  Verdict = "no_effect"
)

// Target is what an action was done to.
type Target struct {
	Mark int `json:"mark,omitempty"`
	Facts
	Tag    string        `json:"tag"`
	Rect   *browser.Rect `json:"rect,omitempty" jsonschema:"Its box just before, in CSS pixels of the top viewport."`
	Point  *Point        `json:"point,omitempty" jsonschema:"Where the pointer went."`
	Frame  string        `json:"frame,omitempty" jsonschema:"Id of the child frame it lies in."`
	Sealed bool          `json:"sealed,omitempty" jsonschema:"The point may lie in a closed shadow root, whose inside is not seen."`
	Field  *Field        `json:"field,omitempty" jsonschema:"The field that the keys went to."`
}

// Point is a place in the top viewport, in CSS pixels.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Field is where typing went.
type Field struct {
	Tag string `json:"tag" jsonschema:"Its tag; one with a hyphen is a host whose field is not seen."`
}

// Change is a value before and after.
type Change struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Delta is what was seen to change from just before the input until the page was quiet.
type Delta struct {
	URL       *Change          `json:"url,omitempty"`
	Title     *Change          `json:"title,omitempty"`
	Revision  *RevisionChange  `json:"revision,omitempty"`
	Focus     string           `json:"focus,omitempty" jsonschema:"What has the focus now, when that changed."`
	Mutations int              `json:"mutations" jsonschema:"Changes to the document, without what was already moving by itself."`
	Added     int              `json:"added,omitempty" jsonschema:"Nodes that were added."`
	Removed   int              `json:"removed,omitempty" jsonschema:"Nodes that were removed."`
	Fields    int              `json:"fields,omitempty" jsonschema:"Form fields whose value or tick changed."`
	Changes   []string         `json:"changes,omitempty" jsonschema:"The first changes, in words."`
	Scrolled  *Point           `json:"scrolled,omitempty" jsonschema:"How far the page scrolled, in CSS pixels."`
	NewTabs   []NewTab         `json:"new_tabs,omitempty" jsonschema:"Tabs that the action opened; they are yours."`
	Dialogs   []browser.Dialog `json:"dialogs,omitempty" jsonschema:"Dialogs that opened and were answered at once."`
	Requests  int              `json:"requests,omitempty" jsonschema:"Requests that the page sent meanwhile."`
	Received  bool             `json:"received,omitempty" jsonschema:"The page got the click as a trusted event."`
}

// RevisionChange is the tab's revision before and after.
type RevisionChange struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// NewTab is a tab that an action opened.
type NewTab struct {
	ID  string `json:"id"`
	URL string `json:"url"`
}

// Typing is the evidence of what was typed.
type Typing struct {
	Landed      bool    `json:"landed" jsonschema:"The field changed."`
	Verified    bool    `json:"verified" jsonschema:"The value was compared before and after. False inside a closed shadow root that may not be looked into."`
	Keydowns    int     `json:"keydowns" jsonschema:"Key presses that the page got."`
	Inputs      int     `json:"inputs" jsonschema:"Input events that the page got."`
	CharsBefore *int    `json:"chars_before,omitempty"`
	CharsAfter  *int    `json:"chars_after,omitempty"`
	Value       *string `json:"value,omitempty" jsonschema:"What the field holds now; not of passwords and secrets."`
	Exact       *bool   `json:"exact,omitempty" jsonschema:"The field holds exactly what it should after the typing."`
}

// ActOut is what was done and what came of it.
type ActOut struct {
	Action  string   `json:"action"`
	Verdict Verdict  `json:"verdict,omitempty" jsonschema:"effect: something changed, see delta. navigated: another document came. no_effect: nothing changed that can be seen. Absent in a dry run."`
	Target  *Target  `json:"target,omitempty"`
	Delta   *Delta   `json:"delta,omitempty"`
	Typing  *Typing  `json:"typing,omitempty"`
	Matched int      `json:"matched,omitempty" jsonschema:"How many elements the selector matches, when more than one."`
	DryRun  bool     `json:"dry_run,omitempty"`
	Refused *Refused `json:"refused,omitempty" jsonschema:"In a dry run: what would refuse the action."`
	Warning string   `json:"warning,omitempty"`
	URL     string   `json:"url" jsonschema:"Address of the page afterwards."`
	Chars   int      `json:"chars" jsonschema:"Characters of page text in this reply."`

	site string // where it was done
}

// Refused is what stands in the way of an action.
type Refused struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (v *verbs) act() verb.Definition {
	return verb.Define(verb.Definition{
		Name: "act", Title: "Act on an element", Domain: "interact.act",
		Summary: "Click, type, press or hover by trusted input, with evidence of what came of it.",
		Description: "Name the target by mark_id, by selector or by x and y. The target is measured again at every use, brought " +
			"into view, and refused before anything is sent when it is disabled, read-only, hidden or covered. verdict says only " +
			"what was observed, and delta shows it: no_effect means that nothing changed, so do not simply repeat. type appends; " +
			"clear_first replaces. What it typed is read back in typing. Controls in closed shadow roots are reached by x and y.",
		Effect: verb.Act, Target: verb.OwnTab, Untrusted: true, Levers: []string{deepOpen},
		Sentence: func(in, out any) string {
			i, _ := in.(ActIn)
			o, ok := out.(ActOut)
			if !ok || o.DryRun {
				return ""
			}
			return o.sentence(i)
		},
		Undo: func(in, out any) string {
			if o, ok := out.(ActOut); ok && o.Verdict == Navigated {
				return "back"
			}
			return ""
		},
	}, func(ctx context.Context, call *verb.Call, in ActIn) (ActOut, error) {
		if err := in.check(call); err != nil {
			return ActOut{}, err
		}
		a := &action{hand: v.hand(call), v: v, in: in}
		if !in.DryRun {
			defer v.acted.now()
		}
		out, err := a.do(ctx)
		if err != nil {
			return ActOut{}, err
		}
		out.Chars = out.countChars()
		return out, nil
	})
}

// check refuses inputs that do not say one thing clearly.
func (in ActIn) check(call *verb.Call) error {
	named := 0
	for _, given := range []bool{in.MarkID != 0, in.Selector != "", in.X != nil || in.Y != nil} {
		if given {
			named++
		}
	}
	switch {
	case named > 1 || (in.X == nil) != (in.Y == nil):
		return badAct("Name the target in one way: mark_id, or selector, or x with y.", "Leave the others out.")
	case named == 0 && in.Action != "press":
		return badAct(in.Action+" needs a target: mark_id, or selector, or x with y.", "observe and find give mark ids.")
	case in.X != nil && (in.Action == "press" || in.Action == "focus" || in.Action == "scroll_into_view"):
		return badAct(in.Action+" does not take x and y.", "Click there first, then press without a target.")
	case in.Action == "press" && in.Key == "":
		return badAct("press needs key.", "Such as Enter, Tab, ArrowDown or Control+A.")
	case in.Action != "press" && in.Key != "":
		return badAct(in.Action+" does not take key.", "Use action press.")
	case in.Action == "type" && in.Text == "" && !in.ClearFirst:
		return badAct("type needs text.", "To empty a field, give clear_first:true.")
	case in.Action != "type" && (in.Text != "" || in.ClearFirst || in.Secret):
		return badAct(in.Action+" does not take text, clear_first or secret.", "Use action type.")
	case len(in.Modifiers) > 0 && in.Action != "click" && in.Action != "double_click" && in.Action != "press":
		return badAct(in.Action+" does not take modifiers.", "Leave them out.")
	}
	if strings.Contains(in.Selector, ">>>") {
		return call.Require(deepOpen)
	}
	return nil
}

func badAct(message, hint string) error {
	return &verb.Error{Code: verb.BadRequest, Message: message, Hint: hint}
}

// sentence is the ledger's line. A secret is never in it, and neither is the text of any other field.
func (o ActOut) sentence(in ActIn) string {
	what := "the page"
	if o.Target != nil {
		switch {
		case o.Target.Sealed:
			what = "a control in a closed shadow root"
		case o.Target.Name != "":
			what = ledger.Quote(o.Target.Name)
		case o.Target.Role != "":
			what = "a " + o.Target.Role
		default:
			what = "<" + o.Target.Tag + ">"
		}
	}
	at := " on " + o.site
	switch in.Action {
	case "type":
		switch {
		case in.Text == "":
			return "Emptied " + what + at
		case in.Secret:
			return "Typed a secret into " + what + at
		default:
			return "Typed " + count1(utf8.RuneCountInString(in.Text)) + " into " + what + at
		}
	case "press":
		if o.Target == nil {
			return "Pressed " + ledger.Quote(chord(in)) + at
		}
		return "Pressed " + ledger.Quote(chord(in)) + " in " + what + at
	case "double_click":
		return "Double-clicked " + what + at
	case "hover":
		return "Pointed at " + what + at
	case "focus":
		return "Focused " + what + at
	case "scroll_into_view":
		return "Scrolled to " + what + at
	default:
		return "Clicked " + what + at
	}
}

func chord(in ActIn) string {
	return strings.Join(append(append([]string{}, in.Modifiers...), in.Key), "+")
}

func count1(n int) string {
	if n == 1 {
		return "1 character"
	}
	return strconv.Itoa(n) + " characters"
}

func (o ActOut) countChars() int {
	n := 0
	if o.Target != nil {
		n += utf8.RuneCountInString(o.Target.Name)
		if o.Target.Value != nil {
			n += utf8.RuneCountInString(*o.Target.Value)
		}
	}
	if o.Typing != nil && o.Typing.Value != nil {
		n += utf8.RuneCountInString(*o.Typing.Value)
	}
	if o.Delta != nil {
		n += utf8.RuneCountInString(o.Delta.Focus)
		for _, c := range o.Delta.Changes {
			n += utf8.RuneCountInString(c)
		}
	}
	return n
}
