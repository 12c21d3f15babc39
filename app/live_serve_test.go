package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"kuang/backend/browser/browsertest"
)

// patience bounds a program that neither says it is ready nor ends.
const patience = time.Minute

// program builds the command once for the test binary's life.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kuang")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, "kuang").CombinedOutput()
	if err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	return path
}

// serving is a running kuang serve.
type serving struct {
	*exec.Cmd
	ready  ready
	stdout *bufio.Reader
	stderr *logged
}

func startServing(t *testing.T, path, home string) *serving {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	s := &serving{Cmd: exec.CommandContext(ctx, path, "serve", "--port", "0", "--headless"), stderr: new(logged)}
	s.Env = append(os.Environ(), "KUANG_HOME="+home)
	s.Stderr = s.stderr
	stdout, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	s.stdout = bufio.NewReader(stdout)
	line, err := s.stdout.ReadBytes('\n')
	if err != nil {
		t.Fatalf("no ready line: %v\n%s", err, s.stderr.String())
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&s.ready); err != nil || !s.ready.Ready {
		t.Fatalf("the ready line is %s: %v", line, err)
	}
	return s
}

// health asks a running server how it is and returns its browser's process.
func health(t *testing.T, r ready) (pid int) {
	t.Helper()
	token, err := os.ReadFile(r.TokenFile)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.URL+"/v1/health", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var h struct {
		OK      bool `json:"ok"`
		Browser struct {
			State string `json:"state"`
			PID   int    `json:"pid"`
		} `json:"browser"`
	}
	raw, err := io.ReadAll(res.Body)
	if err == nil {
		err = json.Unmarshal(raw, &h)
	}
	if err != nil || !h.OK || h.Browser.State != "running" || h.Browser.PID == 0 {
		t.Fatalf("health: %v %s", err, raw)
	}
	return h.Browser.PID
}

// gone waits until the process has ended.
func gone(t *testing.T, pid int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for syscall.Kill(pid, 0) == nil {
		if state, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat")); err == nil && bytes.Contains(state, []byte(") Z ")) {
			return // dead, and not yet collected by whoever inherited it
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("process %d lives on", pid)
		}
	}
}

func TestServePrintsOneLineAndEndsItsBrowser(t *testing.T) {
	browsertest.Require(t)
	path, home := program(t), t.TempDir()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		s := startServing(t, path, home)
		pid := health(t, s.ready)
		if info, err := os.Stat(s.ready.TokenFile); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("token file: %v %v", info.Mode(), err)
		}
		if err := s.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(s.stdout)
		if err != nil || len(rest) > 0 {
			t.Errorf("stdout goes on with %q, %v", rest, err)
		}
		if err := s.Wait(); err != nil {
			t.Errorf("%v ended it with %v\n%s", sig, err, s.stderr.String())
		}
		gone(t, pid)
		if _, err := os.Stat(filepath.Join(home, "endpoint.json")); !os.IsNotExist(err) {
			t.Errorf("the endpoint is still announced: %v", err)
		}
	}
}

func TestKilledServerLeavesNoBrowserAndStartsAgain(t *testing.T) {
	browsertest.Require(t)
	path, home := program(t), t.TempDir()
	s := startServing(t, path, home)
	pid := health(t, s.ready)
	if err := s.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.Wait() // Killed, so the error is expected.
	gone(t, pid)

	s = startServing(t, path, home)
	health(t, s.ready)

	second := exec.CommandContext(t.Context(), path, "serve", "--port", "0", "--headless")
	second.Env = append(os.Environ(), "KUANG_HOME="+home)
	out, err := second.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "already runs") {
		t.Errorf("a second Kuang on the same home: %v\n%s", err, out)
	}
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(); err != nil {
		t.Error(err)
	}
}
