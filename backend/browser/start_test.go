package browser_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kuang/backend/browser"
	"kuang/backend/browser/browsertest"
)

func TestDebugPortAndAttach(t *testing.T) {
	b := own(t, browser.Options{Headless: true, DebugPort: -1}, nil)
	s := b.Status()
	if s.Transport != "port" || s.Remote || !strings.HasPrefix(s.Endpoint, "ws://127.0.0.1:") {
		t.Fatalf("got %+v", s)
	}
	if _, err := b.Open(t.Context(), browser.OpenOptions{}); err != nil {
		t.Fatal(err)
	}
	address := "http://" + strings.TrimPrefix(s.Endpoint[:strings.Index(s.Endpoint, "/devtools/")], "ws://")
	for _, where := range []string{address, s.Endpoint, strings.TrimPrefix(address, "http://")} {
		guest := browser.New(browser.Options{Attach: where})
		if err := guest.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if gs := guest.Status(); gs.Transport != "attach" || gs.PID != 0 || gs.Remote || gs.Version != s.Version {
			t.Errorf("got %+v", gs)
		}
		if listed := guest.Listed(); len(listed) == 0 || listed[0].Attached {
			t.Errorf("got %+v", listed)
		}
		if _, err := guest.Open(t.Context(), browser.OpenOptions{}); err != nil {
			t.Error(err)
		}
		if err := guest.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if b.Status().PID != s.PID || b.Status().State != browser.Running {
			t.Fatal("the guest took the browser with it")
		}
	}

	guest := browser.New(browser.Options{Attach: address})
	if err := guest.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	await(t, func() bool { return guest.Status().State == browser.Down })
	t.Log(guest.Status().Problem)
	if err := guest.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAFixedDebugPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	b := own(t, browser.Options{Headless: true, DebugPort: port}, nil)
	if want := fmt.Sprintf("ws://127.0.0.1:%d/", port); !strings.HasPrefix(b.Status().Endpoint, want) {
		t.Errorf("got %s", b.Status().Endpoint)
	}
	// What a page is told about the transport is Chromium's own word; the settings repeat it to the person.
	tab, err := b.Open(t.Context(), browser.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := browsertest.Eval(t, tab, "navigator.webdriver"); got != "false" {
		t.Errorf("over the port a page reads %s", got)
	}
	if got := browsertest.Eval(t, browsertest.Open(t, ""), "navigator.webdriver"); got != "true" {
		t.Errorf("over the pipe a page reads %s", got)
	}
}

func TestAStartThatFailsIsExplained(t *testing.T) {
	dir := t.TempDir()
	program := func(name, body string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name string
		o    browser.Options
		what string
	}{
		{"no such program", browser.Options{Executable: "/no/such/browser", Headless: true}, "/no/such/browser"},
		{"a program that gives up", browser.Options{Executable: program("gives-up", "echo 'no luck today' >&2; exit 3"), Headless: true}, "no luck today"},
		{"a missing library", browser.Options{Executable: program("no-lib", "echo 'x: error while loading shared libraries: libnss3.so' >&2; exit 127"), Headless: true}, "libnss3.so"},
		{"no display", browser.Options{Executable: program("never-run", "exit 1")}, "DISPLAY"},
		{"a profile that cannot be", browser.Options{Executable: program("never-run", "exit 1"), Headless: true, Profile: filepath.Join(file, "x")}, "profile"},
		{"nobody at the address", browser.Options{Attach: "http://127.0.0.1:1"}, "127.0.0.1:1"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if tc.o.Profile == "" {
				tc.o.Profile = filepath.Join(dir, "profile")
			}
			b := browser.New(tc.o)
			var down *browser.UnavailableError
			if err := b.Start(t.Context()); !errors.As(err, &down) || !strings.Contains(down.What, tc.what) || down.Fix == "" {
				t.Fatalf("got %v", err)
			}
			t.Log(down)
			if s := b.Status(); s.State != browser.Down || s.Problem == nil {
				t.Errorf("got %+v", s)
			}
			if err := b.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestABrowserWithAWindow(t *testing.T) {
	browsertest.Require(t)
	xvfb, err := exec.LookPath("Xvfb")
	if err != nil {
		browsertest.Lacks(t, "Xvfb for a window", err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	display := exec.Command(xvfb, "-displayfd", "3", "-screen", "0", "1400x900x24", "-nolisten", "tcp")
	display.ExtraFiles = []*os.File{write}
	if err := display.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	t.Cleanup(func() {
		_ = display.Process.Kill()
		_ = display.Wait()
	})
	number, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DISPLAY", ":"+strings.TrimSpace(number))
	b := own(t, browser.Options{}, nil)
	await(t, func() bool { return len(b.Listed()) == 1 }) // The window's first tab is the person's.
	if b.Listed()[0].Attached {
		t.Error("the person's first tab is ours")
	}
	ip, _ := browsertest.Serve(t, map[string]string{"/": `<button style="width: 200px; height: 200px" onclick="document.title = 'pressed'">x</button><textarea></textarea>`})
	for _, background := range []bool{false, true} {
		tab, err := b.Open(t.Context(), browser.OpenOptions{URL: ip + "/", Background: background})
		if err != nil {
			t.Fatal(err)
		}
		if err := tab.Mouse().Click(t.Context(), 50, 50, browser.ClickOptions{}); err != nil {
			t.Fatal(err)
		}
		if got := browsertest.Eval(t, tab, "document.title + document.visibilityState"); got != `"pressedvisible"` {
			t.Errorf("background %v: got %s", background, got)
		}
		began := time.Now()
		data, rect, err := tab.Screenshot(t.Context(), browser.ScreenshotOptions{})
		t.Logf("background %v: pictured in %d ms", background, time.Since(began).Milliseconds())
		if err != nil || len(data) == 0 || rect.W < 800 {
			t.Errorf("background %v: %d bytes, %+v, %v", background, len(data), rect, err)
		}
	}
}

func TestCloseGivesUpAStartThatHangs(t *testing.T) {
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	mute := filepath.Join(dir, "mute")
	script := "#!/bin/sh\ntouch " + started + "\nexec sleep 600\n"
	if err := os.WriteFile(mute, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	profile := filepath.Join(dir, "profile")
	b := browser.New(browser.Options{Executable: mute, Headless: true, Profile: profile})
	failed := make(chan error, 1)
	go func() { failed <- b.Start(context.Background()) }()
	await(t, func() bool { _, err := os.Stat(started); return err == nil })
	if err := b.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-failed; !errors.As(err, new(*browser.UnavailableError)) {
		t.Errorf("got %v", err)
	}
	if s := b.Status(); s.State != browser.Stopped {
		t.Errorf("got %+v", s)
	}
}
