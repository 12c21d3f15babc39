package page_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/runtime"

	"kuang/backend/cdp"
)

// named are elements with every source of a name. {} stands for the id that the test gives each.
var named = []string{
	`<button {}>Plain</button>`,
	`<button {}> Spaced <b>and</b> <i>nested</i> </button>`,
	`<button {} aria-label="Labelled">x</button>`,
	`<button {} aria-labelledby="ref1 ref2">x</button>`,
	`<button {} aria-labelledby="hiddenref">x</button>`,
	`<button {} title="Titled"></button>`,
	`<button {}><img alt="Pictured"></button>`,
	`<button {}><img alt="">And text</button>`,
	`<button {}><svg width=9 height=9><title>Drawn</title></svg></button>`,
	`<button {}><span aria-hidden=true>x</span>Shown</button>`,
	`<button {}><span style="display:none">no</span><span style="visibility:hidden">no</span>Yes</button>`,
	`<button {}>Two<div>blocks</div></button>`,
	`<button {}>in<span>line</span></button>`,
	`<button {}>in <span style="display:inline-block">block</span></button>`,
	`<button {} class=before>Text</button>`,
	`<button {} class=alternative>Text</button>`,
	`<button {}>Line<br>break</button>`,
	`<label>Wrapped <input {}></label>`,
	`<label>Before <input {} value=typed> after</label>`,
	`<label for=forid>For</label><input id=forid>`,
	`<label for=two1>One</label><label for=two1>Two</label><input id=two1>`,
	`<input {} placeholder="Placed">`,
	`<input {} title="Titled" placeholder="Placed">`,
	`<input {} aria-label="Named" placeholder="Placed">`,
	`<input {} type=submit>`,
	`<input {} type=reset>`,
	`<input {} type=submit value="Send it">`,
	`<input {} type=button value="Press">`,
	`<input {} type=image alt="Go" src="data:,">`,
	`<input {} type=checkbox aria-label="Tick">`,
	`<label><input {} type=radio> Choice</label>`,
	`<label>Lines <textarea {}>content</textarea></label>`,
	`<label>Pick <select {}><option>a<option selected>b</select></label>`,
	`<label>Flash <input type=checkbox {}> the screen <input value=3 size=1> times</label>`,
	`<a {} href="#">Link</a>`,
	`<a {} href="#"><img alt="Logo"></a>`,
	`<a {} href="#" title="tip">Link</a>`,
	`<a {} href="#" style="display:inline-block;width:9px;height:9px"><span></span></a>`,
	`<h2 {}>Heading <em>two</em></h2>`,
	`<img {} alt="Alternative" src="data:,">`,
	`<img {} title="Only title" src="data:,">`,
	`<div {} role=button tabindex=0>Div button</div>`,
	`<div {} role=checkbox tabindex=0 aria-checked=true>Div check</div>`,
	`<div {} role=tab tabindex=0>Tab <span>1</span></div>`,
	`<div {} role=textbox contenteditable aria-label="Editor">body</div>`,
	`<div {} role=img aria-label="Chart">.</div>`,
	`<fieldset {}><legend>Group</legend><input></fieldset>`,
	`<nav {} aria-label="Main menu"><a href="#">x</a></nav>`,
	`<section {} aria-labelledby=ref1>x</section>`,
	`<table {}><caption>Prices</caption><tr><td>1</table>`,
	`<details><summary {}>Summary</summary>x</details>`,
	`<div {} role=link tabindex=0>Out <div role=button aria-label="Inner">x</div></div>`,
	`<button {}><x-open>slotted</x-open></button>`,
	`<div {} role=option tabindex=0 aria-label="Option A">x</div>`,
	`<button {} aria-label="  ">Blank label</button>`,
	`<button {} aria-labelledby="nothere">Broken ref</button>`,
	`<meter {} aria-label="Level" value=0.5></meter>`,
	`<iframe {} title="Frame title"></iframe>`,
	`<input {} type=file aria-label="Choose">`,
	`<input {} type=range aria-label="Volume" value=30>`,
}

func TestNamesAgreeWithChromium(t *testing.T) {
	var page strings.Builder
	page.WriteString(`<!doctype html><style>.before::before{content:"Pre "}.alternative::after{content:"★" / "starred"}</style>
<span id=ref1>First</span><span id=ref2>Second</span><span id=hiddenref style="display:none">Hidden <b>ref</b></span>
<script>customElements.define('x-open', class extends HTMLElement { connectedCallback() { this.attachShadow({mode:'open'}).innerHTML = 'Shadow <slot></slot>' } })</script>`)
	for i, html := range named {
		page.WriteString("<p>" + strings.NewReplacer("{}", fmt.Sprintf("id=n%d", i), "id=forid", fmt.Sprintf("id=n%d", i), "for=forid", fmt.Sprintf("for=n%d", i),
			"id=two1", fmt.Sprintf("id=n%d", i), "for=two1", fmt.Sprintf("for=n%d", i)).Replace(html) + "</p>")
	}
	r := open(t, page.String())
	for i, html := range named {
		id := fmt.Sprintf("n%d", i)
		want := axName(t, r, id)
		found := r.find(map[string]any{"selector": "#" + id}).Marks
		if len(found) != 1 {
			t.Errorf("%s was found %d times", html, len(found))
		} else if found[0].Name != want {
			t.Errorf("%s\n ours     %q\n Chromium %q", html, found[0].Name, want)
		}
	}
}

// axName is the name that Chromium's own accessibility tree gives the element.
func axName(t *testing.T, r *rig, id string) string {
	t.Helper()
	ctx, s := t.Context(), r.tab.Session()
	node, err := cdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: "document.getElementById('" + id + "')"})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := cdp.Call(ctx, s, accessibility.GetPartialAXTree, accessibility.GetPartialAXTreeParams{ObjectID: node.Result.ObjectID, FetchRelatives: new(false)})
	if err != nil {
		t.Fatal(err)
	}
	var name string
	if v := tree.Nodes[0].Name; v != nil && len(v.Value) > 0 {
		if err := json.Unmarshal(v.Value, &name); err != nil {
			t.Fatal(err)
		}
	}
	return strings.Join(strings.Fields(name), " ")
}
