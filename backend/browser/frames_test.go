package browser_test

import (
	"strings"
	"testing"

	"kuang/backend/browser"
	"kuang/backend/browser/browsertest"
)

// shape prints the frame tree by path, with * for a frame in a process of its own.
func shape(t *testing.T, tab *browser.Tab) string {
	t.Helper()
	frames, err := tab.Frames(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	depth := map[any]int{}
	var b strings.Builder
	for _, f := range frames {
		if f.ParentID != "" {
			depth[f.ID] = depth[f.ParentID] + 1
		}
		b.WriteString(strings.Repeat(" ", depth[f.ID]))
		b.WriteString(f.URL[strings.LastIndexByte(f.URL, '/')+1:])
		if f.OOPIF {
			b.WriteByte('*')
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestFramesFollowProcesses(t *testing.T) {
	ip, localhost := browsertest.Serve(t, map[string]string{
		"/top":     `<iframe name=same src="{ip}/same"></iframe><iframe id=far src="{localhost}/far"></iframe>`,
		"/same":    `<title>same</title><iframe srcdoc="<p>doc"></iframe>`,
		"/far":     `<title>far</title><iframe src="{localhost}/farsame"></iframe><iframe src="{ip}/back"></iframe>`,
		"/farsame": `<title>farsame</title>`, "/back": `<title>back</title>`, "/other": `<title>other</title>`,
	})
	tab := browsertest.Open(t, ip+"/top")
	const whole = "top\n same\n  about:srcdoc\n far*\n  farsame\n  back*\n"
	await(t, func() bool { return shape(t, tab) == whole })

	// Every frame answers in its own world, and has an origin and a name where it should.
	frames, err := tab.Frames(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range frames {
		e, err := tab.Evaluate(t.Context(), f, false, "location.href")
		if err != nil || string(e.Value) != `"`+f.URL+`"` {
			t.Errorf("frame %s answers %s, %v", f.URL, e.Value, err)
		}
	}
	if frames[1].Name != "same" || frames[1].Origin != ip || frames[3].Origin != localhost {
		t.Errorf("got %+v", frames)
	}

	steps := []struct{ name, script, want string }{
		{"a far frame goes home", `far.src = '` + ip + `/other'`, "top\n same\n  about:srcdoc\n other\n"},
		{"and away again", `far.src = '` + localhost + `/far'`, whole},
		{"a near frame goes far", `document.querySelector('[name=same]').src = '` + localhost + `/other'`, "top\n other*\n far*\n  farsame\n  back*\n"},
		{"a far frame is removed", `far.remove()`, "top\n other*\n"},
		{"a frame is added", `document.body.append(Object.assign(document.createElement('iframe'), {src: '` + ip + `/other'}))`, "top\n other*\n other\n"},
	}
	for _, s := range steps {
		t.Run(s.name, func(t *testing.T) {
			browsertest.Eval(t, tab, "void ("+s.script+")")
			var got string
			defer func() {
				if t.Failed() {
					t.Logf("the tree is\n%s", got)
				}
			}()
			await(t, func() bool { got = shape(t, tab); return got == s.want })
		})
	}
	if _, err := tab.Navigate(t.Context(), ip+"/other", browser.UntilLoad, patience); err != nil {
		t.Fatal(err)
	}
	if got := shape(t, tab); got != "other\n" {
		t.Errorf("after a navigation the tree is\n%s", got)
	}
	if _, err := tab.History(t.Context(), -1, browser.UntilLoad, patience); err != nil {
		t.Fatal(err)
	}
	var got string
	defer func() {
		if t.Failed() {
			t.Logf("the tree is\n%s", got)
		}
	}()
	await(t, func() bool {
		got = shape(t, tab)
		// Kept whole, or loaded anew: then the history knows where the frames were, but not the added one.
		return got == "top\n other*\n other\n" || got == "top\n other*\n far*\n  farsame\n  back*\n" || got == whole
	})
}

func TestFramesKnowNamesAndLoaders(t *testing.T) {
	ip, localhost := browsertest.Serve(t, map[string]string{
		"/":  `<iframe name=one src="{localhost}/x"></iframe>`,
		"/x": `x`,
	})
	tab := browsertest.Open(t, ip+"/")
	frames, err := tab.Frames(t.Context())
	if err != nil || len(frames) != 2 {
		t.Fatalf("got %v, %v", frames, err)
	}
	f := frames[1]
	if !f.OOPIF || f.Name != "one" || f.LoaderID == "" || f.Origin != localhost || f.Session == tab.Session() || f.ParentID != frames[0].ID {
		t.Errorf("got %+v", f)
	}
}

func TestAPageThatComesBackWholeHasItsFrames(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{
		"/":   `<iframe src="/in"></iframe><iframe src="{localhost}/far"></iframe>`,
		"/in": `in`, "/far": `<iframe src="/in"></iframe>`, "/next": `next`,
	})
	tab := browsertest.Open(t, ip+"/")
	const whole = "\n in\n far*\n  in\n"
	const swapped = "\n far*\n  in\n in\n" // Frames are in the order in which they were heard of.
	await(t, func() bool { return shape(t, tab) == whole })
	browsertest.Eval(t, tab, "addEventListener('pageshow', (e) => { window.whole = e.persisted })")
	if _, err := tab.Navigate(t.Context(), ip+"/next", browser.UntilLoad, patience); err != nil {
		t.Fatal(err)
	}
	if _, err := tab.History(t.Context(), -1, browser.UntilLoad, patience); err != nil {
		t.Fatal(err)
	}
	if browsertest.Eval(t, tab, "window.whole === true") != "true" {
		t.Log("Chromium loaded the page anew")
	}
	var got string
	defer func() {
		if t.Failed() {
			t.Logf("the tree is\n%s", got)
		}
	}()
	await(t, func() bool { got = shape(t, tab); return got == whole || got == swapped })
	frames, err := tab.Frames(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range frames {
		e, err := tab.Evaluate(t.Context(), f, false, "location.href")
		if err != nil || string(e.Value) != `"`+f.URL+`"` {
			t.Errorf("frame %s answers %s, %v", f.URL, e.Value, err)
		}
	}
}

func TestFramesWithoutASource(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{"/": `<iframe id=bare></iframe><script>
		bare.contentDocument.open(); bare.contentDocument.write('<p>written'); bare.contentDocument.close();
		addEventListener('load', () => document.body.append(document.createElement('iframe')))</script>`})
	tab := browsertest.Open(t, ip+"/")
	await(t, func() bool { frames, err := tab.Frames(t.Context()); return err == nil && len(frames) == 3 })
	frames, err := tab.Frames(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{`"written"`, `""`}
	for i, f := range frames[1:] {
		if f.Origin != "null" || f.OOPIF {
			t.Errorf("got %+v", f)
		}
		e, err := tab.Evaluate(t.Context(), f, false, "document.body.innerText")
		if err != nil || string(e.Value) != texts[i] {
			t.Errorf("frame %d says %s, %v", i, e.Value, err)
		}
	}
	if frames[2].URL != "about:blank" {
		t.Errorf("got %s", frames[2].URL)
	}
}
