package shadowwalk

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	proto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"

	"kuang/backend/browser"
)

func ids(list ...proto.BackendNodeID) []proto.BackendNodeID { return list }

func TestAXNodeDropsValues(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		want     axNode
	}{
		{"a field",
			`{"nodeId":"7","backendDOMNodeId":7,"ignored":false,"role":{"type":"role","value":"textbox"},"name":{"type":"computedString","value":" Gift \n note "},
			"description":{"value":"secret"},"value":{"type":"string","value":"secret"},"properties":[
			{"name":"focusable","value":{"type":"booleanOrUndefined","value":true}},{"name":"valuetext","value":{"value":"secret"}},
			{"name":"editable","value":{"type":"token","value":"plaintext"}},{"name":"roledescription","value":{"value":"secret"}}]}`,
			axNode{Backend: 7, Role: "textbox", Name: "Gift note", Focusable: true, Editable: true}},
		{"states",
			`{"backendDOMNodeId":8,"role":{"value":"checkbox"},"properties":[{"name":"checked","value":{"type":"tristate","value":"mixed"}},
			{"name":"expanded","value":{"value":false}},{"name":"pressed","value":{"value":"true"}},{"name":"selected","value":{"value":true}},
			{"name":"disabled","value":{"value":true}},{"name":"readonly","value":{"value":true}},{"name":"required","value":{"value":true}},{"name":"focused","value":{"value":true}}]}`,
			axNode{Backend: 8, Role: "checkbox", Checked: "mixed", Expanded: "false", Pressed: "true", Selected: "true",
				Disabled: true, ReadOnly: true, Required: true, Focused: true}},
		{"a state that is text is none",
			`{"properties":[{"name":"checked","value":{"value":"secret"}},{"name":"expanded","value":{"value":3}},{"name":"pressed","value":{}}]}`, axNode{}},
		{"where a name came from",
			`{"name":{"value":"Pay now","sources":[{"type":"attribute","attribute":"aria-label"},{"type":"relatedElement","attribute":"aria-labelledby","value":{"value":"Pay now"},
			"attributeValue":{"value":"a b","relatedNodes":[{"backendDOMNodeId":4,"text":"secret"},{"backendDOMNodeId":5}]}},{"type":"contents","superseded":true,"value":{"value":"x"}}]}}`,
			axNode{Name: "Pay now", Related: ids(4, 5)}},
		{"a native label",
			`{"name":{"value":"Note","sources":[{"type":"relatedElement","nativeSource":"label","value":{"value":"Note"},"nativeSourceValue":{"relatedNodes":[{"backendDOMNodeId":6}]}}]}}`,
			axNode{Name: "Note", Related: ids(6), Native: true}},
		{"from elsewhere, unsaid", `{"name":{"value":"Note","sources":[{"type":"relatedElement","value":{"value":"Note"}}]}}`, axNode{Name: "Note", Unsourced: true}},
		{"from content", `{"name":{"value":"Go","sources":[{"type":"contents","value":{"value":"Go"}}]}}`, axNode{Name: "Go", FromContent: true}},
		{"an attribute that repeats the value", `{"role":{"value":"textbox"},"name":{"value":"hunter2!","sources":[{"type":"attribute","value":{"value":"hunter2!"}}]},"value":{"value":"hunter2!"}}`,
			axNode{Role: "textbox", Name: "hunter2!", Echo: true}},
		{"a number in a label", `{"role":{"value":"slider"},"name":{"value":"Volume 42117"},"value":{"value":42117}}`, axNode{Role: "slider", Name: "Volume 42117", Echo: true}},
		{"a choice that is called like its select", `{"role":{"value":"combobox"},"name":{"value":"Country"},"value":{"value":"Country"}}`, axNode{Role: "combobox", Name: "Country"}},
		{"a value by chance", `{"role":{"value":"textbox"},"name":{"value":"City"},"value":{"value":"it"}}`, axNode{Role: "textbox", Name: "City"}},
		{"wrong types", `{"role":{"value":3},"name":{"value":["x"]}}`, axNode{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got axNode
			if err := jsonv2.Unmarshal([]byte(tc.in), &got, decoding); err != nil {
				t.Fatal(err)
			}
			if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", tc.want) {
				t.Errorf("decoded\n  %+v\nwant\n  %+v", got, tc.want)
			}
		})
	}
}

