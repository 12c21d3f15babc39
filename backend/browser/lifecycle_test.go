package browser_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	protobrowser "github.com/chromedp/cdproto/browser"
	proto "github.com/chromedp/cdproto/cdp"

	"kuang/backend/browser"
	"kuang/backend/browser/browsertest"
	"kuang/backend/cdp"
)

// helperProfile makes the test binary a stand-in for Kuang: it starts a browser on this profile and waits to be killed.
const helperProfile = "KUANG_TEST_HELPER_PROFILE"

func helper(profile string) int {
	b := browser.New(browser.Options{Profile: profile, Headless: true})
	if err := b.Start(context.Background()); err != nil {
		fmt.Println("error", err)
		return 1
	}
	if _, err := b.Open(context.Background(), browser.OpenOptions{}); err != nil {
		fmt.Println("error", err)
		return 1
	}
	fmt.Println("ready", b.Status().PID)
	select {}
}

// own starts a browser of the test's own and closes it when the test ends.
func own(t *testing.T, o browser.Options, clock func() time.Time) *browser.Browser {
	t.Helper()
	browsertest.Require(t)
	if o.Profile == "" {
		o.Profile = filepath.Join(t.TempDir(), "profile")
	}
	b := browser.New(o)
	if clock != nil {
		b.SetClock(clock)
	}
	t.Cleanup(func() {
		if err := b.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := b.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b
}

// processes are the pids of the live processes that were started on the profile.
func processes(t *testing.T, profile string) []int {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("processes are read from /proc")
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		// Each process of a browser that uses the profile names it; a zombie has no command line.
		line, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if err == nil && bytes.Contains(line, []byte(profile)) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func kill(t *testing.T, pid int) {
	t.Helper()
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestCloseLeavesNothingBehind(t *testing.T) {
	profile := filepath.Join(t.TempDir(), "profile")
	began := time.Now()
	b := own(t, browser.Options{Profile: profile, Headless: true}, nil)
	t.Logf("started in %d ms", time.Since(began).Milliseconds())
	s := b.Status()
	if s.State != browser.Running || s.Transport != "pipe" || s.Version == "" || s.Product == "" || s.PID == 0 || !s.Headless || s.NoSandbox != (os.Geteuid() == 0) {
		t.Errorf("got %+v", s)
	}
	tab, err := b.Open(t.Context(), browser.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(processes(t, profile)) == 0 {
		t.Fatal("the browser cannot be seen")
	}
	hanging := make(chan error, 1)
	go func() {
		_, err := tab.Evaluate(context.Background(), browser.Frame{Session: tab.Session()}, true, "new Promise(() => {})")
		hanging <- err
	}()
	began = time.Now()
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("closed in %d ms", time.Since(began).Milliseconds())
	if err := <-hanging; !errors.Is(err, cdp.ErrClosed) {
		t.Errorf("the call under way got %v", err)
	}
	<-tab.Closed()
	if left := processes(t, profile); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if s := b.Status(); s.State != browser.Stopped || s.PID != 0 {
		t.Errorf("got %+v", s)
	}
	if err := b.Ready(t.Context()); !errors.As(err, new(*browser.UnavailableError)) {
		t.Errorf("got %v", err)
	}
	// It can be started again, on what it saved.
	if err := b.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestTheBrowserDiesWithKuang(t *testing.T) {
	browsertest.Require(t)
	profile := filepath.Join(t.TempDir(), "profile")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperProfile+"="+profile)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "ready ") {
		t.Fatalf("got %q, %v", line, err)
	}
	if len(processes(t, profile)) < 2 {
		t.Error("the browser cannot be seen")
	}
	kill(t, cmd.Process.Pid)
	_ = cmd.Wait() // It was killed.
	await(t, func() bool { return len(processes(t, profile)) == 0 })
}

func TestACrashIsRepairedOnce(t *testing.T) {
	var passed atomic.Int64
	clock := func() time.Time { return time.Now().Add(time.Duration(passed.Load())) }
	b := own(t, browser.Options{Headless: true}, clock)
	ctx := t.Context()
	first, err := b.Open(ctx, browser.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var states []browser.State
	changed := make(chan browser.Event, 100)
	defer b.Subscribe(func(e browser.Event) { changed <- e })()

	hanging := make(chan error, 1)
	go func() {
		_, err := first.Evaluate(ctx, browser.Frame{Session: first.Session()}, true, "new Promise(() => {})")
		hanging <- err
	}()
	kill(t, b.Status().PID)
	if err := <-hanging; !errors.Is(err, cdp.ErrClosed) {
		t.Errorf("the call under the crash got %v", err)
	}
	<-first.Closed()
	// The next call waits for the restart and works.
	second, err := b.Open(ctx, browser.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if second.ID() == first.ID() {
		t.Errorf("%s is used again", first.ID())
	}
	if s := b.Status(); s.Restarts != 1 || s.State != browser.Running || s.Problem != nil {
		t.Errorf("got %+v", s)
	}

	// A second time within the window is the end of the automatic.
	kill(t, b.Status().PID)
	await(t, func() bool { return b.Status().State == browser.Down })
	var down *browser.UnavailableError
	if err := b.Ready(ctx); !errors.As(err, &down) || down.What == "" || down.Fix == "" {
		t.Errorf("got %v", err)
	} else {
		t.Log(down)
	}
	if _, err := b.Open(ctx, browser.OpenOptions{}); !errors.As(err, &down) {
		t.Errorf("got %v", err)
	}
	// Left alone for a while, a call brings it back.
	passed.Add(int64(browser.CoolOff + time.Second))
	if err := b.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	// Long after, a crash is repaired again.
	passed.Add(int64(browser.CrashWindow + time.Second))
	kill(t, b.Status().PID)
	await(t, func() bool { return b.Status().Restarts == 2 && b.Status().State == browser.Running })
	// The person's Restart always tries, also from down.
	kill(t, b.Status().PID)
	await(t, func() bool { return b.Status().State == browser.Down })
	if err := b.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	pid := b.Status().PID
	if err := b.Restart(ctx); err != nil || b.Status().PID == pid {
		t.Errorf("restarting a running browser: %v", err)
	}
	for len(changed) > 0 {
		if e := <-changed; e.Kind == browser.StatusChanged {
			states = append(states, b.Status().State)
		}
	}
	if len(states) < 6 {
		t.Errorf("heard of %d changes", len(states))
	}
}

func TestABrowserThatThePersonClosesStartsWithTheNextCall(t *testing.T) {
	b := own(t, browser.Options{Headless: true}, nil)
	_, _ = cdp.Call(t.Context(), b.Connection().Root(), protobrowser.Close, proto.Empty{}) // The answer may be lost.
	await(t, func() bool { return b.Status().State == browser.Down })
	if p := b.Status().Problem; p == nil || !strings.Contains(p.What, "closed") || b.Status().Restarts != 0 {
		t.Errorf("got %+v", b.Status())
	}
	if _, err := b.Open(t.Context(), browser.OpenOptions{}); err != nil {
		t.Error(err)
	}
}

func TestALockedProfileIsExplained(t *testing.T) {
	profile := filepath.Join(t.TempDir(), "profile")
	b := own(t, browser.Options{Profile: profile, Headless: true}, nil)
	pid, held := browser.ProfileHolder(profile)
	if !held || pid != b.Status().PID {
		t.Errorf("held by %d, %v, want %d", pid, held, b.Status().PID)
	}
	other := browser.New(browser.Options{Profile: profile, Headless: true})
	var down *browser.UnavailableError
	if err := other.Start(t.Context()); !errors.As(err, &down) || !strings.Contains(down.What, strconv.Itoa(pid)) {
		t.Errorf("got %v", err)
	}
	if b.Status().State != browser.Running {
		t.Error("the first browser suffered")
	}
	if err := other.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
