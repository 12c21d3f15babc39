package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	protobrowser "github.com/chromedp/cdproto/browser"
	proto "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"

	"kuang/backend/cdp"
)

const (
	// startTimeout bounds a start: a cold Chromium on a slow disk needs several seconds before its first answer.
	startTimeout = 45 * time.Second
	// closeTimeout is how long a browser may take to save its profile before it is killed.
	closeTimeout = 5 * time.Second
	// exitTimeout is how long to wait for the reason of a browser whose connection dropped.
	exitTimeout = 3 * time.Second
)

// link is the connection to one running browser. A restart makes a new one.
type link struct {
	conn      *cdp.Conn
	proc      *process // nil for a browser that we did not start
	product   string
	version   string
	path      string
	transport string
	endpoint  string
	remote    bool
	noSandbox bool
	// closing is set, under Browser.mu, when the link ends because we want it to.
	closing bool
}

// connect starts or finds the browser that the options name and waits for its first answer.
func (b *Browser) connect(ctx context.Context) (*link, error) {
	if b.opts.Attach != "" {
		return b.attachTo(ctx, b.opts.Attach)
	}
	path, product, tried, err := Locate(b.opts.Executable, os.Getenv)
	if err != nil {
		return nil, err
	}
	if p := profileProblem(b.opts.Profile); p != nil {
		return nil, &UnavailableError{*p}
	}
	if !b.opts.Headless && noDisplay(os.Getenv) {
		return nil, &UnavailableError{Problem{
			What: "The browser cannot show its window: neither DISPLAY nor WAYLAND_DISPLAY is set.",
			Fix:  "Start Kuang in a desktop session, or with --headless.",
		}}
	}
	if err := os.MkdirAll(b.opts.Profile, 0o700); err != nil {
		return nil, &UnavailableError{Problem{
			What: "The browser profile cannot be made: " + err.Error() + ".",
			Fix:  "Make the folder writable, or point KUANG_HOME to one that is.",
		}}
	}
	h := thisHost()
	l := &link{path: path, product: product, transport: "pipe", noSandbox: h.root}
	if b.opts.DebugPort != 0 {
		l.transport = "port"
	}
	if err := l.start(ctx, exec.Command(path, flags(b.opts, h)...), b); err != nil {
		return nil, b.startFailure(l, tried, err)
	}
	return l, nil
}

// start runs the command and connects to it.
func (l *link) start(ctx context.Context, cmd *exec.Cmd, b *Browser) error {
	var transport cdp.Transport
	if l.transport == "pipe" {
		p, err := newPipes()
		if err != nil {
			return err
		}
		if err := give(cmd, p.childRead, p.childWrite); err != nil {
			p.close()
			return err
		}
		if l.proc, err = startProcess(cmd); err != nil {
			p.close()
			return err
		}
		p.closeChild()
		transport = chromedp.NewPipeConn(p.parentRead, p.parentWrite)
	} else {
		proc, err := startProcess(cmd)
		if err != nil {
			return err
		}
		l.proc = proc
		select {
		case l.endpoint = <-proc.output.after("DevTools listening on "):
		case <-proc.done:
			return cdp.ErrClosed
		case <-ctx.Done():
			return fmt.Errorf("waiting for the browser's debugging port: %w", ctx.Err())
		}
		if transport, err = remote.DialContext(ctx, l.endpoint); err != nil {
			return fmt.Errorf("connecting to %s: %w", l.endpoint, err)
		}
	}
	l.conn = cdp.New(transport, b.log)
	return l.greet(ctx)
}

