package shadowwalk

import (
	"context"
	"os"
	"strings"
	"testing"

	"kuang/backend/browser"
	"kuang/backend/browser/browsertest"
	"kuang/settings"
)

// probePage is a page with a closed root in itself and in a frame. Its own probes tell what its scripts see.
var probePage = map[string]string{
	"/": `<!doctype html><title>Probe</title><div id=h></div><iframe src="/child"></iframe>
		<script>h.attachShadow({mode: "closed", delegatesFocus: true}).innerHTML = "<button>Top</button>";
		sees = () => [h.shadowRoot !== null, frames[0].h.shadowRoot !== null].join()</script>`,
	"/child": `<!doctype html><div id=h></div><script>h.attachShadow({mode: "closed"}).innerHTML = "<button>Child</button>"</script>`,
	"/popup": `<!doctype html><div id=h></div><script>h.attachShadow({mode: "closed"})</script>`,
}

func openStore(t *testing.T, env map[string]string) *settings.Store {
	t.Helper()
	s, err := settings.Open(t.TempDir(), func(k string) string { return env[k] })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ownBrowser is a browser of this test's own: force-open would change the tabs of the others.
func ownBrowser(t *testing.T) *browser.Browser {
	t.Helper()
	browsertest.Require(t)
	b := browser.New(browser.Options{Profile: t.TempDir(), Headless: true})
	if err := b.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close(context.WithoutCancel(t.Context())) })
	return b
}

func follow(t *testing.T, b *browser.Browser, s *settings.Store) *ForceOpen {
	t.Helper()
	f := NewForceOpen(b, s, nil)
	f.Start(t.Context())
	t.Cleanup(func() { f.Close() })
	return f
}

