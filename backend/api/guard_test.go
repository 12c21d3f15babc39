package api

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"kuang/backend/tool"
)

func TestListensOnLoopbackOnly(t *testing.T) {
	b := newBench(t, nil)
	_, port, err := net.SplitHostPort(b.address())
	if err != nil {
		t.Fatal(err)
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, a := range addresses {
		ip, ok := a.(*net.IPNet)
		if !ok || ip.IP.IsLoopback() || ip.IP.IsLinkLocalUnicast() {
			continue
		}
		tried++
		if c, err := net.Dial("tcp", net.JoinHostPort(ip.IP.String(), port)); err == nil {
			c.Close()
			t.Errorf("it answers at %s", ip.IP)
		}
	}
	t.Logf("%d other addresses tried", tried)
	if c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", port)); err != nil {
		t.Error(err)
	} else {
		c.Close()
	}
}

func TestPortThatIsTaken(t *testing.T) {
	first := newBench(t, nil)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	err = New(first.server.cfg).Start(t.Context(), port)
	var taken *PortTakenError
	if !errors.As(err, &taken) || taken.Port != port || !strings.Contains(err.Error(), "choose another") {
		t.Errorf("got %v", err)
	}
}

func TestTokenIsAskedFor(t *testing.T) {
	b := newBench(t, nil)
	good := b.token.Value()
	cases := map[string]int{
		"": 401, "Bearer": 401, "Bearer ": 401, good: 401, "Basic " + good: 401, "Bearer " + good[:63]: 401, "Bearer " + good + "0": 401,
		"Bearer " + strings.Repeat("0", 64): 401, "Bearer " + strings.ToUpper(good) + " ": 401, "Token " + good: 401,
		"Bearer " + good: 200, "bearer " + good: 200,
	}
	if strings.ToUpper(good) == good {
		delete(cases, "Bearer "+strings.ToUpper(good)+" ")
	}
	for _, path := range []string{"/v1/health", "/v1/runs", "/v1/openapi.json", "/mcp"} {
		for header, want := range cases {
			a := b.do(t, http.MethodGet, path, "", func(r *http.Request) { r.Header.Set("Authorization", header) })
			if a.status != want {
				t.Errorf("%s with %q answered %d", path, strings.ReplaceAll(header, good, "TOKEN"), a.status)
			}
			if want == 401 && (a.code() != "UNAUTHORIZED" || a.header.Get("WWW-Authenticate") != "Bearer") {
				t.Errorf("%s answered %s", path, a.raw)
			}
		}
	}
	// Whether a path exists is not told to strangers.
	for _, path := range []string{"/", "/v1/nothing/here", "/v1/events"} {
		if a := b.do(t, http.MethodGet, path, "", func(r *http.Request) { r.Header.Del("Authorization") }); a.status != 401 {
			t.Errorf("%s without a token answered %d", path, a.status)
		}
	}
	if a := b.do(t, http.MethodPost, "/v1/look", `{"name":"a"}`, func(r *http.Request) { r.Header.Del("Authorization") }); a.status != 401 {
		t.Errorf("a verb without a token answered %d", a.status)
	}
	if n := len(b.Entries()); n != 2 {
		t.Errorf("%d calls ran, want the 2 with the token", n)
	}
}

func TestPingNeedsNoTokenAndTellsNothing(t *testing.T) {
	b := newBench(t, nil)
	bare := func(r *http.Request) { r.Header.Del("Authorization") }
	if a := b.do(t, http.MethodGet, pingPath, "", bare); string(a.raw) != `{"ok":true,"app":"kuang"}`+"\n" {
		t.Errorf("answered %s", a.raw)
	}
	if a := b.do(t, http.MethodPost, pingPath, "", bare); a.status != 401 {
		t.Errorf("POST answered %d", a.status)
	}
	if a := b.do(t, http.MethodGet, pingPath, "", func(r *http.Request) { r.Header.Set("Origin", "http://localhost") }); a.status != 403 {
		t.Errorf("a page's ping answered %d", a.status)
	}
}

func TestRotationEndsTheOldToken(t *testing.T) {
	b := newBench(t, nil)
	old := b.token.Value()
	if err := b.token.Rotate(); err != nil {
		t.Fatal(err)
	}
	use := func(token string) int {
		return b.do(t, http.MethodGet, "/v1/health", "", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }).status
	}
	if use(old) != 401 || use(b.token.Value()) != 200 {
		t.Error("the old token works, or the new one does not")
	}
}

