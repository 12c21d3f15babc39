package browser_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"kuang/backend/browser"
	"kuang/backend/browser/browsertest"
)

// watcher is a page that writes down every input event it gets.
const watcher = `<!doctype html><style>body { margin: 0 } #pad { position: absolute; left: 100px; top: 100px; width: 100px; height: 50px; background: silver }</style>
<div id=pad></div>
<script>
	var log = [];
	for (const type of ['mousemove', 'mousedown', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu'])
		addEventListener(type, (e) => {
			if (type === 'contextmenu') e.preventDefault();
			log.push({ type, id: e.target.id ?? '', x: e.clientX, y: e.clientY, button: e.button, buttons: e.buttons, detail: e.detail,
				trusted: e.isTrusted, mods: [e.ctrlKey && 'c', e.shiftKey && 's', e.altKey && 'a', e.metaKey && 'm'].filter(Boolean).join('') });
		}, true);
	for (const type of ['keydown', 'keyup', 'keypress', 'beforeinput'])
		addEventListener(type, (e) => log.push({ type, key: e.key ?? '', code: e.code ?? '', keyCode: e.keyCode ?? 0, trusted: e.isTrusted, data: e.data ?? '', input: e.inputType ?? '',
			mods: [e.ctrlKey && 'c', e.shiftKey && 's', e.altKey && 'a', e.metaKey && 'm'].filter(Boolean).join('') }), true);
</script>`

type seen struct {
	Type, ID, Mods, Key, Code, Data, Input string
	X, Y                                   float64
	Button, Buttons, Detail, KeyCode       int
	Trusted                                bool
}

// events takes what the page has written down.
func events(t *testing.T, tab *browser.Tab) []seen {
	t.Helper()
	var list []seen
	if err := json.Unmarshal([]byte(browsertest.Eval(t, tab, "log.splice(0)")), &list); err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if !e.Trusted {
			t.Errorf("an untrusted %s", e.Type)
		}
	}
	return list
}

func kinds(list []seen, skip string) string {
	var names []string
	for _, e := range list {
		if e.Type != skip {
			names = append(names, e.Type)
		}
	}
	return strings.Join(names, " ")
}

func TestMouseMovesBeforeItPresses(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{"/": watcher})
	tab := browsertest.Open(t, ip+"/")
	if err := tab.Mouse().Click(t.Context(), 150, 125, browser.ClickOptions{}); err != nil {
		t.Fatal(err)
	}
	list := events(t, tab)
	moves := 0
	for _, e := range list {
		if e.Type == "mousemove" {
			moves++
		}
	}
	if moves < 2 || list[0].Type != "mousemove" {
		t.Errorf("%d moves in %v", moves, list)
	}
	if got := kinds(list, "mousemove"); got != "mousedown mouseup click" {
		t.Errorf("got %s", got)
	}
	last := list[len(list)-1]
	if last.ID != "pad" || last.X != 150 || last.Y != 125 || last.Detail != 1 || last.Button != 0 {
		t.Errorf("got %+v", last)
	}
	if down := list[len(list)-3]; down.Buttons != 1 {
		t.Errorf("the press says %d buttons", down.Buttons)
	}
	if x, y := tab.Mouse().Position(); x != 150 || y != 125 {
		t.Errorf("the mouse is at %v, %v", x, y)
	}
}