func TestBoxModelForms(t *testing.T) {
	const model = `{"content":[1,1,9,1,9,9,1,9],"padding":[0,0,0,0,0,0,0,0],"border":[5,0,10,5,5,10,0,5],"margin":[0,0,0,0,0,0,0,0],"width":10,"height":10}`
	for name, in := range map[string]string{"wrapped": `{"model":` + model + `}`, "flat": model} {
		var got boxModel
		if err := jsonv2.Unmarshal([]byte(in), &got, decoding); err != nil {
			t.Fatal(err)
		}
		if b := got.border.bounds(); b != (browser.Rect{X: 0, Y: 0, W: 10, H: 10}) {
			t.Errorf("%s: the border is %v", name, b)
		}
		if c := got.content.bounds(); c != (browser.Rect{X: 1, Y: 1, W: 8, H: 8}) {
			t.Errorf("%s: the content is %v", name, c)
		}
	}
	for _, in := range []string{`{}`, `{"model":null}`, `{"model":{"border":[1,2,3]}}`} {
		var got boxModel
		if err := jsonv2.Unmarshal([]byte(in), &got, decoding); err != nil {
			t.Fatal(err)
		}
		if (place{rect: got.border.bounds()}).empty() == false {
			t.Errorf("%s has a place", in)
		}
	}
}

func TestHolds(t *testing.T) {
	none := func(*shape, bool) bool { return false }
	for in, want := range map[string]bool{
		`{"nodeType":1,"localName":"span"}`:                                                                                                             false,
		`{"nodeType":1,"localName":"input","attributes":["value","secret"]}`:                                                                            true,
		`{"nodeType":1,"localName":"input","attributes":["type"," Submit "]}`:                                                                           false,
		`{"nodeType":1,"localName":"input","attributes":["TYPE"]}`:                                                                                      true,
		`{"nodeType":1,"localName":"p","children":[{"nodeType":1,"localName":"select"}]}`:                                                               true,
		`{"nodeType":1,"localName":"p","attributes":["contenteditable",""]}`:                                                                            true,
		`{"nodeType":1,"localName":"p","attributes":["contenteditable","false"]}`:                                                                       false,
		`{"nodeType":1,"localName":"p","attributes":["role","none textbox"]}`:                                                                           true,
		`{"nodeType":1,"localName":"x-y","shadowRoots":[{"nodeType":11,"shadowRootType":"closed","children":[{"nodeType":1,"localName":"textarea"}]}]}`: true,
		`{"nodeType":1,"localName":"x-y","shadowRoots":[{"nodeType":11,"shadowRootType":"user-agent","children":[{"nodeType":1,"localName":"div","attributes":["role","spinbutton"]}]}]}`: false,
		`{"nodeType":3,"localName":"input"}`: false,
	} {
		var d shape
		if err := jsonv2.Unmarshal([]byte(in), &d, decoding); err != nil {
			t.Fatal(err)
		}
		if got := d.holds(true, none); got != want {
			t.Errorf("%s: holds is %v, want %v", in, got, want)
		}
		if strings.Contains(fmt.Sprintf("%+v", d), "secret") {
			t.Errorf("a value survives in %+v", d)
		}
	}
}

