package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

const (
	// maxOutput is how much of the end of Chromium's output is kept for the case that it dies, in bytes.
	maxOutput = 16 << 10
	// outputGrace is how long to wait for the rest of the output after the end: a leftover child can hold it open.
	outputGrace = time.Second
)

// process is a browser that we started.
type process struct {
	cmd    *exec.Cmd
	output *tail
	done   chan struct{} // closed when the process has ended and was collected
}

// startProcess starts the browser. One goroutine starts it and waits for it on a thread of its own, because on Linux
// the kernel ends the browser together with the thread that started it.
func startProcess(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, output: &tail{}, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.output, p.output
	cmd.WaitDelay = outputGrace
	bind(cmd)
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := cmd.Start(); err != nil {
			started <- err
			return
		}
		started <- nil
		_ = cmd.Wait()               // How it ended is read from ProcessState.
		killGroup(p.cmd.Process.Pid) // What it left behind.
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", cmd.Path, err)
	}
	return p, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// wait reports whether the process ended before ctx did.
func (p *process) wait(ctx context.Context) bool {
	select {
	case <-p.done:
		return true
	case <-ctx.Done():
		return false
	}
}

// kill ends the process with all that it started and waits for its end.
func (p *process) kill() {
	killGroup(p.pid())
	<-p.done
}

// left reports whether the process ended by itself and without an error, as when a person closes the last window.
func (p *process) left() bool { return p.cmd.ProcessState != nil && p.cmd.ProcessState.Success() }

// tail keeps the end of what is written to it and hands out its lines.
type tail struct {
	mu   sync.Mutex // guards the fields below, between the copier of os/exec and readers
	kept []byte
	line []byte // the line that is being written
	wait map[chan string]string
}

// Write satisfies io.Writer and never fails.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - maxOutput; over > 0 {
		t.kept = t.kept[over:]
	}
	t.line = append(t.line, b...)
	for {
		line, rest, found := strings.Cut(string(t.line), "\n")
		if !found {
			break
		}
		for ch, prefix := range t.wait {
			if after, ok := strings.CutPrefix(line, prefix); ok {
				ch <- strings.TrimSpace(after)
				delete(t.wait, ch)
			}
		}
		t.line = []byte(rest)
	}
	if over := len(t.line) - maxOutput; over > 0 {
		t.line = t.line[over:]
	}
	return len(b), nil
}

// after returns a channel that receives the rest of the next line that starts with prefix.
func (t *tail) after(prefix string) <-chan string {
	ch := make(chan string, 1)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.wait == nil {
		t.wait = map[chan string]string{}
	}
	t.wait[ch] = prefix
	return ch
}

// String is the end of the output.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}

// pipes are the two pipes between us and a browser.
type pipes struct{ childRead, parentWrite, parentRead, childWrite *os.File }

func newPipes() (*pipes, error) {
	var p pipes
	var err error
	if p.childRead, p.parentWrite, err = os.Pipe(); err != nil {
		return nil, fmt.Errorf("making the pipe to the browser: %w", err)
	}
	if p.parentRead, p.childWrite, err = os.Pipe(); err != nil {
		p.closeChild()
		p.parentWrite.Close()
		return nil, fmt.Errorf("making the pipe from the browser: %w", err)
	}
	return &p, nil
}

// closeChild closes the browser's ends in this process, so that the pipe ends when the browser does.
func (p *pipes) closeChild() {
	p.childRead.Close()
	if p.childWrite != nil {
		p.childWrite.Close()
	}
}

func (p *pipes) close() {
	p.closeChild()
	p.parentWrite.Close()
	p.parentRead.Close()
}
