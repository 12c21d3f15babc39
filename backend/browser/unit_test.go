package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kuang/backend/cdp"
)

func TestFlags(t *testing.T) {
	has := func(args []string, want string) bool { return slices.Contains(args, want) }
	cases := []struct {
		name string
		o    Options
		h    host
		want []string
		not  []string
	}{
		{"the pipe with a window", Options{Profile: "/p"}, host{gpu: true},
			[]string{"--user-data-dir=/p", "--remote-debugging-pipe", "--window-size=1280,800", "--disable-renderer-backgrounding"},
			[]string{"--headless", "--no-sandbox", "--disable-gpu", "--no-startup-window", "--enable-automation", "--disable-dev-shm-usage"}},
		{"headless in a container, as root", Options{Headless: true}, host{root: true, smallShm: true},
			[]string{"--headless", "--disable-gpu", "--no-startup-window", "--no-sandbox", "--disable-dev-shm-usage"}, nil},
		{"a port", Options{DebugPort: 9333, WindowWidth: 800, WindowHeight: 600}, host{},
			[]string{"--remote-debugging-port=9333", "--remote-debugging-address=127.0.0.1", "--window-size=800,600"}, []string{"--remote-debugging-pipe"}},
		{"a free port and more flags", Options{DebugPort: -1, ExtraFlags: []string{"--lang=de"}}, host{},
			[]string{"--remote-debugging-port=0", "--lang=de"}, []string{"--remote-debugging-pipe"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			args := flags(tc.o, tc.h)
			for _, w := range tc.want {
				if !has(args, w) {
					t.Errorf("%s is missing in %v", w, args)
				}
			}
			for _, n := range tc.not {
				if has(args, n) {
					t.Errorf("%s is in %v", n, args)
				}
			}
			for _, a := range args {
				// What would hide the browser's nature from pages is never set.
				if strings.Contains(a, "AutomationControlled") || strings.HasPrefix(a, "--user-agent") {
					t.Errorf("%s forges", a)
				}
			}
		})
	}
}

func TestLocate(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"google-chrome", "chromium", "brave-browser", "my-edge"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	none := func(string) string { return "" }
	named := func(value string) func(string) string {
		return func(key string) string {
			if key == "KUANG_BROWSER" {
				return value
			}
			return ""
		}
	}
	cases := []struct {
		name    string
		setting string
		env     func(string) string
		file    string
		product string
	}{
		{"the first that is there", "", none, "chromium", "Chromium"},
		{"the variable", "", named("google-chrome"), "google-chrome", "Google Chrome"},
		{"the setting before the variable", filepath.Join(dir, "my-edge"), named("google-chrome"), "my-edge", "Microsoft Edge"},
		{"brave by name", "brave-browser", none, "brave-browser", "Brave"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			path, product, tried, err := Locate(tc.setting, tc.env)
			if err != nil || path != filepath.Join(dir, tc.file) || product != tc.product || len(tried) == 0 {
				t.Errorf("got %s, %s, %v, %v", path, product, tried, err)
			}
		})
	}
	var down *UnavailableError
	if _, _, _, err := Locate("", named("gone")); !errors.As(err, &down) || !strings.Contains(down.What, "KUANG_BROWSER") {
		t.Errorf("a variable that names nothing: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, _, tried, err := Locate("", none); !errors.As(err, &down) || len(tried) < 4 || !slices.Equal(down.Tried, tried) {
		t.Errorf("nothing installed: %v, tried %v", err, tried)
	}
}

func TestCandidatesOnOtherSystems(t *testing.T) {
	env := func(key string) string {
		if key == "ProgramFiles" {
			return `C:\Program Files`
		}
		return ""
	}
	if got := candidates("windows", env); len(got) != 4 || got[0].path != `C:\Program Files\Chromium\Application\chrome.exe` {
		t.Errorf("windows: %v", got)
	}
	if got := candidates("darwin", env); len(got) != 4 || !strings.HasSuffix(got[1].path, "/Google Chrome") {
		t.Errorf("darwin: %v", got)
	}
}

