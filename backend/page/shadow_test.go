package page_test

import (
	"strings"
	"testing"

	"kuang/backend/page"
	"kuang/backend/verb"
	"kuang/settings"
)

const sealedPage = `<!doctype html><title>Checkout</title><body style="margin:20px">
<sealed-box></sealed-box>
<open-field></open-field>
<script>
window.clicks = [];
customElements.define('sealed-box', class extends HTMLElement { connectedCallback() {
  const root = this.attachShadow({mode: 'closed'});
  root.innerHTML = '<style>:host{display:block;width:400px}</style><button id=b>Confirm order</button><input id=i aria-label="Card" value="4111"><input id=r aria-label="Ref" readonly value=RO>';
  root.getElementById('b').onclick = e => clicks.push(e.isTrusted);
  window.sealedValue = () => root.getElementById('i').value;
} });
customElements.define('open-field', class extends HTMLElement { connectedCallback() {
  this.attachShadow({mode: 'open'}).innerHTML = '<div><input id=email aria-label=Email></div>';
} });
</script></body>`

// without is the default policy with one lever off.
func without(t *testing.T, key string) settings.Policy {
	t.Helper()
	s, err := settings.Open(t.TempDir(), func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Set(key, false); err != nil {
		t.Fatal(err)
	}
	return s.Policy()
}

func TestSealedControlsAreFoundClickedAndTypedInto(t *testing.T) {
	r := open(t, sealedPage)
	if got := r.observe(nil); got.SealedSuspected != 1 || !strings.Contains(got.Hint, "sealed:true") {
		t.Errorf("suspected: %s", text(t, got))
	}
	got := r.find(map[string]any{"role": "button", "name": "Confirm order", "sealed": true})
	if len(got.Marks) != 0 || len(got.Sealed) != 1 || got.Sealed[0].Source != "ax" || !got.Sealed[0].Sealed {
		t.Fatalf("sealed: %s", text(t, got))
	}
	at := got.Sealed[0].Rect
	click := r.act(map[string]any{"action": "click", "x": at.X + at.W/2, "y": at.Y + at.H/2})
	if !click.Target.Sealed || click.Verdict != page.NoEffect || click.Warning == "" {
		t.Errorf("click: %s", text(t, click))
	}
	r.holds("clicks.length === 1 && clicks[0] === true", "document.querySelector('sealed-box').shadowRoot === null")

	field := r.find(map[string]any{"role": "textbox", "name": "Card", "sealed": true})
	lacks(t, text(t, field), "4111")
	at = field.Sealed[0].Rect
	typed := r.act(map[string]any{"action": "type", "x": at.X + at.W/2, "y": at.Y + at.H/2, "text": "5222", "clear_first": true})
	lacks(t, text(t, typed), "4111", "5222")
	if !typed.Typing.Landed || !typed.Typing.Verified || typed.Typing.Inputs == 0 || typed.Verdict != page.Effect {
		t.Errorf("typed: %s", text(t, typed))
	}
	r.holds("sealedValue() === '5222'")
	r.act(map[string]any{"action": "type", "x": at.X + 5, "y": at.Y + at.H/2, "text": "9"})
	r.holds("sealedValue() === '52229'")

	locked := r.find(map[string]any{"role": "textbox", "name": "Ref", "sealed": true}).Sealed[0].Rect
	e := refused(r, "act", map[string]any{"action": "type", "x": locked.X + locked.W/2, "y": locked.Y + locked.H/2, "text": "1"}, verb.TypeNoEffect)
	lacks(t, text(t, e), "RO")
}

func TestSealedTypingWithoutLeaveIsNotVerified(t *testing.T) {
	r := open(t, sealedPage)
	at := r.find(map[string]any{"role": "textbox", "name": "Card", "sealed": true}).Sealed[0].Rect
	r.policy = without(t, "shadow.axSealed")
	refused(r, "find", map[string]any{"role": "button", "sealed": true}, "SEALED_DISABLED")
	refused(r, "observe", map[string]any{"sealed": true}, "SEALED_DISABLED")
	r.tab.Session().Reset()
	typed := r.act(map[string]any{"action": "type", "x": at.X + at.W/2, "y": at.Y + at.H/2, "text": "7"})
	if typed.Typing.Verified || !typed.Typing.Landed || typed.Warning == "" {
		t.Errorf("typed: %s", text(t, typed))
	}
	for method := range r.tab.Session().Counts() {
		if strings.HasPrefix(method, "DOM.") {
			t.Errorf("%s was sent", method)
		}
	}
}

func TestObserveSealedListsThemApart(t *testing.T) {
	r := open(t, sealedPage)
	got := r.observe(map[string]any{"sealed": true})
	contains(t, got.Text, `button "Confirm order" @`)
	lacks(t, text(t, got), "4111")
	if len(got.Sealed) != 3 {
		t.Errorf("sealed: %s", text(t, got))
	}
}

func TestAHostMeansTheFieldInside(t *testing.T) {
	r := open(t, sealedPage)
	got := r.act(map[string]any{"action": "type", "selector": "open-field", "text": "a@b.c"})
	if got.Target.Field.Tag != "input" || *got.Typing.Value != "a@b.c" {
		t.Errorf("host: %s", text(t, got))
	}
	got = r.act(map[string]any{"action": "type", "selector": "open-field >>> #email", "text": "d"})
	if *got.Typing.Value != "a@b.cd" {
		t.Errorf("pierced: %s", text(t, got))
	}
	refused(r, "act", map[string]any{"action": "type", "selector": "sealed-box", "text": "x"}, verb.NotEditable)
}

func TestOpenRootsOffIsObeyed(t *testing.T) {
	r := open(t, sealedPage)
	m := r.one("textbox", "Email")
	r.policy = without(t, "shadow.deepOpenRoots")
	lacks(t, r.observe(nil).Text, "Email")
	if got := r.find(map[string]any{"role": "textbox"}); len(got.Marks) != 0 {
		t.Errorf("find: %s", text(t, got))
	}
	refused(r, "act", map[string]any{"action": "focus", "mark_id": m.Mark}, "DEEP_OPEN_ROOTS_DISABLED")
	refused(r, "find", map[string]any{"selector": "open-field >>> input"}, "DEEP_OPEN_ROOTS_DISABLED")
	refused(r, "act", map[string]any{"action": "focus", "selector": "#email"}, verb.NoTarget)
}

// A dialog whose host covers the page, with a button whose words are slotted, does not cover its own controls.
func TestHostAndSlotsDoNotCover(t *testing.T) {
	r := open(t, `<!doctype html><button id=bg onclick="window.behind=1">Behind</button>
<post-dialog><span slot=action>Publish</span></post-dialog>
<script>
customElements.define('ui-button', class extends HTMLElement { connectedCallback() { this.attachShadow({mode:'open'}).innerHTML = '<button><slot></slot></button>' } });
customElements.define('post-dialog', class extends HTMLElement { connectedCallback() {
  const root = this.attachShadow({mode:'open'});
  root.innerHTML = '<style>:host{position:fixed;inset:0;display:block}</style><section role=dialog aria-label="New post" style="margin:100px"><button id=photo>Photo</button><ui-button><slot name=action></slot></ui-button></section>';
  root.querySelector('ui-button').onclick = e => window.published = e.isTrusted;
  root.querySelector('#photo').onclick = e => window.photo = e.isTrusted;
} });
</script>`)
	r.act(map[string]any{"action": "click", "mark_id": r.one("button", "Photo").Mark})
	r.act(map[string]any{"action": "click", "mark_id": r.one("button", "Publish").Mark})
	e := refused(r, "act", map[string]any{"action": "click", "mark_id": r.one("button", "Behind").Mark}, verb.NotClickable)
	contains(t, text(t, e), "post-dialog")
	r.holds("published === true && photo === true && window.behind === undefined")
}
