package page_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kuang/backend/page"
	"kuang/backend/verb"
)

func TestTextIsWhatIsPainted(t *testing.T) {
	r := open(t, `<!doctype html><body><h1>Title</h1><p>One <b>bold</b>
 line</p><div hidden>hidden</div><div style="visibility:hidden">unseen</div><ul><li>a<li>b</ul>
<table><tr><td>x<td>y</table><pre>k
  v</pre><x-card>light<span slot=s>Slotted</span></x-card><template>tpl</template><script type=x>js</script>
<details><summary>More</summary>inside</details><p style="text-transform:uppercase">loud</p>a<br>b
<script>customElements.define('x-card', class extends HTMLElement { connectedCallback() { this.attachShadow({mode:'open'}).innerHTML = '<p>Shadow</p><slot name=s></slot>' } })</script></body>`)
	got := r.observe(map[string]any{"as": "text"})
	want := "Title\n\nOne bold line\n\na\nb\n\nx\ty\n\nk\n  v\n\nShadow\n\nSlotted\nMore\n\nLOUD\n\na\nb"
	if got.Text != want {
		t.Errorf("got:\n%q\nwant:\n%q", got.Text, want)
	}
	if got.Chars != len([]rune(want)) || got.Total != got.Chars || got.ShadowRoots != 1 {
		t.Errorf("envelope: %s", text(t, got))
	}
}

// rows is a page with n numbered buttons, some of them in an open root and in a frame.
func rows(n int) string {
	var b strings.Builder
	b.WriteString("<!doctype html><body><main>")
	for i := range n {
		fmt.Fprintf(&b, "<button>Row %d</button>", i)
	}
	b.WriteString("</main></body>")
	return b.String()
}

func TestPagingIsExact(t *testing.T) {
	r := open(t, rows(60)+`<iframe src="/child" width=300 height=200></iframe>`, map[string]string{"/child": rows(20)})
	for _, as := range []string{"components", "text"} {
		whole := r.observe(map[string]any{"as": as, "budget": 0, "include_offscreen": true})
		again := r.observe(map[string]any{"as": as, "budget": 0, "include_offscreen": true})
		if text(t, whole) != text(t, again) || whole.Truncated {
			t.Fatalf("%s: two reads differ, or the whole is cut", as)
		}
		var parts []string
		seen, cursor := 0, ""
		for range 100 {
			in := map[string]any{"as": as, "budget": 200, "include_offscreen": true}
			if cursor != "" {
				in["cursor"] = cursor
			}
			got := r.observe(in)
			if got.Offset != seen || got.Total != whole.Total || got.Changed || got.Chars > 260 {
				t.Fatalf("%s at %q: %s", as, cursor, text(t, got))
			}
			if as == "text" {
				seen += got.Chars
			} else {
				seen += len(got.Rows)
			}
			parts = append(parts, got.Text)
			if cursor = got.NextCursor; cursor == "" {
				break
			}
		}
		if seen != whole.Total {
			t.Errorf("%s: %d of %d", as, seen, whole.Total)
		}
		if as == "text" && strings.Join(parts, "") != whole.Text {
			t.Error("the pages of the text are not the text")
		}
		for i := range 60 {
			if as == "components" && !strings.Contains(strings.Join(parts, "\n"), fmt.Sprintf("%q", fmt.Sprintf("Row %d", i))) {
				t.Errorf("row %d is on no page", i)
			}
		}
	}
	refused(r, "observe", map[string]any{"cursor": "zzz"}, verb.BadRequest)
	cursor := r.observe(map[string]any{"budget": 200, "include_offscreen": true}).NextCursor
	r.js("document.querySelector('button').remove()")
	if got := r.observe(map[string]any{"budget": 200, "include_offscreen": true, "cursor": cursor}); !got.Changed {
		t.Error("a changed page was not noticed")
	}
}