func TestMouseButtonsCountsAndModifiers(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{"/": watcher})
	tab := browsertest.Open(t, ip+"/")
	cases := []struct {
		name    string
		options browser.ClickOptions
		want    string
		details []int
		mods    string
	}{
		{"double", browser.ClickOptions{Count: 2}, "mousedown mouseup click mousedown mouseup click dblclick", []int{1, 1, 1, 2, 2, 2, 2}, ""},
		{"right", browser.ClickOptions{Button: "right"}, "mousedown contextmenu mouseup auxclick", nil, ""},
		{"middle", browser.ClickOptions{Button: "middle"}, "mousedown mouseup auxclick", nil, ""},
		{"with Control and Shift", browser.ClickOptions{Modifiers: []string{"Shift", "ctrl"}}, "keydown keydown mousedown mouseup click keyup keyup", nil, "cs"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if err := tab.Mouse().Click(t.Context(), 150, 125, tc.options); err != nil {
				t.Fatal(err)
			}
			list := events(t, tab)
			if got := kinds(list, "mousemove"); got != tc.want {
				t.Errorf("got %s", got)
			}
			var details []int
			for _, e := range list {
				if e.Type == "mousedown" && e.Mods != tc.mods {
					t.Errorf("pressed with %q", e.Mods)
				}
				if tc.details != nil && e.Type != "mousemove" {
					details = append(details, e.Detail)
				}
			}
			for i := range details {
				if details[i] != tc.details[i] {
					t.Errorf("details %v", details)
					break
				}
			}
		})
	}
	if err := tab.Mouse().Click(t.Context(), 1, 1, browser.ClickOptions{Button: "fourth"}); !errors.As(err, new(*browser.UnknownButtonError)) {
		t.Errorf("got %v", err)
	}
	if err := tab.Mouse().Click(t.Context(), 1, 1, browser.ClickOptions{Modifiers: []string{"Hyper"}}); !errors.As(err, new(*browser.UnknownKeyError)) {
		t.Errorf("got %v", err)
	}
}

func TestMouseReachesAFrameOfAnotherProcess(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{
		"/":   `<!doctype html><style>body { margin: 0 } iframe { position: absolute; left: 50px; top: 60px; border: 0; width: 300px; height: 200px }</style><iframe src="{localhost}/in"></iframe>`,
		"/in": `<!doctype html><style>body { margin: 0 } button { width: 300px; height: 200px }</style><button onclick="this.textContent = event.isTrusted + ' ' + event.clientX + ' ' + event.clientY">x</button>`,
	})
	tab := browsertest.Open(t, ip+"/")
	frames, err := tab.Frames(t.Context())
	if err != nil || len(frames) != 2 || !frames[1].OOPIF {
		t.Fatalf("got %+v, %v", frames, err)
	}
	// The browser learns where a fresh frame's surface is with its first picture.
	await(t, func() bool {
		if err := tab.Mouse().Click(t.Context(), 100, 100, browser.ClickOptions{}); err != nil {
			t.Fatal(err)
		}
		e, err := tab.Evaluate(t.Context(), frames[1], true, "document.querySelector('button').textContent")
		return err == nil && string(e.Value) == `"true 50 40"`
	})
}

func TestWheelScrolls(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{"/": `<!doctype html><div style="height: 5000px"></div>`})
	tab := browsertest.Open(t, ip+"/")
	if err := tab.Mouse().Wheel(t.Context(), 200, 200, 0, 300); err != nil {
		t.Fatal(err)
	}
	await(t, func() bool { return browsertest.Eval(t, tab, "scrollY") == "300" })
	if v, err := tab.Viewport(t.Context()); err != nil || v.ScrollY != 300 {
		t.Errorf("got %+v, %v", v, err)
	}
}

const form = `<!doctype html><title>form</title>
<form onsubmit="event.preventDefault(); document.title = 'sent ' + one.value"><input id=one autofocus><input id=two><button>send</button></form>
<textarea id=area></textarea><div id=rich contenteditable></div>`

func TestTypeReachesEveryScript(t *testing.T) {
	texts := []string{
		"plain words, 123",
		"Upper AND lower!@#$%^&*()_+{}|:\"<>?~`-=[]\\;',./",
		"Żółć ñandú straße İı",
		"日本語と한국어 中文",
		"עברית العربية",
		"👍🏽👩‍👩‍👧‍👦🇩🇪",
		"e\u0301\u0327 combining, a\u0308",
		"\u00a0\u2028x\u200b",
	}
	ip, _ := browsertest.Serve(t, map[string]string{"/": form})
	tab := browsertest.Open(t, ip+"/")
	for _, id := range []string{"one", "area", "rich"} {
		for _, text := range texts {
			browsertest.Eval(t, tab, id+".focus(); if ('value' in "+id+") "+id+".value = ''; else "+id+".textContent = ''; 1")
			if err := tab.Keyboard().Type(t.Context(), text); err != nil {
				t.Fatal(err)
			}
			var got string
			if err := json.Unmarshal([]byte(browsertest.Eval(t, tab, "'value' in "+id+" ? "+id+".value : "+id+".textContent")), &got); err != nil {
				t.Fatal(err)
			}
			// An editable element shows spaces at an edge as no-break spaces.
			if strings.ReplaceAll(got, "\u00a0", " ") != strings.ReplaceAll(text, "\u00a0", " ") && !(id == "one" && strings.Contains(text, "\u2028")) {
				t.Errorf("%s: typed %q, got %q", id, text, got)
			}
		}
	}
}