func openIn(t *testing.T, b *browser.Browser, url string) *browser.Tab {
	t.Helper()
	tab, err := b.Open(t.Context(), browser.OpenOptions{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

func reload(t *testing.T, tab *browser.Tab) {
	t.Helper()
	if _, err := tab.Reload(t.Context(), false, browser.UntilLoad, 0); err != nil {
		t.Fatal(err)
	}
}

func sees(t *testing.T, tab *browser.Tab) string {
	t.Helper()
	return strings.Trim(browsertest.Eval(t, tab, "sees()"), `"`)
}

func patched(t *testing.T, f *ForceOpen) string {
	t.Helper()
	var list []string
	for _, p := range f.Patched(t.Context()) {
		list = append(list, p.ID+" "+p.Host)
	}
	return strings.Join(list, ", ")
}

// Arming and disarming hold from the next document on, in the page, in its frame and in a new tab; the list
// of patched tabs is what the documents say, not what the lever says.
func TestForceOpenFollowsTheLever(t *testing.T) {
	b := ownBrowser(t)
	ip, _ := browsertest.Serve(t, probePage)
	store := openStore(t, nil)
	f := follow(t, b, store)
	tab := openIn(t, b, ip+"/")
	if got := sees(t, tab); got != "false,false" || f.Armed() || patched(t, f) != "" {
		t.Fatalf("before: the page sees %s, armed %v, patched %q", got, f.Armed(), patched(t, f))
	}
	w := New(nil)
	if r, err := w.Find(t.Context(), tab, Query{}); err != nil || len(r.Controls) != 2 {
		t.Errorf("before: sealed are %v, %v", labels(r.Controls), err)
	}

	if err := store.Set(ForceOpenLever, true); err == nil {
		t.Error("the lever turned on without its confirm")
	}
	if err := store.Arm(ForceOpenLever, "ARM"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the script in every session", func() bool { return scripts(tab) >= 1 })
	if got := sees(t, tab); got != "false,false" || patched(t, f) != "" {
		t.Errorf("armed, not reloaded: the page sees %s, patched %q", got, patched(t, f))
	}
	reload(t, tab)
	if got := sees(t, tab); got != "true,true" {
		t.Errorf("armed and reloaded: the page sees %s, want open everywhere", got)
	}
	if got := browsertest.Eval(t, tab, `[h.shadowRoot.mode, h.shadowRoot.delegatesFocus, Element.prototype.attachShadow.toString().includes("closed")]`); got != `["open",true,true]` {
		t.Errorf("the opened root is %s", got)
	}
	if r, err := w.Find(t.Context(), tab, Query{}); err != nil || len(r.Controls) != 0 {
		t.Errorf("armed: sealed are %v, %v; nothing is sealed any more", labels(r.Controls), err)
	}
	second := openIn(t, b, ip+"/popup")
	if got, want := patched(t, f), tab.ID()+" 127.0.0.1, "+second.ID()+" 127.0.0.1"; got != want {
		t.Errorf("patched are %q, want %q", got, want)
	}

	if err := store.Set(ForceOpenLever, false); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the script to be removed", func() bool { return scripts(second) == 0 && scripts(tab) == 0 })
	if got := sees(t, tab); got != "true,true" || !strings.HasPrefix(patched(t, f), tab.ID()) {
		t.Errorf("disarmed, not reloaded: the page sees %s, patched %q; it stays patched", got, patched(t, f))
	}
	reload(t, tab)
	reload(t, second)
	if got := sees(t, tab); got != "false,false" || patched(t, f) != "" {
		t.Errorf("disarmed and reloaded: the page sees %s, patched %q", got, patched(t, f))
	}
}

// scripts is how many document-start scripts the tab's session holds.
func scripts(tab *browser.Tab) int64 {
	c := tab.Session().Counts()
	return c["Page.addScriptToEvaluateOnNewDocument"] - c["Page.removeScriptToEvaluateOnNewDocument"]
}

// The variable arms for one run and leaves the file alone; KUANG_SHADOW_WALK=off and the master switch win over all.
func TestForceOpenVariables(t *testing.T) {
	b := ownBrowser(t)
	ip, _ := browsertest.Serve(t, probePage)
	for _, tc := range []struct {
		name string
		env  map[string]string
		set  func(s *settings.Store) error
		want string
	}{
		{"the variable", map[string]string{"KUANG_FORCE_OPEN_SHADOW": "1"}, nil, "true"},
		{"off wins over the variable", map[string]string{"KUANG_FORCE_OPEN_SHADOW": "1", "KUANG_SHADOW_WALK": "off"}, nil, "false"},
		{"off wins over the lever", map[string]string{"KUANG_SHADOW_WALK": "off"},
			func(s *settings.Store) error { return s.Arm(ForceOpenLever, "ARM") }, "false"},
		{"the master switch wins over the variable", map[string]string{"KUANG_FORCE_OPEN_SHADOW": "1"},
			func(s *settings.Store) error { return s.Set(settings.Master, false) }, "false"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			store := openStore(t, tc.env)
			if tc.set != nil {
				if err := tc.set(store); err != nil {
					t.Fatal(err)
				}
			}
			f := follow(t, b, store)
			tab := openIn(t, b, ip+"/popup")
			defer tab.Close(t.Context())
			if got := browsertest.Eval(t, tab, "h.shadowRoot !== null"); got != tc.want {
				t.Errorf("the page sees an open root: %s, want %s", got, tc.want)
			}
			if got := f.Armed(); got != (tc.want == "true") {
				t.Errorf("armed is %v", got)
			}
			if err := b.SetDocumentStart(t.Context(), scriptKey, ""); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// A page that breaks what the probe needs, or answers nothing, does not hold up the list.
func TestPatchedBusyPage(t *testing.T) {
	b := ownBrowser(t)
	ip, _ := browsertest.Serve(t, map[string]string{
		"/":     `<script>h = document.createElement("div"); h.attachShadow({mode: "closed"})</script>`,
		"/busy": `<script>addEventListener("load", () => setTimeout(() => { for (;;) ; }, 100))</script>`,
	})
	f := follow(t, b, openStore(t, map[string]string{"KUANG_FORCE_OPEN_SHADOW": "1"}))
	openIn(t, b, ip+"/busy")
	tab := openIn(t, b, strings.Replace(ip, "127.0.0.1", "localhost", 1)+"/") // another site, so another process
	waitFor(t, "the page that answers, and it alone", func() bool { return patched(t, f) == tab.ID()+" localhost" })
}

// The script throws what attachShadow throws, and changes only what it must.
func TestForceOpenScript(t *testing.T) {
	source, err := os.ReadFile("forceopen.js")
	if err != nil {
		t.Fatal(err)
	}
	ip, _ := browsertest.Serve(t, map[string]string{"/": `<script>const before = Element.prototype.attachShadow;
		const outcome = (fn) => { try { return String(fn()) } catch (e) { return e.name } };
		const make = (tag, init) => outcome(() => document.createElement(tag).attachShadow(init).mode);
		const all = () => [make("div", {mode: "open"}), make("div"), make("div", null), make("div", {}), make("div", {mode: "ajar"}), make("input", {mode: "closed"}),
			outcome(() => { const h = document.createElement("div"); h.attachShadow({mode: "closed"}); h.attachShadow({mode: "closed"}) }),
			outcome(() => document.createElement("div").attachShadow(Object.create({mode: "closed", slotAssignment: "manual"})).slotAssignment)];
		const natural = all();
		` + string(source) + `
		const patched = all();
		const opened = make("div", {mode: "closed"}), inherited = make("div", Object.create({mode: "closed"}));</script>`})
	tab := browsertest.Open(t, ip+"/")
	if got := browsertest.Eval(t, tab, `[natural.join() === patched.join(), opened, inherited, natural.join()]`); !strings.HasPrefix(got, `[true,"open","open",`) {
		t.Errorf("beside the native one the patched attachShadow gives %s and %s", got, browsertest.Eval(t, tab, "patched"))
	}
}