func TestProfileHolder(t *testing.T) {
	host := hostname()
	cases := []struct {
		name, link string
		held       bool
		problem    string
	}{
		{"no lock", "", false, ""},
		{"a dead process", host + "-2147483646", false, ""},
		{"a number that another program has now", fmt.Sprintf("%s-%d", host, os.Getpid()), false, ""},
		{"another machine", "elsewhere-4711", false, "on the machine elsewhere"},
		{"nonsense", "nonsense", false, ""},
		{"a name with dashes", "a-b-c-x", false, ""},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			if tc.link != "" {
				if err := os.Symlink(tc.link, filepath.Join(dir, lockFile)); err != nil {
					t.Fatal(err)
				}
			}
			if _, held := ProfileHolder(dir); held != tc.held {
				t.Errorf("held %v", held)
			}
			p := profileProblem(dir)
			if (p == nil) != (tc.problem == "") || p != nil && !strings.Contains(p.What, tc.problem) {
				t.Errorf("got %+v", p)
			}
		})
	}
}

func TestDiagnose(t *testing.T) {
	cases := []struct{ path, output, what, fix string }{
		{"/usr/bin/chromium", "x\n[1:2:ERROR] Missing X server or $DISPLAY\n", "display", "--headless"},
		{"/usr/bin/chromium", "x: error while loading shared libraries: libnss3.so: cannot open", "libnss3.so", "Reinstall"},
		{"/snap/bin/chromium", "mkdir: cannot create directory", "ended while it started", "snap"},
		{"/usr/bin/chromium", "", "ended while it started.", "terminal"},
		{"/usr/bin/chromium", strings.Repeat("ä", 500), "…", "terminal"},
	}
	for _, tc := range cases {
		p := diagnose(tc.path, tc.output)
		if !strings.Contains(p.What, tc.what) || !strings.Contains(p.Fix, tc.fix) || len(p.What) > 400 {
			t.Errorf("%q: got %+v", tc.output, p)
		}
	}
}

func TestTail(t *testing.T) {
	var out tail
	found := out.after("DevTools listening on ")
	for _, part := range []string{"noise\nDevTools lis", "tening on ws://127.0.0.1:1/x", "\r\nmore"} {
		fmt.Fprint(&out, part)
	}
	if got := <-found; got != "ws://127.0.0.1:1/x" {
		t.Errorf("got %q", got)
	}
	fmt.Fprint(&out, strings.Repeat("y", 3*maxOutput), "end")
	if got := out.String(); len(got) != maxOutput || !strings.HasSuffix(got, "end") {
		t.Errorf("kept %d bytes", len(got))
	}
}

func TestParseKey(t *testing.T) {
	cases := []struct {
		in         string
		held       Modifiers
		name, code string
		windows    int64
	}{
		{"a", 0, "a", "KeyA", 65},
		{"A", 0, "A", "KeyA", 65},
		{"Enter", 0, "Enter", "Enter", 13},
		{"enter", 0, "Enter", "Enter", 13},
		{"Return", 0, "Enter", "Enter", 13},
		{"esc", 0, "Escape", "Escape", 27},
		{"down", 0, "ArrowDown", "ArrowDown", 40},
		{"F12", 0, "F12", "F12", 123},
		{"PageUp", 0, "PageUp", "PageUp", 33},
		{"Control+Shift+K", Control | Shift, "K", "KeyK", 75},
		{"ctrl+cmd+alt+Delete", Control | Meta | Alt, "Delete", "Delete", 46},
		{"Control++", Control, "+", "Equal", 187},
		{"+", 0, "+", "Equal", 187},
		{"Shift", 0, "Shift", "ShiftLeft", 16},
		{"Control+Alt", Control, "Alt", "AltLeft", 18},
		{" ", 0, " ", "Space", 32},
		{"Space", 0, " ", "Space", 32},
	}
	for _, tc := range cases {
		held, k, err := parseKey(tc.in)
		if err != nil || held != tc.held || k.name != tc.name || k.code != tc.code || k.windows != tc.windows {
			t.Errorf("%q: got %v %+v, %v", tc.in, held, k, err)
		}
	}
	for _, bad := range []string{"", "++", "Contrl+A", "Hello", "é", "Control+", "\x00"} {
		if held, k, err := parseKey(bad); !errors.As(err, new(*UnknownKeyError)) {
			t.Errorf("%q: got %v %+v, %v", bad, held, k, err)
		}
	}
}