func TestMarksStayAndAreNeverGivenToAnother(t *testing.T) {
	r := open(t, `<!doctype html><body><button id=a>A</button><button id=b>B</button></body>`)
	a, b := r.one("button", "A").Mark, r.one("button", "B").Mark
	r.js(`(() => { const n = document.createElement('button'); n.textContent = 'N'; document.body.prepend(n); document.getElementById('a').textContent = 'A2' })()`)
	r.observe(nil)
	if got := r.one("button", "A2").Mark; got != a {
		t.Errorf("A had %d and has %d", a, got)
	}
	r.js("document.getElementById('b').remove()")
	refused(r, "act", map[string]any{"action": "click", "mark_id": b}, verb.StaleRef)
	r.js("document.body.insertAdjacentHTML('beforeend', '<button id=b>B</button>')")
	if got := r.one("button", "B").Mark; got == b {
		t.Errorf("the mark %d was given to another element", b)
	}
	refused(r, "act", map[string]any{"action": "click", "mark_id": b}, verb.StaleRef)
}

func TestRegions(t *testing.T) {
	r := open(t, shop)
	all := r.observe(map[string]any{"region": "form"})
	lacks(t, all.Text, "Home", "Tile")
	contains(t, all.Text, `# form "Delivery"`, `"Save"`)
	contains(t, r.observe(map[string]any{"as": "text", "region": "header"}).Text, "Home")
	lacks(t, r.observe(map[string]any{"as": "text", "region": "banner"}).Text, "Order")
	mark := r.one("button", "Save").Mark
	if got := r.observe(map[string]any{"region": fmt.Sprint(mark)}); got.Total != 1 {
		t.Errorf("region by mark: %s", text(t, got))
	}
	refused(r, "observe", map[string]any{"region": "contentinfo"}, verb.NoTarget)
	refused(r, "observe", map[string]any{"region": "a["}, verb.BadRequest)
}

func TestFindRanksNames(t *testing.T) {
	r := open(t, `<!doctype html><body><button>Please save</button><button>Save all</button><button>save</button><button>Save</button><a href=#>Saved</a>
<p>Invoice <b>INV</b>-7 is due</p><div style="display:none">INV-7</div><input type=submit value="Save it"></body>`)
	got := r.find(map[string]any{"role": "button", "name": "Save"})
	var names []string
	for _, m := range got.Marks {
		names = append(names, m.Name)
	}
	if s := strings.Join(names, "|"); s != "Save|save|Save all|Save it|Please save" {
		t.Errorf("order: %s", s)
	}
	got = r.find(map[string]any{"contains": "inv-7"})
	if len(got.Marks) != 1 || got.Marks[0].Tag != "p" {
		t.Errorf("contains: %s", text(t, got))
	}
	got = r.find(map[string]any{"regex": "/^saved?$/i"})
	if len(got.Marks) != 3 {
		t.Errorf("regex: %s", text(t, got))
	}
	if got = r.find(map[string]any{"tag": "button", "limit": 1}); len(got.Marks) != 1 || !got.Truncated || got.Total != 4 {
		t.Errorf("limit: %s", text(t, got))
	}
	e := refused(r, "find", map[string]any{"regex": "(("}, verb.BadRequest)
	contains(t, e.Message, "((")
	refused(r, "find", map[string]any{}, verb.BadRequest)
	refused(r, "find", map[string]any{"selector": "a["}, verb.BadRequest)
}

func TestPageStateShowsChange(t *testing.T) {
	r := open(t, shop)
	a := do[page.PageStateOut](r, "page_state", nil)
	b := do[page.PageStateOut](r, "page_state", nil)
	if text(t, a) != text(t, b) || a.Title != "Shop" || a.ReadyState != "complete" || a.Height < 3000 {
		t.Errorf("two states of one page:\n%s\n%s", text(t, a), text(t, b))
	}
	r.js("document.querySelector('h1').textContent = 'Changed'")
	c := do[page.PageStateOut](r, "page_state", nil)
	if c.TextHash == a.TextHash || c.Revision <= a.Revision {
		t.Errorf("the change was not seen: %s", text(t, c))
	}
}

