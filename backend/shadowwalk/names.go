package shadowwalk

import (
	"context"
	"slices"
	"strings"

	proto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"

	"kuang/backend/cdp"
)

// maxSlotted is how many slotted elements are looked into for one name before it is withheld.
const maxSlotted = 8

// name is a control's name, freed of what fields hold.
type name struct {
	text     string
	withheld bool
}

// cleanNames returns the names of the controls. A name is put together by rules that copy the value of a field which
// stands inside a label, a button or a link into it ("Remind me in 20 minutes"); such a name is withheld whole, since
// the accessibility tree does not say which of its words were typed.
func (s *scan) cleanNames(ctx context.Context, controls []control) ([]name, error) {
	names := make([]name, len(controls))
	err := each(ctx, len(controls), func(ctx context.Context, i int) error {
		holds, err := s.nameHolds(ctx, controls[i].ax)
		if err != nil {
			return err
		}
		names[i] = name{text: controls[i].ax.Name}
		if holds {
			names[i] = name{withheld: true}
		}
		return nil
	})
	return names, err
}

// nameHolds reports whether the name may hold what a field holds.
func (s *scan) nameHolds(ctx context.Context, n axNode) (bool, error) {
	switch {
	case n.Name == "":
		return false, nil
	case n.Echo, n.Unsourced, n.FromContent && n.Editable: // The content of what is being edited is its value.
		return true, nil
	}
	if n.FromContent {
		if holds, err := s.subtreeHolds(ctx, n.Backend, exceptRoot); holds || err != nil {
			return holds, err
		}
	}
	for _, id := range n.Related {
		except := func(d *shape, root bool) bool { return n.Native && d.Backend == n.Backend }
		if holds, err := s.subtreeHolds(ctx, id, except); holds || err != nil {
			return holds, err
		}
	}
	return false, nil
}

// exceptRoot leaves the node itself out: a file input is named by the word on its button.
func exceptRoot(_ *shape, root bool) bool { return root }

// describeNode answers with shapes.
var describeNode = proto.Command[dom.DescribeNodeParams, struct {
	Node shape `json:"node"`
}]{Method: dom.CommandDescribeNode}

// subtreeHolds reports whether a field is in the subtree as it is rendered: shadow roots and slotted nodes included.
// A node that is gone counts as one.
func (s *scan) subtreeHolds(ctx context.Context, id proto.BackendNodeID, except func(d *shape, root bool) bool) (bool, error) {
	queue, seen := []proto.BackendNodeID{id}, map[proto.BackendNodeID]bool{}
	for described := 0; len(queue) > 0; described++ {
		if described > maxSlotted {
			return true, nil
		}
		next := queue[0]
		queue = queue[1:]
		if seen[next] {
			continue
		}
		d, err := cdp.Call(ctx, s.session, describeNode, dom.DescribeNodeParams{
			BackendNodeID: next, Depth: new(int64(-1)), Pierce: new(true),
		})
		if refused(err) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if d.Node.holds(described == 0, except) {
			return true, nil
		}
		d.Node.visit(func(n *shape) { seen[n.Backend] = true })
		d.Node.visit(func(n *shape) {
			for _, slotted := range n.Slotted {
				if slotted.Type == elementNode && !seen[slotted.Backend] {
					queue = append(queue, slotted.Backend)
				}
			}
		})
	}
	return false, nil
}

// shape is a subtree of the document, as far as it tells which of its elements are fields.
type shape struct {
	Backend    proto.BackendNodeID `json:"backendNodeId"`
	Type       int                 `json:"nodeType"`
	Tag        string              `json:"localName"`
	Attributes fieldAttributes     `json:"attributes"`
	Children   []shape             `json:"children"`
	Roots      []shape             `json:"shadowRoots"`
	RootType   string              `json:"shadowRootType"`
	Slotted    []struct {
		Backend proto.BackendNodeID `json:"backendNodeId"`
		Type    int                 `json:"nodeType"`
	} `json:"distributedNodes"`
}

// fieldAttributes are the three attributes that make an element a field. The list of attributes also holds values;
// they end here.
type fieldAttributes struct {
	inputType, role string
	editable        bool
}

// UnmarshalJSON satisfies the json.Unmarshaler interface.
func (a *fieldAttributes) UnmarshalJSON(raw []byte) error {
	*a = fieldAttributes{}
	var pairs []string
	if err := jsonv2.Unmarshal(raw, &pairs, decoding); err != nil {
		return err
	}
	for pair := range slices.Chunk(pairs, 2) {
		if len(pair) < 2 {
			break
		}
		word := strings.ToLower(strings.TrimSpace(pair[1]))
		switch pair[0] {
		case "type":
			a.inputType = word
		case "role":
			a.role = word
		case "contenteditable":
			a.editable = word != "false"
		}
	}
	return nil
}

// fieldRoles are the roles whose value stands for them in the name of what is around them.
func fieldRoles() []string {
	return []string{"textbox", "searchbox", "combobox", "listbox", "spinbutton", "slider"}
}

// valueless are the types of input whose value is a label, or nothing that a person entered.
func valueless() []string {
	return []string{"button", "submit", "reset", "image", "checkbox", "radio", "hidden"}
}

// isField reports whether the element holds something a person entered or chose.
func (d *shape) isField() bool {
	switch {
	case d.Type != elementNode:
		return false
	case d.Tag == "input":
		return !slices.Contains(valueless(), d.Attributes.inputType)
	case d.Tag == "textarea", d.Tag == "select", d.Attributes.editable:
		return true
	}
	return slices.ContainsFunc(strings.Fields(d.Attributes.role), func(role string) bool {
		return slices.Contains(fieldRoles(), role)
	})
}

// holds reports whether a field is in the subtree, not looking at what except names, nor into the roots that Chromium
// builds its own controls from: a date input has three spin buttons in there.
func (d *shape) holds(root bool, except func(d *shape, root bool) bool) bool {
	if d.RootType == browserRoot {
		return false
	}
	if !except(d, root) && d.isField() {
		return true
	}
	in := func(list []shape) bool {
		return slices.ContainsFunc(list, func(c shape) bool { return c.holds(false, except) })
	}
	return in(d.Roots) || in(d.Children)
}

func (d *shape) visit(fn func(*shape)) {
	fn(d)
	for i := range d.Roots {
		d.Roots[i].visit(fn)
	}
	for i := range d.Children {
		d.Children[i].visit(fn)
	}
}
