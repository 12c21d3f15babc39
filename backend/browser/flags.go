package browser

import (
	"fmt"
	"os"
	"strconv"
)

// The size of a new window in CSS pixels when the options name none.
const (
	defaultWidth  = 1280
	defaultHeight = 800
)

// host is what the flags depend on besides the options.
type host struct {
	root     bool // Chromium's sandbox refuses to run as root
	gpu      bool // a graphics device is there
	smallShm bool // /dev/shm is too small for Chromium, as in most containers
}

// flags are Chromium's command line. Nothing in it hides what the browser is from a page: over the pipe Chromium
// itself says navigator.webdriver, and Kuang leaves it so.
func flags(o Options, h host) []string {
	args := []string{
		"--user-data-dir=" + o.Profile,
		"--no-first-run",
		"--no-default-browser-check",
		"--disable-background-networking",
		"--disable-component-update",
		"--disable-sync",
		"--disable-breakpad",
		"--hide-crash-restore-bubble",
		// A tab that is covered or behind another one still renders, scrolls and runs its timers.
		"--disable-backgrounding-occluded-windows",
		"--disable-renderer-backgrounding",
		"--disable-background-timer-throttling",
		// No question to the desktop's key ring: the profile is Kuang's own.
		"--password-store=basic",
		"--use-mock-keychain",
		// A prerendered page takes over a tab under another main frame, behind the session that drives the tab.
		"--disable-features=Prerender2,Translate",
		"--window-size=" + windowSize(o),
	}
	switch {
	case o.DebugPort == 0:
		args = append(args, "--remote-debugging-pipe")
	case o.DebugPort < 0:
		args = append(args, "--remote-debugging-port=0")
	default:
		args = append(args, "--remote-debugging-port="+strconv.Itoa(o.DebugPort))
	}
	if o.DebugPort != 0 {
		args = append(args, "--remote-debugging-address=127.0.0.1")
	}
	if o.Headless {
		args = append(args, "--headless", "--mute-audio", "--no-startup-window")
		if !h.gpu {
			args = append(args, "--disable-gpu")
		}
	}
	if h.root {
		args = append(args, "--no-sandbox")
	}
	if h.smallShm {
		args = append(args, "--disable-dev-shm-usage")
	}
	return append(args, o.ExtraFlags...)
}

func windowSize(o Options) string {
	w, h := o.WindowWidth, o.WindowHeight
	if w <= 0 || h <= 0 {
		w, h = defaultWidth, defaultHeight
	}
	return fmt.Sprintf("%d,%d", w, h)
}

func thisHost() host {
	return host{root: os.Geteuid() == 0, gpu: hasGPU(), smallShm: smallShm()}
}