func TestScreenshotIsAFileAndAPicture(t *testing.T) {
	r := open(t, shop)
	for _, in := range []map[string]any{nil, {"format": "jpeg"}, {"format": "webp", "quality": 50}, {"full_page": true}, {"ref": r.one("button", "Save").Mark}} {
		got := do[page.ScreenshotOut](r, "screenshot", in)
		data, err := os.ReadFile(got.Path)
		if err != nil || len(data) != got.Bytes || !bytes.Equal(data, got.Picture().Data) || got.Width == 0 || got.Height == 0 {
			t.Errorf("%v: %s %v", in, text(t, got), err)
		}
		if info, err := os.Stat(got.Path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v: %v", info, err)
		}
		if c, kind, err := image.DecodeConfig(bytes.NewReader(data)); got.Format != "webp" && (err != nil || kind != got.Format || c.Width != got.Width) {
			t.Errorf("%v: %v %s %v", in, c, kind, err)
		}
	}
	refused(r, "screenshot", map[string]any{"quality": 50}, verb.BadRequest)
	refused(r, "screenshot", map[string]any{"ref": 99}, verb.StaleRef)
}

func TestScreenshotSaysThatItCannotBeKept(t *testing.T) {
	r := open(t, `<title>Kept</title>`)
	shots := filepath.Dir(do[page.ScreenshotOut](r, "screenshot", nil).Path)
	if err := errors.Join(os.RemoveAll(shots), os.WriteFile(shots, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	e := refused(r, "screenshot", nil, verb.Internal)
	contains(t, e.Message, "could not be kept")
	contains(t, e.Hint, "space")
}

func TestEvaluate(t *testing.T) {
	r := open(t, `<title>x</title><script>window.here = {a: [1, 'b']}</script>`)
	got := do[page.EvaluateOut](r, "evaluate_javascript", map[string]any{"expression": "await Promise.resolve(here)"})
	contains(t, text(t, got), `{"a":[1,"b"]}`)
	got = do[page.EvaluateOut](r, "evaluate_javascript", map[string]any{"expression": "typeof here", "world": "isolated"})
	contains(t, text(t, got), `"undefined"`)
	got = do[page.EvaluateOut](r, "evaluate_javascript", map[string]any{"expression": "null.x"})
	contains(t, got.Exception, "TypeError")
	got = do[page.EvaluateOut](r, "evaluate_javascript", map[string]any{"expression": "'x'.repeat(300000)"})
	if !got.Truncated || got.Chars != 100_000 || got.Total != 300_002 {
		t.Errorf("long: %d %d %v", got.Chars, got.Total, got.Truncated)
	}
	refused(r, "evaluate_javascript", map[string]any{"expression": "1", "frame": "nope"}, verb.NoTarget)
}

func TestNavigationVerbs(t *testing.T) {
	r := open(t, shop, map[string]string{"/next": next})
	got := do[page.NavigationOut](r, "navigate", map[string]any{"url": r.ip + "/next"})
	if got.Title != "Next" || got.Status != 200 {
		t.Errorf("navigate: %s", text(t, got))
	}
	if got = do[page.NavigationOut](r, "back", nil); got.Title != "Shop" {
		t.Errorf("back: %s", text(t, got))
	}
	if got = do[page.NavigationOut](r, "forward", nil); got.Title != "Next" {
		t.Errorf("forward: %s", text(t, got))
	}
	if got = do[page.NavigationOut](r, "reload", map[string]any{"hard": true, "wait_until": "domcontentloaded"}); got.Title != "Next" {
		t.Errorf("reload: %s", text(t, got))
	}
	if _, err := try[page.NavigationOut](r, "forward", nil); err == nil {
		t.Error("went beyond the end of the history")
	}
}