func TestTypeSendsRealKeysAndWholeCharacters(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{"/": watcher + `<textarea id=box autofocus></textarea>`})
	tab := browsertest.Open(t, ip+"/")
	browsertest.Eval(t, tab, "box.focus()")
	if err := tab.Keyboard().Type(t.Context(), "aB!\n👍🏽"); err != nil {
		t.Fatal(err)
	}
	list := events(t, tab)
	want := []seen{
		{Type: "keydown", Key: "a", Code: "KeyA", KeyCode: 65}, {Type: "keypress", Key: "a", Code: "KeyA", KeyCode: 97},
		{Type: "beforeinput", Data: "a", Input: "insertText"}, {Type: "keyup", Key: "a", Code: "KeyA", KeyCode: 65},
		{Type: "keydown", Key: "Shift", Code: "ShiftLeft", KeyCode: 16, Mods: "s"},
		{Type: "keydown", Key: "B", Code: "KeyB", KeyCode: 66, Mods: "s"}, {Type: "keypress", Key: "B", Code: "KeyB", KeyCode: 66, Mods: "s"},
		{Type: "beforeinput", Data: "B", Input: "insertText"}, {Type: "keyup", Key: "B", Code: "KeyB", KeyCode: 66, Mods: "s"},
		{Type: "keydown", Key: "!", Code: "Digit1", KeyCode: 49, Mods: "s"}, {Type: "keypress", Key: "!", Code: "Digit1", KeyCode: 33, Mods: "s"},
		{Type: "beforeinput", Data: "!", Input: "insertText"}, {Type: "keyup", Key: "!", Code: "Digit1", KeyCode: 49, Mods: "s"},
		{Type: "keyup", Key: "Shift", Code: "ShiftLeft", KeyCode: 16},
		{Type: "keydown", Key: "Enter", Code: "Enter", KeyCode: 13}, {Type: "keypress", Key: "Enter", Code: "Enter", KeyCode: 13},
		{Type: "beforeinput", Input: "insertLineBreak"}, {Type: "keyup", Key: "Enter", Code: "Enter", KeyCode: 13},
		{Type: "beforeinput", Data: "👍🏽", Input: "insertText"},
	}
	for i := range max(len(list), len(want)) {
		if i >= len(list) || i >= len(want) {
			t.Fatalf("%d events, want %d: %+v", len(list), len(want), list)
		}
		want[i].Trusted = true
		if list[i] != want[i] {
			t.Errorf("event %d is %+v, want %+v", i, list[i], want[i])
		}
	}
}

