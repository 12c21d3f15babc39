package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"kuang/backend/api"
	"kuang/backend/browser"
	"kuang/backend/store"
	"kuang/settings"
)

// finding is one line of the doctor: what was looked at, what was seen, and the fix where it is not well.
type finding struct {
	name, seen, fix string
	well            bool
}

func well(name, format string, args ...any) finding {
	return finding{name: name, seen: fmt.Sprintf(format, args...), well: true}
}

func ill(name, seen, fix string) finding { return finding{name: name, seen: seen, fix: fix} }

// doctor looks at everything that Kuang needs, prints a line each and reports whether all is well. It changes nothing.
func doctor(ctx context.Context, h home, env func(string) string, w io.Writer) bool {
	prefs, err := settings.OpenPreferences(string(h))
	if err != nil {
		fmt.Fprintf(w, "ill   settings    %v\n", err)
		return false
	}
	p := prefs.Get()
	all := true
	for _, f := range []finding{
		examineExecutable(ctx, p.Browser.Executable, env),
		examineProfile(h.path("profile")),
		examinePort(ctx, h, p.API.Port),
		examineToken(h),
		examineDatabase(h.path("kuang.db")),
		examineDisplay(env),
		examineGTK(),
	} {
		mark := "ok  "
		if !f.well {
			mark, all = "ill ", false
		}
		line := fmt.Sprintf("%s  %-10s  %s", mark, f.name, f.seen)
		if f.fix != "" {
			line += " Fix: " + f.fix
		}
		fmt.Fprintln(w, line)
	}
	return all
}

// versionTimeout bounds a browser that does not answer --version.
const versionTimeout = 10 * time.Second

func examineExecutable(ctx context.Context, name string, env func(string) string) finding {
	path, product, tried, err := browser.Locate(name, env)
	if err != nil {
		return ill("executable", "No browser found; tried "+strings.Join(tried, ", ")+".",
			"install chromium, or set KUANG_BROWSER to a Chromium, Chrome, Edge or Brave.")
	}
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return ill("executable", fmt.Sprintf("%s (%s) does not start: %v.", path, product, err), "reinstall it.")
	}
	return well("executable", "%s, %s.", path, strings.TrimSpace(string(out)))
}

func examineProfile(dir string) finding {
	if pid, held := browser.ProfileHolder(dir); held {
		return well("profile", "%s, in use by process %d.", dir, pid)
	}
	if err := probeWritable(dir); err != nil {
		return ill("profile", fmt.Sprintf("%s cannot be written: %v.", dir, err), "set KUANG_HOME to a folder that can be written.")
	}
	return well("profile", "%s.", dir)
}

// probeWritable writes and removes a file in dir, or in the nearest parent that exists.
func probeWritable(dir string) error {
	for {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.CreateTemp(dir, ".kuang-probe-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// pingTimeout bounds the question to whoever holds the port.
const pingTimeout = 2 * time.Second

func examinePort(ctx context.Context, h home, port int) finding {
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	l, err := net.Listen("tcp", address)
	if err == nil {
		l.Close()
		return well("port", "%s is free.", address)
	}
	if e, err := h.endpoint(); err == nil && strings.Contains(e.URL, ":"+strconv.Itoa(port)) {
		ctx, cancel := context.WithTimeout(ctx, pingTimeout)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, e.URL+"/v1/ping", nil)
		if err == nil {
			if res, err := http.DefaultClient.Do(req); err == nil {
				res.Body.Close()
				return well("port", "%s, where Kuang answers (process %d).", address, e.PID)
			}
		}
	}
	return ill("port", fmt.Sprintf("%s is taken by another program.", address), "start Kuang with --port 0 or another port.")
}

func examineToken(h home) finding {
	path := h.path(api.TokenFile)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return well("token", "%s is made at the first start.", path)
	case err != nil:
		return ill("token", fmt.Sprintf("%s cannot be read: %v.", path, err), "make it readable for you, or remove it: a new one is made.")
	case info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows":
		return ill("token", path+" can be read by other users.", "chmod 600 "+path)
	}
	return well("token", "%s.", path)
}

func examineDatabase(path string) finding {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		if err := probeWritable(filepath.Dir(path)); err != nil {
			return ill("database", fmt.Sprintf("%s cannot be made: %v.", path, err), "set KUANG_HOME to a folder that can be written.")
		}
		return well("database", "%s is made at the first start.", path)
	}
	if err := store.Check(path); err != nil {
		return ill("database", fmt.Sprintf("%s cannot be used: %v.", path, err),
			"make it readable and writable for you; a damaged one is set aside at the next start, which makes a new one.")
	}
	return well("database", "%s.", path)
}

func examineDisplay(env func(string) string) finding {
	for _, name := range []string{"WAYLAND_DISPLAY", "DISPLAY"} {
		if v := env(name); v != "" {
			return well("display", "%s=%s.", name, v)
		}
	}
	if runtime.GOOS != "linux" {
		return well("display", "the desktop of %s.", runtime.GOOS)
	}
	return ill("display", "No display.", "kuang serve --headless works without one.")
}

func examineGTK() finding {
	if runtime.GOOS != "linux" {
		return well("gtk", "not needed on %s.", runtime.GOOS)
	}
	for _, library := range []string{"libgtk-3.so.0", "libwebkit2gtk-4.1.so.0"} {
		var found []string
		for _, dir := range []string{"/usr/lib", "/usr/lib64", "/usr/lib/*", "/usr/local/lib"} {
			hits, _ := filepath.Glob(filepath.Join(dir, library)) // The patterns above are well formed.
			found = append(found, hits...)
		}
		if len(found) == 0 {
			return ill("gtk", library+" is missing; the panel's window needs it.", "./build/run.sh installs it. kuang serve works without.")
		}
	}
	return well("gtk", "libgtk-3 and libwebkit2gtk-4.1.")
}
