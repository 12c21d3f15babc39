package shadowwalk

import (
	"slices"
	"strings"
	"unicode/utf8"

	proto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
)

// axNode is what is kept of a node of the accessibility tree. Decoding drops the node's value and every property that
// can say it in other words, such as valuetext; nothing but the name is free text.
type axNode struct {
	Backend proto.BackendNodeID
	Ignored bool
	// Role is Chromium's name for the role.
	Role string
	Name string
	// Echo says that the name was a text of the page's own (a label attribute, a placeholder) that repeats the value.
	Echo bool
	// FromContent says that the name was put together from the node's content, and Related lists the nodes it was
	// taken from when it came from elsewhere. Native is true when those are the HTML labels of the node. Unsourced
	// says that it came from elsewhere and Chromium did not tell where.
	FromContent bool
	Related     []proto.BackendNodeID
	Native      bool
	Unsourced   bool

	Disabled, Focused, Focusable, ReadOnly, Required bool
	// Editable is true inside anything that is edited as rich or plain text.
	Editable bool
	// The states are "true", "false", "mixed" or empty.
	Checked, Pressed, Expanded, Selected string
}

// minEcho is how many characters of a value a name must hold to count as repeating it; fewer occur by chance.
const minEcho = 4

// axText is an accessibility value of which only a string is taken.
type axText struct{ text string }

// UnmarshalJSON satisfies the json.Unmarshaler interface.
func (t *axText) UnmarshalJSON(raw []byte) error {
	var v struct {
		Value jsonv2.Value `json:"value"`
	}
	*t = axText{}
	if err := jsonv2.Unmarshal(raw, &v, decoding); err != nil {
		return err
	}
	t.text, _ = asString(v.Value)
	return nil
}

// axProperty is a state of a node. Only the properties that are states are looked into, and of those only the words
// that a state can be.
type axProperty struct {
	name, state string
}

// stateWords are what a state may be.
var stateWords = []string{"true", "false", "mixed"}

// UnmarshalJSON satisfies the json.Unmarshaler interface.
func (p *axProperty) UnmarshalJSON(raw []byte) error {
	var v struct {
		Name  string `json:"name"`
		Value struct {
			Value jsonv2.Value `json:"value"`
		} `json:"value"`
	}
	*p = axProperty{}
	if err := jsonv2.Unmarshal(raw, &v, decoding); err != nil {
		return err
	}
	switch v.Name {
	case "disabled", "focused", "focusable", "readonly", "required", "checked", "pressed", "expanded", "selected":
		word, ok := asString(v.Value.Value)
		if !ok {
			word = string(v.Value.Value) // true, false, or a number, which is no state
		}
		if slices.Contains(stateWords, word) {
			p.name, p.state = v.Name, word
		}
	case "editable":
		p.name, p.state = v.Name, "true"
	}
	return nil
}

// axNameSource is one way in which a name could have been found. Its text is not kept.
type axNameSource struct {
	Type       string       `json:"type"`
	Superseded bool         `json:"superseded"`
	Value      jsonv2.Value `json:"value"` // only its presence counts: a source that gave nothing has none
	Attribute  relatedNodes `json:"attributeValue"`
	Native     relatedNodes `json:"nativeSourceValue"`
}

type relatedNodes struct {
	Nodes []struct {
		Backend proto.BackendNodeID `json:"backendDOMNodeId"`
	} `json:"relatedNodes"`
}

// UnmarshalJSON satisfies the json.Unmarshaler interface. It is where values are dropped.
func (n *axNode) UnmarshalJSON(raw []byte) error {
	var v struct {
		Backend proto.BackendNodeID `json:"backendDOMNodeId"`
		Ignored bool                `json:"ignored"`
		Role    axText              `json:"role"`
		Name    struct {
			Value   jsonv2.Value   `json:"value"`
			Sources []axNameSource `json:"sources"`
		} `json:"name"`
		Value struct {
			Value jsonv2.Value `json:"value"`
		} `json:"value"`
		Properties []axProperty `json:"properties"`
	}
	*n = axNode{}
	if err := jsonv2.Unmarshal(raw, &v, decoding); err != nil {
		return err
	}
	n.Backend, n.Ignored, n.Role = v.Backend, v.Ignored, v.Role.text
	name, _ := asString(v.Name.Value)
	n.Name = strings.Join(strings.Fields(name), " ")
	authored := true // by the page, in an attribute
	for _, s := range v.Name.Sources {
		if s.Superseded || len(s.Value) == 0 {
			continue
		}
		switch s.Type {
		case "contents":
			n.FromContent, authored = true, false
		case "relatedElement":
			authored = false
			related := append(s.Attribute.Nodes, s.Native.Nodes...)
			n.Unsourced = n.Unsourced || len(related) == 0
			n.Native = len(s.Native.Nodes) > 0
			for _, r := range related {
				n.Related = append(n.Related, r.Backend)
			}
		}
	}
	for _, p := range v.Properties {
		n.state(p)
	}
	// A select's label may well be the word that its first option says; a choice is no secret of that kind.
	if authored && (n.Editable || n.Role != "combobox" && n.Role != "listbox") {
		held, ok := asString(v.Value.Value)
		if !ok {
			held = string(v.Value.Value) // a number
		}
		n.Echo = echoes(n.Name, held)
	}
	return nil
}

func (n *axNode) state(p axProperty) {
	is := p.state == "true"
	switch p.name {
	case "disabled":
		n.Disabled = is
	case "focused":
		n.Focused = is
	case "focusable":
		n.Focusable = is
	case "readonly":
		n.ReadOnly = is
	case "required":
		n.Required = is
	case "editable":
		n.Editable = is
	case "checked":
		n.Checked = p.state
	case "pressed":
		n.Pressed = p.state
	case "expanded":
		n.Expanded = p.state
	case "selected":
		n.Selected = p.state
	}
}

// echoes reports whether a name repeats what the field holds: all of it, or a part that is too long for chance.
func echoes(name, held string) bool {
	held = strings.Join(strings.Fields(held), " ")
	if held == "" {
		return false
	}
	if utf8.RuneCountInString(held) < minEcho {
		return name == held
	}
	return strings.Contains(name, held)
}

// asString takes a JSON string.
func asString(raw jsonv2.Value) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	if err := jsonv2.Unmarshal(raw, &s, decoding); err != nil {
		return "", false
	}
	return s, true
}
