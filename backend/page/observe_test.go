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
	t.Log(got.Text)
	t.Log(text(t, got))
}