func FuzzParseKey(f *testing.F) {
	for _, seed := range []string{"a", "Control+A", "++", "Shift+Tab", "é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		held, k, err := parseKey(in)
		if err == nil && (k.name == "" || held < 0 || held > 15) {
			t.Fatalf("%q: %v %+v", in, held, k)
		}
	})
}

func TestEditingOnAMac(t *testing.T) {
	_, a, _ := parseKey("a")
	if got := editing("darwin", a, Meta); !slices.Equal(got, []string{"selectAll"}) {
		t.Errorf("got %v", got)
	}
	if editing("darwin", a, Meta|Shift) != nil || editing("linux", a, Meta) != nil {
		t.Error("a command where none belongs")
	}
}

func TestTurnstileIsFair(t *testing.T) {
	var q turnstile
	never := make(chan struct{})
	ctx := t.Context()
	if err := q.enter(ctx, never); err != nil {
		t.Fatal(err)
	}
	const callers = 20
	var order []int
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			cctx, cancel := context.WithCancel(ctx)
			defer cancel()
			if i%3 == 1 {
				cancel()
			}
			if err := q.enter(cctx, never); err != nil {
				return
			}
			mu.Lock()
			order = append(order, i)
			mu.Unlock()
			q.leave()
		})
		if i%3 != 1 {
			queued(&q, waiting3(i)) // The next one asks after this one.
		}
	}
	q.leave()
	wg.Wait()
	if !slices.IsSorted(order) || len(order) != waiting3(callers-1) {
		t.Errorf("the order is %v", order)
	}
	closed := make(chan struct{})
	close(closed)
	if err := q.enter(ctx, closed); !errors.Is(err, cdp.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if err := q.enter(ctx, never); err != nil {
		t.Errorf("it is left taken: %v", err)
	}
}

// waiting3 is how many of the callers 0 to i wait, when every third gives up.
func waiting3(i int) int { return i + 1 - (i+2)/3 }

// queued spins until n callers wait.
func queued(q *turnstile, n int) {
	for {
		q.mu.Lock()
		have := len(q.queue)
		q.mu.Unlock()
		if have >= n {
			return
		}
	}
}

func TestAnnouncerKeepsTheOrder(t *testing.T) {
	b := New(Options{})
	const events = 500
	heard := make(chan string, events)
	cancel := b.Subscribe(func(e Event) { heard <- e.TabID })
	for i := range events {
		b.events.announce(Event{Kind: TabChanged, TabID: fmt.Sprint(i)})
	}
	for i := range events {
		if got := <-heard; got != fmt.Sprint(i) {
			t.Fatalf("heard %s at %d", got, i)
		}
	}
	cancel()
	b.events.announce(Event{Kind: TabChanged})
	if len(heard) != 0 {
		t.Error("heard after cancel")
	}
}

func TestSocketOfRefusesWhatIsNoBrowser(t *testing.T) {
	for _, bad := range []string{"", "http://", "http://127.0.0.1:1", "::::"} {
		if got, err := socketOf(t.Context(), bad); err == nil {
			t.Errorf("%q: got %s", bad, got)
		}
	}
	if got, err := socketOf(t.Context(), "ws://10.0.0.1:9222/devtools/browser/x"); err != nil || got != "ws://10.0.0.1:9222/devtools/browser/x" || isLoopback(got) {
		t.Errorf("got %s, %v", got, err)
	}
	for _, local := range []string{"ws://localhost:1/", "ws://127.3.2.1:1/", "ws://[::1]:1/"} {
		if !isLoopback(local) {
			t.Errorf("%s is not loopback", local)
		}
	}
}

func TestScriptIsAlwaysBounded(t *testing.T) {
	if got := scriptLimit(t.Context()); got != scriptTimeout {
		t.Errorf("without a deadline: %s", got)
	}
	soon, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if got := scriptLimit(soon); got <= 0 || got > time.Second {
		t.Errorf("with a second left: %s", got)
	}
	cancelled, stop := context.WithDeadline(t.Context(), time.Now().Add(-time.Hour))
	defer stop()
	if got := scriptLimit(cancelled); got <= 0 {
		t.Errorf("with no time left: %s, which Chromium takes for no limit", got)
	}
}