func TestTree(t *testing.T) {
	tree := newTree(wireNode{NodeID: 1, NodeType: documentNode}, "main")
	for _, e := range []string{
		`{"parentId":1,"nodes":[{"nodeId":2,"nodeType":1,"localName":"html"}]}`,
		`{"parentId":2,"nodes":[{"nodeId":3,"nodeType":1,"localName":"x-host","shadowRoots":[{"nodeId":4,"nodeType":11,"shadowRootType":"closed"}],"children":[{"nodeId":5,"nodeType":1,"localName":"button"}]},
			{"nodeId":6,"nodeType":1,"localName":"iframe","frameId":"child","contentDocument":{"nodeId":7,"nodeType":9}}]}`,
		`{"parentId":4,"nodes":[{"nodeId":8,"nodeType":1,"localName":"iframe","frameId":"sealed","contentDocument":{"nodeId":9,"nodeType":9,"children":[{"nodeId":10,"nodeType":1,"localName":"button"}]}}]}`,
		`{"parentId":7,"nodes":[{"nodeId":11,"nodeType":1,"localName":"html"}]}`,
		`{"parentId":999,"nodes":[{"nodeId":12,"nodeType":1,"localName":"button"}]}`,
	} {
		var c wireChildren
		if err := jsonv2.Unmarshal([]byte(e), &c, decoding); err != nil {
			t.Fatal(err)
		}
		tree.children(c)
	}
	for _, tc := range []struct {
		id     proto.NodeID
		sealed bool
		frame  string
		owners int
		path   string
	}{
		{5, false, "main", 0, "[0 1 1 1]"},
		{8, true, "main", 0, "[0 1 1 0 1]"},
		{10, true, "sealed", 1, "[0 1 1 0 1 0 1]"},
		{11, false, "child", 1, "[0 1 2 0 1]"},
	} {
		n := tree.nodes[tc.id]
		if n.sealed() != tc.sealed || string(n.document().frame) != tc.frame || len(n.owners()) != tc.owners || fmt.Sprint(n.path()) != tc.path {
			t.Errorf("node %d: sealed %v, frame %s, %d owners, path %v; want %+v", tc.id, n.sealed(), n.document().frame, len(n.owners()), n.path(), tc)
		}
	}
	if _, ok := tree.nodes[12]; ok {
		t.Error("the child of an unknown node was taken in")
	}
}

// Whatever the browser says, decoding must not panic, and a value must not survive it.
func FuzzDecode(f *testing.F) {
	f.Add(`{"backendDOMNodeId":7,"role":{"value":"textbox"},"name":{"value":"x","sources":[{"type":"contents","value":{}}]},"properties":[{"name":"checked","value":{"value":true}}]}`)
	f.Add(`{"model":{"content":[1,2,3,4,5,6,7,8],"border":[1e308,-1e308,0,0]}}`)
	f.Add(`{"parentId":1,"nodes":[{"nodeId":2,"shadowRoots":[{"nodeId":3,"shadowRootType":"closed"}],"contentDocument":{"nodeId":2}}]}`)
	f.Add(`{"nodeType":1,"localName":"input","attributes":["type"],"distributedNodes":[{"backendNodeId":4}]}`)
	f.Fuzz(func(t *testing.T, in string) {
		var ax axNode
		if jsonv2.Unmarshal([]byte(in), &ax, decoding) == nil {
			book := newRoleBook()
			if role, ok := book.role(ax); ok {
				book.actions(role, ax)
			}
		}
		var box boxModel
		if jsonv2.Unmarshal([]byte(in), &box, decoding) == nil {
			box.border.bounds()
		}
		var d shape
		if jsonv2.Unmarshal([]byte(in), &d, decoding) == nil {
			d.holds(true, exceptRoot)
		}
		var e wireChildren
		if jsonv2.Unmarshal([]byte(in), &e, decoding) == nil {
			tree := newTree(wireNode{NodeID: 1, NodeType: documentNode}, "main")
			tree.children(e)
			for _, n := range tree.nodes {
				n.sealed()
				n.owners()
				n.path()
			}
		}
	})
}

// A value that is not in the name itself is nowhere after decoding.
func FuzzValueIsDropped(f *testing.F) {
	f.Add("Gift note", "hunter2", "textbox")
	f.Add("", "•••••", "combobox")
	f.Fuzz(func(t *testing.T, name, held, role string) {
		held = "«" + held + "»"
		if strings.Contains(name+role, "«") {
			return
		}
		in, err := json.Marshal(map[string]any{
			"backendDOMNodeId": 7, "role": map[string]any{"value": role}, "name": map[string]any{"value": name},
			"value": map[string]any{"value": held}, "description": map[string]any{"value": held},
			"properties": []any{
				map[string]any{"name": "valuetext", "value": map[string]any{"value": held}},
				map[string]any{"name": "checked", "value": map[string]any{"value": held}},
				map[string]any{"name": held, "value": map[string]any{"value": true}},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		var n axNode
		if err := jsonv2.Unmarshal(in, &n, decoding); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%+v", n); strings.Contains(got, "«") {
			t.Errorf("the value %q survives in %s", held, got)
		}
	})
}
