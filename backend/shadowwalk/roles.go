package shadowwalk

// operation is what a person does with a control of a role, in the words of the act verb.
type operation []string

// operations maps the roles that a person operates to what is done with them, in ARIA's words. A read returns these
// roles only.
func operations() map[string]operation {
	press, enter, move := operation{"click"}, operation{"click", "type"}, operation{"click", "press"}
	return map[string]operation{
		"button": press, "link": press, "checkbox": press, "radio": press, "switch": press, "tab": press,
		"menuitem": press, "menuitemcheckbox": press, "menuitemradio": press, "option": press, "treeitem": press,
		"color": press, "textbox": enter, "searchbox": enter, "spinbutton": enter, "date": enter, "datetime": enter,
		"time": enter, "combobox": move, "listbox": move, "slider": move,
	}
}

// nativeOption is the element that is no control of its own: it is chosen through its select.
const nativeOption = "option"

// chromiumRoles are the names that Chromium gives to controls for which ARIA has another name or none.
func chromiumRoles() map[string]string {
	return map[string]string{
		"DisclosureTriangle": "button", "DisclosureTriangleGrouped": "button",
		"Date": "date", "DateTime": "datetime", "InputTime": "time", "ColorWell": "color",
	}
}

// roleBook answers what a node of the accessibility tree is to a person.
type roleBook struct {
	operations map[string]operation
	chromium   map[string]string
}

func newRoleBook() roleBook { return roleBook{operations(), chromiumRoles()} }

// role is the ARIA role of an operable node; it is not ok for any other.
func (b roleBook) role(n axNode) (string, bool) {
	if n.Ignored {
		return "", false
	}
	role := n.Role
	if known, ok := b.chromium[role]; ok {
		role = known
	}
	if role == "generic" && n.Editable && n.Focusable {
		role = "textbox" // the host of rich text, to which Chromium gives no role of its own
	}
	_, ok := b.operations[role]
	return role, ok
}

// actions are what act can do with the control.
func (b roleBook) actions(role string, n axNode) []string {
	if n.Disabled {
		return []string{}
	}
	switch {
	case role == "combobox" && n.Editable:
		return []string{"click", "type", "press"}
	case n.ReadOnly:
		return []string{"click"}
	}
	return append([]string(nil), b.operations[role]...)
}
