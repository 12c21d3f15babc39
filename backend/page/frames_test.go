package page_test

import (
	"testing"

	"kuang/backend/browser/browsertest"
	"kuang/backend/page"
	"kuang/backend/verb"
)

func frame(name string) string {
	return `<!doctype html><body style="margin:0;height:900px"><button id=b style="margin:40px 30px" onclick="window.hits=(window.hits||0)+event.isTrusted; parent.postMessage('` + name + `', '*')">` +
		name + `</button><input aria-label="` + name + ` field"></body>`
}

// The outer page has a same-origin frame with a frame inside, a frame of another origin on the same site, one of
// another site, one in an open root, one in a closed root and one that is not painted.
func framed(t *testing.T) *rig {
	t.Helper()
	otherPort, _ := browsertest.Serve(t, map[string]string{"/port": frame("Port"), "/shadow": frame("Shadow")})
	return open(t, `<!doctype html><title>Frames</title><body style="margin:10px">
<button>Outer</button>
<iframe title="Same" src="/same" style="width:400px;height:200px;border:7px solid;padding:5px;display:block"></iframe>
<iframe title="Port" src="`+otherPort+`/port" style="width:300px;height:100px"></iframe>
<iframe title="Site" src="{localhost}/site" style="width:300px;height:100px;transform:scale(.8)"></iframe>
<div id=open></div><div id=closed></div>
<iframe src="/same" style="display:none"></iframe>
<script>
window.heard = []; addEventListener('message', e => heard.push(e.data));
open = document.getElementById('open').attachShadow({mode:'open'}); open.innerHTML = '<iframe title="Shadow" src="`+otherPort+`/shadow" style="width:300px;height:100px"></iframe>';
document.getElementById('closed').attachShadow({mode:'closed'}).innerHTML = '<iframe src="/sealed" style="width:300px;height:100px"></iframe>';
</script></body>`, map[string]string{
		"/same":   frame("Same") + `<iframe title="Nested" src="/nested" style="width:200px;height:150px;border:3px solid"></iframe>`,
		"/nested": frame("Nested"), "/site": frame("Site"), "/sealed": frame("Sealed"),
	})
}

func TestFramesAreReadInPlace(t *testing.T) {
	r := framed(t)
	got := r.observe(map[string]any{"include_offscreen": true})
	contains(t, got.Text, `button "Outer"`, `button "Same"`, `button "Nested"`, `button "Port"`, `button "Site"`, `button "Shadow"`, `## frame "Port" http`)
	lacks(t, got.Text, `"Sealed"`)
	if got.FramesUnplaced != 1 {
		t.Errorf("frames unplaced: %d", got.FramesUnplaced)
	}
	for _, row := range got.Rows {
		if (row.Mark >= 100) != (row.Frame != "") {
			t.Errorf("mark %d in frame %q", row.Mark, row.Frame)
		}
	}
	contains(t, r.observe(map[string]any{"as": "text"}).Text, "Outer", "## frame", "Nested")
}

func TestClicksInFramesLand(t *testing.T) {
	for _, name := range []string{"Same", "Nested", "Port", "Site", "Shadow"} {
		t.Run(name, func(t *testing.T) {
			r := framed(t)
			m := r.one("button", name)
			got := r.act(map[string]any{"action": "click", "mark_id": m.Mark})
			if !got.Delta.Received || got.Target.Frame == "" {
				t.Errorf("click: %s", text(t, got))
			}
			if name == "Nested" {
				return // It tells its own parent.
			}
			r.holds("heard.includes('" + name + "')")
			at := r.one("button", name).Rect
			got = r.act(map[string]any{"action": "click", "x": at.X + at.W/2, "y": at.Y + at.H/2})
			if got.Target.Name != name || !got.Delta.Received {
				t.Errorf("click by place: %s", text(t, got))
			}
			typed := r.act(map[string]any{"action": "type", "mark_id": r.one("textbox", name+" field").Mark, "text": "abc"})
			if *typed.Typing.Value != "abc" {
				t.Errorf("type: %s", text(t, typed))
			}
		})
	}
}

func TestSelectorsReachFramesAndRoots(t *testing.T) {
	r := framed(t)
	// The main document has none, so the first frame in order is meant.
	got := r.act(map[string]any{"action": "click", "selector": "#b"})
	if got.Target.Name != "Same" {
		t.Errorf("selector: %s", text(t, got))
	}
}

func TestACoveredFrameIsNotClickedThrough(t *testing.T) {
	r := open(t, `<iframe src="/same" style="width:300px;height:200px"></iframe>
<div id=veil style="position:fixed;inset:0" role=dialog aria-label="Veil"></div>`, map[string]string{"/same": frame("Same")})
	e := refused(r, "act", map[string]any{"action": "click", "mark_id": r.one("button", "Same").Mark}, verb.NotClickable)
	contains(t, text(t, e), "Veil")
}

func TestEvaluateInAFrame(t *testing.T) {
	r := framed(t)
	m := r.one("button", "Same")
	got := do[page.EvaluateOut](r, "evaluate_javascript", map[string]any{"expression": "document.querySelector('#b').textContent", "frame": m.Frame, "world": "isolated"})
	contains(t, text(t, got), `"Same"`)
}
