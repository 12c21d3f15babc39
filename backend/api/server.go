// Package api is the agent API over HTTP: every verb as POST /v1/{verb}, what was run, and a stream of events. It
// listens on loopback only and knows the verbs by the registry alone.
package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"kuang/backend/browser"
	"kuang/backend/ledger"
	"kuang/backend/runs"
	"kuang/backend/tool"
	"kuang/backend/verb"
)

// What the server needs of the services below it.
type (
	// Pipeline runs calls.
	Pipeline interface {
		Call(ctx context.Context, who verb.Caller, name string, input []byte) tool.Reply
	}
	// Runs is the log of calls.
	Runs interface {
		Runs(ctx context.Context, f runs.Filter) (runs.Page, error)
		Run(ctx context.Context, id string, limit int) (runs.Detail, error)
		Subscribe(fn func(runs.Run, runs.Entry)) (cancel func())
	}
	// Ledger tells of actions.
	Ledger interface {
		Subscribe(fn func(ledger.Action)) (cancel func())
	}
	// Browser tells of its state and its tabs.
	Browser interface {
		Status() browser.Status
		Subscribe(fn func(browser.Event)) (cancel func())
	}
)

// Config is what a server works with.
type Config struct {
	Registry *tool.Registry
	Pipeline Pipeline
	Runs     Runs
	Ledger   Ledger
	Browser  Browser
	Token    *Token
	Version  string
	// MCP serves /mcp, behind the same guards.
	MCP http.Handler
	Log *slog.Logger
}

// limits are the times a client may take. They are fields so that tests can make them short.
type limits struct {
	// header and body bound a client that sends slowly; on loopback a whole request takes milliseconds.
	header, body time.Duration
	// write bounds one write to a client that reads slowly.
	write time.Duration
	// idle ends a connection that is kept open and unused.
	idle time.Duration
	// beat keeps an event stream alive while nothing happens, and finds out that its client has gone.
	beat time.Duration
	// grace is how long calls in flight may take to end when the server closes.
	grace time.Duration
}

func defaultLimits() limits {
	return limits{
		header: 5 * time.Second, body: 10 * time.Second, write: 30 * time.Second,
		idle: 2 * time.Minute, beat: 15 * time.Second, grace: 5 * time.Second,
	}
}

// maxHeader bounds the request line and headers, in bytes; a real request has under one kilobyte.
const maxHeader = 16 << 10

// Server is the HTTP server of the agent API.
type Server struct {
	cfg    Config
	limits limits
	echo   *echo.Echo
	hub    *hub

	mu      sync.Mutex // guards what Start sets and URL and Close read
	started bool
	http    *http.Server // nil unless it listens
	url     string
	stop    context.CancelFunc // ends calls that outlive the grace
	done    sync.WaitGroup     // the goroutines that serve
	unused  *unused
}

// New builds the server; Start opens its port.
func New(c Config) *Server {
	s := &Server{cfg: c, limits: defaultLimits(), hub: newHub(), unused: &unused{conns: map[net.Conn]bool{}}}
	s.echo = s.routes()
	return s
}

// PortTakenError is a port that another program holds.
type PortTakenError struct {
	Port  int
	Cause error
}

// Error says what to do.
func (e *PortTakenError) Error() string {
	return fmt.Sprintf("port %d on 127.0.0.1 cannot be opened: %v; choose another one in the settings or with --port", e.Port, e.Cause)
}

// Unwrap returns the system's error.
func (e *PortTakenError) Unwrap() error { return e.Cause }

// Start listens on 127.0.0.1 at the port, 0 being a free one, and on ::1 at the same port where the machine has it.
// There is no way to listen on anything else. It returns when the server answers.
func (s *Server) Start(ctx context.Context, port int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started {
		return errors.New("a server of the agent API starts once")
	}
	var listen net.ListenConfig
	four, err := listen.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return &PortTakenError{Port: port, Cause: err}
	}
	listeners := []net.Listener{four}
	_, chosen, err := net.SplitHostPort(four.Addr().String())
	if err != nil {
		return errors.Join(fmt.Errorf("reading the address of the agent API: %w", err), four.Close())
	}
	if six, err := listen.Listen(ctx, "tcp6", net.JoinHostPort("::1", chosen)); err == nil {
		listeners = append(listeners, six)
	} else {
		s.cfg.Log.Debug("listening on 127.0.0.1 only", "port", chosen, "error", err)
	}
	// Calls in flight outlive the context that the program is stopped with; Close gives them their grace.
	base, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.started, s.stop, s.url = true, stop, "http://127.0.0.1:"+chosen
	server := &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: s.limits.header, IdleTimeout: s.limits.idle, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return base },
		ConnState:   s.unused.note,
		ErrorLog:    slog.NewLogLogger(s.cfg.Log.Handler(), slog.LevelDebug),
	}
	s.http = server
	s.hub.start(s.cfg)
	for _, l := range listeners {
		s.done.Go(func() {
			if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				s.cfg.Log.Error("serving the agent API", "address", l.Addr().String(), "error", err)
			}
		})
	}
	return nil
}

// URL is where the server listens, such as http://127.0.0.1:7423; empty before Start and after Close.
func (s *Server) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.url
}

// Close stops listening and ends event streams at once. Calls in flight get a few seconds, or until ctx ends; then they
// are cancelled and their connections cut.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	server := s.http
	s.http, s.url = nil, ""
	s.mu.Unlock()
	if server == nil {
		return nil
	}
	s.hub.close()
	ctx, cancel := context.WithTimeout(ctx, s.limits.grace)
	defer cancel()
	s.unused.close()
	err := server.Shutdown(ctx)
	s.stop()
	if err != nil {
		s.cfg.Log.Warn("ending calls that are still running", "error", err)
		err = server.Close()
	}
	s.done.Wait()
	if err != nil {
		return fmt.Errorf("closing the agent API: %w", err)
	}
	return nil
}

// unused keeps the connections that carried no request yet. Clients open some ahead of need, and the standard shutdown
// waits five seconds for each.
type unused struct {
	mu    sync.Mutex // guards conns; the server reports every connection, Close reads them
	conns map[net.Conn]bool
}

func (u *unused) note(c net.Conn, state http.ConnState) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if state == http.StateNew {
		u.conns[c] = true
	} else {
		delete(u.conns, c)
	}
}

func (u *unused) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for c := range u.conns {
		c.Close() // Nothing was sent on it, so there is nobody to tell of a failure.
	}
}