// attachTo connects to a browser that runs already.
func (b *Browser) attachTo(ctx context.Context, address string) (*link, error) {
	l := &link{transport: "attach"}
	socket, err := socketOf(ctx, address)
	if err == nil {
		l.endpoint, l.remote = socket, !isLoopback(socket)
		var conn *remote.Conn
		if conn, err = remote.DialContext(ctx, socket); err == nil {
			l.conn = cdp.New(conn, b.log)
			if err = l.greet(ctx); err == nil {
				return l, nil
			}
			l.conn.Close()
		}
	}
	return nil, &UnavailableError{Problem{
		What:  "No browser answers at " + address + ": " + err.Error() + ".",
		Fix:   "Start it with --remote-debugging-port and its own --user-data-dir, and give that port.",
		Tried: []string{address},
	}}
}

// greet asks the browser what it is, which also proves that it answers.
func (l *link) greet(ctx context.Context) error {
	v, err := cdp.Call(ctx, l.conn.Root(), protobrowser.GetVersion, proto.Empty{})
	if err != nil {
		return fmt.Errorf("greeting the browser: %w", err)
	}
	name, version, _ := strings.Cut(v.Product, "/")
	l.version = version
	if l.product == "" {
		l.product = strings.TrimPrefix(name, "Headless")
		if strings.Contains(v.UserAgent, "Edg/") {
			l.product = "Microsoft Edge"
		}
	}
	return nil
}

// shut ends the link. A browser that we started is asked to close, so that it saves its profile, and killed when it
// does not; a browser that we attached to keeps running, with its tabs.
func (l *link) shut(ctx context.Context) {
	if l.proc == nil {
		l.conn.Close()
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if l.conn != nil {
		// The answer may be lost with the connection; the end of the process is what counts.
		_, err := cdp.Call(ctx, l.conn.Root(), protobrowser.Close, proto.Empty{})
		if err == nil || cdp.IsClosed(err) {
			l.proc.wait(ctx)
		}
	}
	l.proc.kill()
	if l.conn != nil {
		l.conn.Close()
	}
}

// startFailure turns the failure of a start into what a person can act on, and leaves nothing running.
func (b *Browser) startFailure(l *link, tried []string, err error) error {
	if l.proc == nil {
		return &UnavailableError{Problem{
			What: "The browser could not be started: " + err.Error() + ".", Fix: "Check that the program runs from a terminal.", Tried: tried,
		}}
	}
	if cdp.IsClosed(err) {
		// It is ending by itself; its last words are the reason.
		ctx, cancel := context.WithTimeout(context.Background(), exitTimeout)
		l.proc.wait(ctx)
		cancel()
	}
	l.proc.kill()
	if l.conn != nil {
		l.conn.Close()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &UnavailableError{Problem{
			What:  fmt.Sprintf("%s did not answer within %d seconds.", l.path, int(startTimeout.Seconds())),
			Fix:   "Press Restart; when it happens again, run the program from a terminal and read what it says.",
			Tried: tried,
		}}
	}
	p := diagnose(l.path, l.proc.output.String())
	p.Tried = tried
	return &UnavailableError{p}
}

// socketOf turns what a person gives as the address of a browser into its websocket.
func socketOf(ctx context.Context, address string) (string, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("reading the address: %w", err)
	}
	if u.Host == "" {
		return "", errors.New("the address names no host")
	}
	if strings.HasPrefix(u.Scheme, "ws") && strings.HasPrefix(u.Path, "/devtools/") {
		return u.String(), nil
	}
	query := url.URL{Scheme: "http", Host: u.Host, Path: "/json/version"}
	if u.Scheme == "https" || u.Scheme == "wss" {
		query.Scheme = "https"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, query.String(), nil)
	if err != nil {
		return "", fmt.Errorf("asking %s: %w", query.String(), err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err // It already names the address.
	}
	defer resp.Body.Close()
	var version struct {
		Socket string `json:"webSocketDebuggerUrl"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&version); err != nil || version.Socket == "" {
		return "", fmt.Errorf("%s is not a browser's debugging port", query.String())
	}
	return version.Socket, nil
}

func isLoopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	if u.Hostname() == "localhost" {
		return true
	}
	ip := net.ParseIP(u.Hostname())
	return ip != nil && ip.IsLoopback()
}
