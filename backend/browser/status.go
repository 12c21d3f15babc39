package browser

import "time"

// State is where the browser is in its life.
type State string

// The states.
const (
	Starting   State = "starting"
	Running    State = "running"
	Restarting State = "restarting"
	Down       State = "down"
	Stopped    State = "stopped"
)

// Status is what the health report and the panel's chip say about the browser.
type Status struct {
	State     State  `json:"state"`
	Product   string `json:"product"`
	Version   string `json:"version"`
	Transport string `json:"transport"` // pipe, port or attach
	// Endpoint is the address of the debugging port; empty over the pipe.
	Endpoint string `json:"endpoint,omitempty"`
	// Remote says that the endpoint is not on this machine.
	Remote     bool   `json:"remote,omitempty"`
	Executable string `json:"executable,omitempty"`
	Profile    string `json:"profile,omitempty"`
	PID        int    `json:"pid,omitempty"`
	Headless   bool   `json:"headless"`
	// NoSandbox is true when Chromium runs without its sandbox, which it must as root.
	NoSandbox bool      `json:"no_sandbox"`
	Restarts  int       `json:"restarts"`
	Since     time.Time `json:"since"`
	Problem   *Problem  `json:"problem,omitempty"`
}

// Problem is why there is no browser: what happened and how to fix it, a sentence each, and what was tried.
type Problem struct {
	What  string   `json:"what"`
	Fix   string   `json:"fix"`
	Tried []string `json:"tried,omitempty"`
}

// UnavailableError is a call that needs a browser when there is none.
type UnavailableError struct{ Problem }

// Error satisfies the error interface.
func (e *UnavailableError) Error() string { return e.What + " " + e.Fix }

// Status says how the browser is.
func (b *Browser) Status() Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Status{
		State: b.state, Since: b.since, Problem: b.problem, Restarts: b.restarts,
		Transport: "pipe", Profile: b.opts.Profile, Headless: b.opts.Headless,
	}
	switch {
	case b.opts.Attach != "":
		s.Transport, s.Profile, s.Endpoint = "attach", "", b.opts.Attach
	case b.opts.DebugPort != 0:
		s.Transport = "port"
	}
	if l := b.link; l != nil {
		s.Product, s.Version, s.Executable, s.NoSandbox = l.product, l.version, l.path, l.noSandbox
		s.Endpoint, s.Remote = l.endpoint, l.remote
		if l.proc != nil {
			s.PID = l.proc.pid()
		}
	}
	return s
}