func TestForeignHostsAreRefused(t *testing.T) {
	b := newBench(t, nil)
	_, port, _ := net.SplitHostPort(b.address())
	request := func(target, host, more string) string {
		return "POST " + target + " HTTP/1.1\r\n" + host + "Authorization: Bearer " + b.token.Value() + "\r\nContent-Type: application/json\r\nContent-Length: 12\r\n" + more + "\r\n" + `{"name":"a"}`
	}
	for _, host := range []string{
		"evil.example", "evil.example:" + port, "localhost.evil.example", "127.0.0.1.nip.io", "127.0.0.1.", "localhost.", "0.0.0.0", "127.0.0.2",
		"[::]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "", ":" + port, "a.localhost", "localhost:99x",
	} {
		if a := b.raw(t, request("/v1/look", "Host: "+host+"\r\n", "")); a.status != 403 || a.code() != "FORBIDDEN_ORIGIN" {
			t.Errorf("Host %q answered %d %s", host, a.status, a.raw)
		}
	}
	for _, host := range []string{"127.0.0.1", "127.0.0.1:" + port, "LOCALHOST:1", "[::1]:" + port, "[::1]"} {
		if a := b.raw(t, request("/v1/look", "Host: "+host+"\r\n", "")); a.status != 200 {
			t.Errorf("Host %q answered %d %s", host, a.status, a.raw)
		}
	}
	// A whole address in the request line would decide over the Host header.
	if a := b.raw(t, request("http://127.0.0.1/v1/look", "Host: evil.example\r\n", "")); a.status != 403 {
		t.Errorf("a whole address answered %d", a.status)
	}
	if a := b.raw(t, "GET /v1/health HTTP/1.0\r\nAuthorization: Bearer "+b.token.Value()+"\r\n\r\n"); a.status != 403 {
		t.Errorf("HTTP/1.0 without Host answered %d", a.status)
	}
}

func TestOriginsAreRefusedBeforeAnythingIsRead(t *testing.T) {
	b := newBench(t, nil)
	for _, origin := range []string{"https://evil.example", "null", "", "none", b.server.URL(), "http://localhost", "chrome-extension://abc"} {
		// The body is announced and never sent: only a server that does not wait for it answers.
		a := b.raw(t, "POST /v1/look HTTP/1.1\r\nHost: "+b.address()+"\r\nOrigin: "+origin+"\r\nContent-Length: 1000000000\r\n\r\n")
		if a.status != 403 || a.code() != "FORBIDDEN_ORIGIN" {
			t.Errorf("Origin %q answered %d %s", origin, a.status, a.raw)
		}
	}
	for _, site := range []string{"cross-site", "same-site", "same-origin"} {
		a := b.do(t, http.MethodGet, "/v1/health", "", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", site) })
		if a.status != 403 {
			t.Errorf("Sec-Fetch-Site %s answered %d", site, a.status)
		}
	}
	if a := b.do(t, http.MethodOptions, "/v1/look", "", func(r *http.Request) {
		r.Header.Set("Origin", "https://evil.example")
		r.Header.Set("Access-Control-Request-Method", "POST")
		r.Header.Set("Access-Control-Request-Private-Network", "true")
	}); a.status != 403 {
		t.Errorf("a preflight answered %d", a.status)
	}
	if len(b.Entries()) != 0 {
		t.Error("a call ran")
	}
}

func TestBodiesAreBounded(t *testing.T) {
	b := newBench(t, nil)
	head := "POST /v1/look HTTP/1.1\r\nHost: " + b.address() + "\r\nAuthorization: Bearer " + b.token.Value() + "\r\nContent-Type: application/json\r\n"
	if a := b.raw(t, head+"Content-Length: 1048577\r\n\r\n"); a.status != 400 || !strings.Contains(string(a.raw), "larger") {
		t.Errorf("a declared megabyte answered %d %s", a.status, a.raw)
	}
	c, r := b.dial(t)
	go func() { // The server stops reading, so that this may end in an error.
		io.WriteString(c, head+"Transfer-Encoding: chunked\r\n\r\n")
		chunk := fmt.Sprintf("%x\r\n%s\r\n", 1<<16, strings.Repeat(" ", 1<<16))
		for range 64 {
			if _, err := io.WriteString(c, chunk); err != nil {
				return
			}
		}
	}()
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a := read(t, res); a.status != 400 || !strings.Contains(string(a.raw), "larger") || res.Close != true {
		t.Errorf("an undeclared megabyte answered %d %s", a.status, a.raw)
	}
	if a := b.do(t, http.MethodPost, "/v1/look", `{"name":"`+strings.Repeat("a", tool.MaxBody-11)+`"}`, nil); a.status != 200 {
		t.Errorf("exactly a megabyte answered %d %.200s", a.status, a.raw)
	}
	deep := strings.Repeat("[", 65) + strings.Repeat("]", 65)
	for _, path := range []string{"/v1/look", "/mcp"} {
		if a := b.do(t, http.MethodPost, path, deep, nil); a.status != 400 || !strings.Contains(string(a.raw), "deeper") {
			t.Errorf("%s answered deep JSON with %d %s", path, a.status, a.raw)
		}
	}
	if a := b.do(t, http.MethodPost, "/v1/look", `{"nam":"a"}`, nil); a.status != 400 || !strings.Contains(string(a.raw), `Did you mean \"name\"`) {
		t.Errorf("an unknown field answered %d %s", a.status, a.raw)
	}
	if a := b.do(t, http.MethodPost, "/v1/lok", `{}`, nil); a.status != 404 || a.code() != "UNKNOWN_VERB" || !strings.Contains(string(a.raw), "look") {
		t.Errorf("an unknown verb answered %d %s", a.status, a.raw)
	}
}

func TestContentMustBeJSON(t *testing.T) {
	b := newBench(t, nil)
	for media, want := range map[string]int{
		"application/json": 200, "application/json; charset=utf-8": 200, "application/json; charset=latin1": 400, "text/plain": 400,
		"application/x-www-form-urlencoded": 400, "multipart/form-data; boundary=x": 400, "": 400, "application/jsonx": 400, "application/json;": 200,
	} {
		if a := b.do(t, http.MethodPost, "/v1/look", `{"name":"a"}`, func(r *http.Request) { r.Header.Set("Content-Type", media) }); a.status != want {
			t.Errorf("%q answered %d %s", media, a.status, a.raw)
		}
	}
	if a := b.do(t, http.MethodPost, "/v1/bridge_health", "", func(r *http.Request) { r.Header.Del("Content-Type") }); a.status != 200 {
		t.Errorf("no body and no type answered %d %s", a.status, a.raw)
	}
	if a := b.do(t, http.MethodPost, "/v1/look", `{"name":"a"}`, func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") }); a.status != 400 {
		t.Errorf("a compressed body answered %d", a.status)
	}
}

// slow is the limit that slow clients run into here. Nothing in these tests has to be faster than it.
const slow = 50 * time.Millisecond

func TestHeadersThatNeverEnd(t *testing.T) {
	b := newBench(t, func(s *Server) { s.limits.header = slow })
	c, r := b.dial(t)
	if _, err := io.WriteString(c, "POST /v1/look HTTP/1.1\r\nHost: "+b.address()+"\r\nX-Slow: "); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(r); err != nil && !isReset(err) {
		t.Errorf("the connection was not closed: %v", err)
	}
}

func TestBodyThatNeverEnds(t *testing.T) {
	b := newBench(t, func(s *Server) { s.limits.body = slow })
	a := b.raw(t, "POST /v1/look HTTP/1.1\r\nHost: "+b.address()+"\r\nAuthorization: Bearer "+b.token.Value()+"\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"na")
	if a.status != 400 || !strings.Contains(string(a.raw), "did not arrive in time") {
		t.Errorf("a slow body answered %d %s", a.status, a.raw)
	}
	if len(b.Entries()) != 0 {
		t.Error("half a request ran")
	}
}

func isReset(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && !op.Timeout()
}

func TestParallelCalls(t *testing.T) {
	b := newBench(t, nil)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 200}}
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			body := fmt.Sprintf(`{"name":"n%d"}`, i)
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.server.URL()+"/v1/look", strings.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Authorization", "Bearer "+b.token.Value())
			req.Header.Set("Content-Type", "application/json")
			res, err := client.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			raw, err := io.ReadAll(res.Body)
			if err != nil || res.StatusCode != 200 || !strings.Contains(string(raw), fmt.Sprintf(`"name":"n%d"`, i)) {
				t.Errorf("call %d: %v %d %s", i, err, res.StatusCode, raw)
			}
		})
	}
	all.Wait()
	if n := len(b.Entries()); n != 200 {
		t.Errorf("%d calls in the log", n)
	}
}