func TestEditingKeys(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{"/": form})
	tab := browsertest.Open(t, ip+"/")
	ctx := t.Context()
	keys := tab.Keyboard()
	steps := []struct {
		name  string
		press []string // Control+A, or =text to type
		look  string
		want  string
	}{
		{"select all and replace", []string{"=hello", "Control+A", "=bye"}, "one.value", `"bye"`},
		{"backspace", []string{"Backspace"}, "one.value", `"by"`},
		{"arrows, home, end and delete", []string{"Home", "Delete", "End", "=z", "ArrowLeft", "=x"}, "one.value", `"yxz"`},
		{"shift and arrow select", []string{"End", "Shift+ArrowLeft", "=!"}, "one.value", `"yx!"`},
		{"undo", []string{"Control+a", "Backspace", "ctrl+z"}, "one.value", `"yx!"`},
		{"cut and paste", []string{"Control+A", "Control+X", "Control+V", "Control+V"}, "one.value", `"yx!yx!"`},
		{"enter submits", []string{"Enter"}, "document.title", `"sent yx!yx!"`},
		{"tab moves on", []string{"Tab"}, "document.activeElement.id", `"two"`},
		{"shift and tab move back", []string{"Shift+Tab"}, "document.activeElement.id", `"one"`},
		{"space", []string{"End", "Space", " "}, "one.value", `"yx!yx!  "`},
		{"a shifted character by name", []string{"Control+A", "Backspace", "?", "Shift+1", "Q", "Shift+q"}, "one.value", `"?!QQ"`},
	}
	browsertest.Eval(t, tab, "one.focus()")
	for _, s := range steps {
		t.Run(s.name, func(t *testing.T) {
			for _, p := range s.press {
				var err error
				if text, ok := strings.CutPrefix(p, "="); ok {
					err = keys.Type(ctx, text)
				} else {
					err = keys.Press(ctx, p, nil)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if got := browsertest.Eval(t, tab, s.look); got != s.want {
				t.Errorf("got %s, want %s", got, s.want)
			}
		})
	}
	var unknown *browser.UnknownKeyError
	for _, name := range []string{"", "Banana", "Control+Banana", "Foo+A", "é"} {
		if err := keys.Press(ctx, name, nil); !errors.As(err, &unknown) {
			t.Errorf("%q: got %v", name, err)
		}
	}
}

func TestModifiersAreReleasedWhenTheCallIsGivenUp(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{"/": watcher})
	tab := browsertest.Open(t, ip+"/")
	ctx, cancel := context.WithCancel(t.Context())
	browsertest.Eval(t, tab, "addEventListener('mousedown', () => { for (const end = Date.now() + 300; Date.now() < end;); }), 1")
	failed := make(chan error, 1)
	go func() {
		failed <- tab.Mouse().Click(ctx, 150, 125, browser.ClickOptions{Modifiers: []string{"Control"}})
	}()
	await(t, func() bool { x, _ := tab.Mouse().Position(); return x == 150 })
	cancel()
	<-failed
	if err := tab.Mouse().Click(t.Context(), 160, 125, browser.ClickOptions{}); err != nil {
		t.Fatal(err)
	}
	list := events(t, tab)
	last := list[len(list)-1]
	if last.Type != "click" || last.Mods != "" || last.Buttons != 0 {
		t.Errorf("the next click is %+v", last)
	}
}

func TestInputInABackgroundTab(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{"/": watcher + `<input id=box style="position: absolute; top: 300px; left: 10px">`})
	back := browsertest.Open(t, ip+"/")
	front := browsertest.Open(t, ip+"/")
	if err := front.Activate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := back.Mouse().Click(t.Context(), 30, 310, browser.ClickOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := back.Keyboard().Type(t.Context(), "behind"); err != nil {
		t.Fatal(err)
	}
	if got := browsertest.Eval(t, back, "[box.value, document.hasFocus(), document.visibilityState].join()"); got != `"behind,true,visible"` {
		t.Errorf("got %s", got)
	}
	if got := browsertest.Eval(t, back, "new Promise(requestAnimationFrame).then(() => 'drawn')"); got != `"drawn"` {
		t.Errorf("got %s", got)
	}
}

func TestAClickThatClosesItsTab(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{
		"/":       `<button onclick="window.open('/closer')" style="width: 200px; height: 200px">open</button>`,
		"/closer": `<button onmousedown="window.close()" style="width: 200px; height: 200px">close</button>`,
	})
	tab := browsertest.Open(t, ip+"/")
	b := browsertest.Browser(t)
	if err := tab.Mouse().Click(t.Context(), 50, 50, browser.ClickOptions{}); err != nil {
		t.Fatal(err)
	}
	popup := popupOf(t, b, tab)
	if _, err := popup.Wait(t.Context(), browser.UntilLoad, patience); err != nil {
		t.Fatal(err)
	}
	if err := popup.Mouse().Click(t.Context(), 50, 50, browser.ClickOptions{}); err != nil {
		t.Errorf("got %v", err)
	}
	<-popup.Closed()
	if err := popup.Mouse().Click(t.Context(), 50, 50, browser.ClickOptions{}); !errors.As(err, new(*browser.TabGoneError)) {
		t.Errorf("afterwards: %v", err)
	}
}

// popupOf waits for a tab that the opener opened.
func popupOf(t *testing.T, b *browser.Browser, opener *browser.Tab) *browser.Tab {
	t.Helper()
	var popup *browser.Tab
	await(t, func() bool {
		for _, tab := range b.Tabs() {
			if tab.OpenerID() == opener.ID() {
				popup = tab
			}
		}
		return popup != nil
	})
	t.Cleanup(func() {
		select {
		case <-popup.Closed():
		default:
			if err := popup.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}
	})
	return popup
}
