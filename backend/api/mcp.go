package api

import (
	"bytes"
	"context"
	"net/http"
	"strings"

	"kuang/backend/tool"
	"kuang/backend/verb"
)

// mcpPath is where MCP clients connect.
const mcpPath = "/mcp"

// untilClosed ends a request when the server closes or the token is replaced. An MCP client keeps a GET open for as long
// as it lives.
func (s *Server) untilClosed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		replaced := s.cfg.Token.replaced()
		go func() {
			select {
			case <-s.hub.ended:
				cancel()
			case <-replaced:
				cancel()
			case <-ctx.Done():
			}
		}()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// structured puts the plain-text refusals of the MCP transport into the error object that every other path answers with.
func structured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		held := &holder{ResponseWriter: w}
		next.ServeHTTP(held, r)
		held.release()
	})
}

// holder keeps a plain-text failure back; anything else passes through.
type holder struct {
	http.ResponseWriter
	status int // of the failure that is held; 0 while none is
	text   bytes.Buffer
}

// WriteHeader holds a failure.
func (h *holder) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(h.Header().Get("Content-Type"), "text/plain") {
		h.status = status
		return
	}
	h.ResponseWriter.WriteHeader(status)
}

// Write collects the text of a failure.
func (h *holder) Write(p []byte) (int, error) {
	if h.status != 0 {
		return h.text.Write(p)
	}
	return h.ResponseWriter.Write(p)
}

// Unwrap lets flushing and deadlines through.
func (h *holder) Unwrap() http.ResponseWriter { return h.ResponseWriter }

func (h *holder) release() {
	if h.status == 0 {
		return
	}
	e := &verb.Error{
		Code: verb.BadRequest, Message: "MCP: " + strings.TrimSpace(h.text.String()) + ".",
		Hint: "Connect with an MCP client over streamable HTTP; it begins with initialize.",
	}
	switch h.status {
	case http.StatusNotFound:
		e.Code, e.Hint = verb.UnknownSession, "The connection has ended: begin a new one with initialize."
	case http.StatusMethodNotAllowed:
		e.Code = verb.MethodNotAllowed
	case http.StatusInternalServerError:
		e.Code = verb.Internal
	}
	h.Header().Set("Content-Type", "application/json")
	h.ResponseWriter.WriteHeader(h.status)
	h.ResponseWriter.Write(tool.Refuse(e).Body) // A client that has gone cannot be told.
}
