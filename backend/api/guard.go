package api

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"kuang/backend/tool"
	"kuang/backend/verb"
)

// pingPath is the one path that needs no token.
const pingPath = "/v1/ping"

// handler is the whole server: the guards in the order in which they must run, then the routes.
func (s *Server) handler() http.Handler {
	return s.recovered(s.bounded(fromHere(s.authorized(s.read(s.echo)))))
}

// recovered turns a panic into a structured 500.
func (s *Server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(v) // The server's own way to cut a connection.
			}
			s.cfg.Log.Error("serving a request", "method", r.Method, "panic", v, "stack", string(debug.Stack()))
			refuse(w, &verb.Error{Code: verb.Internal, Message: "Kuang failed at this request, and the fault is its own."})
		}()
		next.ServeHTTP(w, r)
	})
}

// bounded limits how long a client may take to send its request. The limit is lifted when the body has been read, since
// a call may run for minutes. It lifts what an earlier request on the connection left.
func (s *Server) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		err := errors.Join(control.SetReadDeadline(time.Now().Add(s.limits.body)), control.SetWriteDeadline(time.Time{}))
		if err != nil {
			s.cfg.Log.Debug("setting a deadline", "error", err)
		}
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}

// fromHere refuses whatever a web page could have sent: another site's name in Host (DNS rebinding), any Origin, and
// what a browser marks as a page's request. Nothing of the request is looked at before. Programs on this machine send
// none of these.
func fromHere(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, origin := r.Header["Origin"]
		site := r.Header.Get("Sec-Fetch-Site")
		e := &verb.Error{Code: verb.ForbiddenOrigin}
		switch {
		case origin || site != "" && site != "none":
			e.Message, e.Hint = "Web pages may not use the agent API.", "Call it from a program, without an Origin header."
		case !loopback(r.Host) || r.URL.Host != "":
			e.Message, e.Hint = "The Host of the request is not a loopback name.", "Use 127.0.0.1, localhost or [::1]."
		default:
			next.ServeHTTP(w, r)
			return
		}
		refuse(w, e)
	})
}

// loopback reports whether a Host header names this machine to itself, at any port.
func loopback(host string) bool {
	name := host
	if h, port, err := net.SplitHostPort(host); err == nil {
		if strings.Trim(port, "0123456789") != "" {
			return false
		}
		name = h
	}
	switch strings.ToLower(name) {
	case "localhost", "127.0.0.1", "::1", "[::1]":
		return true
	default:
		return false
	}
}

// authorized asks for the token, save for a ping.
func (s *Server) authorized(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		known := strings.EqualFold(scheme, "Bearer") && s.cfg.Token.matches(strings.TrimSpace(token))
		if known || r.Method == http.MethodGet && r.URL.Path == pingPath {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("WWW-Authenticate", "Bearer")
		e := &verb.Error{
			Code: verb.Unauthorized, Message: "The token is not the right one.",
			Hint: "It is in the file " + TokenFile + " of Kuang's data directory; the panel's Settings → API shows and rotates it.",
		}
		if r.Header.Get("Authorization") == "" {
			e.Message = "The request carries no token."
			e.Hint = "Send Authorization: Bearer TOKEN. " + e.Hint
		}
		refuse(w, e)
	})
}

// read takes in the whole body within the limits, so that no route has to, and lifts the deadline.
func (s *Server) read(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, e := s.body(w, r)
		if e != nil {
			// What the client still sends is not read, so the connection is of no more use.
			w.Header().Set("Connection", "close")
			refuse(w, e)
			return
		}
		if err := http.NewResponseController(w).SetReadDeadline(time.Time{}); err != nil {
			s.cfg.Log.Debug("lifting a deadline", "error", err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.ContentLength = int64(len(body))
		next.ServeHTTP(w, r)
	})
}

func (s *Server) body(w http.ResponseWriter, r *http.Request) ([]byte, *verb.Error) {
	if r.ContentLength > tool.MaxBody {
		return nil, tool.TooLarge()
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, &verb.Error{Code: verb.BadRequest, Message: "The body is compressed.", Hint: "Send it as it is, without Content-Encoding."}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, tool.MaxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, tool.TooLarge()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &verb.Error{Code: verb.BadRequest, Message: "The body did not arrive in time.", Hint: "Send the request in one go."}
	case err != nil:
		return nil, &verb.Error{Code: verb.BadRequest, Message: "The body could not be read.", Hint: "Send the request again.", Cause: err}
	case len(body) == 0:
		return nil, nil
	}
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := params["charset"]
	if err != nil || media != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return nil, &verb.Error{
			Code: verb.BadRequest, Message: "The body is not declared as JSON.", Hint: "Send the header Content-Type: application/json.",
		}
	}
	if err := tool.CheckJSON(body); err != nil && r.URL.Path == mcpPath {
		// A verb's own route leaves this check to the pipeline, which logs the call.
		var e *verb.Error
		errors.As(err, &e)
		return nil, e
	}
	return body, nil
}

// refuse writes a failure outside any verb.
func refuse(w http.ResponseWriter, e *verb.Error) {
	reply := tool.Refuse(e)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(reply.Status)
	w.Write(reply.Body) // A client that has gone cannot be told.
}
