package page_test

import (
	"testing"
)

const shop = `<!doctype html><title>Shop</title>
<header><a href="#home">Home</a></header>
<main><h1>Order</h1>
<form aria-label="Delivery">
  <label>Name <input name=parentNode value="Ada"></label>
  <label>Password <input type=password value="hunter2"></label>
  <label><input type=checkbox checked> Newsletter</label>
  <label>Country <select><option>France<option selected>Poland</select></label>
  <input placeholder="Coupon" readonly value=X1>
  <button disabled>Pay</button> <button>Save</button>
</form>
<div onclick="1" aria-label="Tile">t</div>
<div style="display:none"><button>Hidden</button></div>
<my-box></my-box>
<div style="height:3000px"></div><button>Below</button>
</main>
<script>
customElements.define('my-box', class extends HTMLElement { connectedCallback() { this.attachShadow({mode:'open'}).innerHTML = '<button>In shadow</button>' } });
</script>`

func TestObserveListsComponentsByLandmark(t *testing.T) {
	r := open(t, shop)
	got := r.observe(nil)
	want := `# banner
[1] link "Home" {click}
# main
[2] heading 1 "Order"
[3] clickable "Tile" {click}
[4] button "In shadow" {click}
# form "Delivery"
[5] textbox "Name" = "Ada" {type}
[6] textbox "Password" (7 characters, not shown) {type}
[7] checkbox "Newsletter" checked {click}
[8] combobox "Country" = "Poland" {select}
[9] textbox "Coupon" = "X1" readonly
[10] button "Pay" disabled
[11] button "Save" {click}`
	if got.Text != want {
		t.Errorf("got:\n%s\nwant:\n%s", got.Text, want)
	}
	lacks(t, text(t, got), "hunter2")
	if got.Total != 11 || len(got.Rows) != 11 || got.Offscreen != 1 || got.ShadowRoots != 1 || got.SealedSuspected != 0 || got.Truncated || got.Chars != len(want) {
		t.Errorf("envelope: %s", text(t, got))
	}
	if row := got.Rows[5]; row.Mark != 6 || row.Value != nil || *row.Chars != 7 || row.Region != "form Delivery" {
		t.Errorf("row: %s", text(t, row))
	}
	contains(t, r.observe(map[string]any{"include_offscreen": true}).Text, `button "Below"`)
}

func TestAModalDialogHidesWhatItBlocks(t *testing.T) {
	r := open(t, `<!doctype html><button>Behind</button><dialog id=d aria-label=Ask><button>Yes</button></dialog><script>d.showModal()</script>`)
	got := r.observe(nil)
	contains(t, got.Text, `# dialog "Ask"`, `"Yes"`)
	lacks(t, got.Text, "Behind")
	if got.BehindModal != 1 {
		t.Errorf("behind: %s", text(t, got))
	}
}

func TestFormsCannotHideTheirFields(t *testing.T) {
	r := open(t, `<!doctype html><form aria-label=Clobber><input name=parentNode aria-label=A><input name=children aria-label=B>
<input name=firstElementChild aria-label=C><input name=getAttribute aria-label=D><input name=shadowRoot aria-label=E><input name=localName aria-label=F></form>
<img name=body alt=Body><img name=documentElement alt=Top><img name=querySelectorAll alt=Query>`)
	contains(t, r.observe(nil).Text, `# form "Clobber"`, `"A"`, `"B"`, `"C"`, `"D"`, `"E"`, `"F"`)
	got := r.act(map[string]any{"action": "type", "selector": "[name=localName]", "text": "ok"})
	if *got.Typing.Value != "ok" {
		t.Errorf("typed: %s", text(t, got))
	}
}
