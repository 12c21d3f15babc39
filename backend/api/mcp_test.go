package api

import (
	"fmt"
	"net/http"
	"testing"
)

func TestMCPRefusalsAreStructured(t *testing.T) {
	b := newBench(t, func(s *Server) {
		s.cfg.MCP = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.Header.Get("X-Case") {
			case "lost":
				http.Error(w, "session not found", http.StatusNotFound)
			case "accept":
				http.Error(w, "Accept must contain application/json", http.StatusBadRequest)
			default:
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusOK)
				w.Write([]byte(`{"ok":true}`))
				if err := http.NewResponseController(w).Flush(); err != nil {
					t.Errorf("flushing: %v", err)
				}
			}
		})
		s.echo = s.routes()
	})
	for name, want := range map[string]string{"lost": "404 UNKNOWN_SESSION", "accept": "400 BAD_REQUEST", "fine": "200 "} {
		a := b.do(t, http.MethodPost, "/mcp", "{}", func(r *http.Request) { r.Header.Set("X-Case", name) })
		if got := fmt.Sprint(a.status, " ", a.code()); got != want {
			t.Errorf("%s answered %s, want %s: %s", name, got, want, a.raw)
		}
	}
}