func TestJunkOnTheWire(t *testing.T) {
	b := newBench(t, nil)
	good := "GET /v1/ping HTTP/1.1\r\nHost: " + b.address() + "\r\n\r\n"
	c, r := b.dial(t)
	if _, err := io.WriteString(c, good+good+"\x16\x03\x01 junk\r\n\r\n"+good); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if a := read(t, res); a.status != 200 {
			t.Errorf("answered %d", a.status)
		}
	}
	res, err := http.ReadResponse(r, nil)
	if err != nil || res.StatusCode != http.StatusBadRequest {
		t.Fatalf("junk answered %v, %v", res, err)
	}
	if _, err := io.Copy(io.Discard, r); err != nil && !isReset(err) {
		t.Errorf("the connection goes on after junk: %v", err)
	}
	for _, junk := range []string{"\x00\x00\x00\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /v1/ping HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
		"POST /v1/look HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"GET /" + strings.Repeat("a", 1<<20) + " HTTP/1.1\r\n\r\n"} {
		c, r := b.dial(t)
		go io.WriteString(c, junk) // It may be cut off while it is sent.
		if res, err := http.ReadResponse(r, nil); err == nil && res.StatusCode < 400 {
			t.Errorf("%.40q answered %d", junk, res.StatusCode)
		}
		c.Close()
	}
	if a := b.do(t, http.MethodGet, "/v1/health", "", nil); a.status != 200 {
		t.Errorf("after the junk the server answers %d", a.status)
	}
}
