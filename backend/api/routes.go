package api

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"kuang/backend/runs"
	"kuang/backend/tool"
	"kuang/backend/verb"
)

// healthVerb is what GET /v1/health answers with. It is the one verb that has a second address.
const healthVerb = "bridge_health"

// The headers by which a client says who it is, and the one surface it may say it is. They choose the session and name
// the client in the log; neither gives a right.
const (
	HeaderClient  = "Kuang-Client"
	HeaderSurface = "Kuang-Surface"
	SurfaceCLI    = "cli"
)

// routes lists every path there is. None of them writes a setting, and none may.
func (s *Server) routes() *echo.Echo {
	e := echo.New()
	e.HTTPErrorHandler = s.failed
	e.GET(pingPath, func(c echo.Context) error {
		return s.answer(c, http.StatusOK, struct {
			App string `json:"app"`
		}{"kuang"})
	})
	e.POST("/v1/:verb", func(c echo.Context) error { return s.call(c, c.Param("verb")) })
	e.GET("/v1/health", func(c echo.Context) error { return s.call(c, healthVerb) })
	e.GET("/v1/runs", s.listRuns)
	e.GET("/v1/runs/:id", s.showRun)
	e.GET("/v1/openapi.json", s.openAPI)
	e.GET("/v1/events", s.events)
	if s.cfg.MCP != nil {
		h := structured(s.cfg.MCP)
		e.POST(mcpPath, echo.WrapHandler(h))
		e.DELETE(mcpPath, echo.WrapHandler(h))
		e.GET(mcpPath, echo.WrapHandler(s.untilClosed(h)))
	}
	return e
}

// call runs a verb with the request's body.
func (s *Server) call(c echo.Context, name string) error {
	r := c.Request()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	reply := s.cfg.Pipeline.Call(r.Context(), caller(r), name, body)
	if reply.RetryAfter > 0 {
		c.Response().Header().Set("Retry-After", strconv.Itoa(reply.RetryAfter))
	}
	return s.write(c, reply.Status, reply.Body)
}

// caller reads who asks. A client that says nothing is called http.
func caller(r *http.Request) verb.Caller {
	who := verb.Caller{Client: r.Header.Get(HeaderClient), Surface: "http"}
	if r.Header.Get(HeaderSurface) == SurfaceCLI {
		who.Surface = SurfaceCLI
	}
	return who
}

// maxPerPage bounds a page of runs.
const maxPerPage = 100

func (s *Server) listRuns(c echo.Context) error {
	q, err := query(c, "outcome", "site", "page", "per_page")
	if err != nil {
		return err
	}
	f := runs.Filter{Outcome: q.Get("outcome"), Site: q.Get("site")}
	if f.Outcome != "" && !slices.Contains([]string{runs.OK, runs.Refused, runs.Failed}, f.Outcome) {
		return badQuery("outcome", "ok, refused or failed")
	}
	if f.Page, err = number(q, "page", 1, 1, 1<<30); err != nil {
		return err
	}
	if f.PerPage, err = number(q, "per_page", 10, 1, maxPerPage); err != nil {
		return err
	}
	page, err := s.cfg.Runs.Runs(c.Request().Context(), f)
	if err != nil {
		return err
	}
	return s.answer(c, http.StatusOK, struct {
		runs.Page
		Number  int `json:"page"`
		PerPage int `json:"per_page"`
	}{page, f.Page, f.PerPage})
}

// latestEntries is the most entries of one run that are shown.
const latestEntries = 200

func (s *Server) showRun(c echo.Context) error {
	q, err := query(c, "limit")
	if err != nil {
		return err
	}
	limit, err := number(q, "limit", latestEntries, 1, latestEntries)
	if err != nil {
		return err
	}
	detail, err := s.cfg.Runs.Run(c.Request().Context(), c.Param("id"), limit)
	if errors.Is(err, runs.ErrUnknownRun) {
		return &verb.Error{Code: verb.UnknownRun, Message: "There is no such run in the log.", Hint: "GET /v1/runs lists them; old ones are removed."}
	}
	if err != nil {
		return err
	}
	return s.answer(c, http.StatusOK, struct {
		Untrusted bool `json:"untrusted"` // The outputs hold what pages said.
		runs.Detail
	}{true, detail})
}

// query reads the query string and refuses a parameter that is not known, as input is refused.
func query(c echo.Context, known ...string) (url.Values, error) {
	q := c.QueryParams()
	for name := range q {
		if !slices.Contains(known, name) {
			return nil, &verb.Error{
				Code: verb.BadRequest, Message: "The query has an unknown parameter.", Hint: "It takes: " + strings.Join(known, ", ") + ".",
				Evidence: map[string]any{"fields": known},
			}
		}
	}
	return q, nil
}

func number(q url.Values, name string, fallback, least, most int) (int, error) {
	text := q.Get(name)
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, badQuery(name, "a whole number from "+strconv.Itoa(least)+" to "+strconv.Itoa(most))
	}
	return n, nil
}

func badQuery(name, expected string) *verb.Error {
	return &verb.Error{
		Code: verb.BadRequest, Message: "The parameter " + name + " must be " + expected + ".", Hint: "Send " + name + "=" + expected + ", or leave it out.",
		Evidence: map[string]any{"field": name, "expected": expected},
	}
}

// answer writes a successful object around v's fields, which must marshal to an object.
func (s *Server) answer(c echo.Context, status int, v any) error {
	fields, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.write(c, status, append([]byte(`{"ok":true,`), fields[1:]...))
}

func (s *Server) write(c echo.Context, status int, body []byte) error {
	s.bound(c)
	return c.Blob(status, echo.MIMEApplicationJSON, append(body, '\n'))
}

// bound limits the time that the client may take to read the answer.
func (s *Server) bound(c echo.Context) {
	if err := http.NewResponseController(c.Response()).SetWriteDeadline(time.Now().Add(s.limits.write)); err != nil {
		s.cfg.Log.Debug("setting a deadline", "error", err)
	}
}

// failed turns whatever a route returned into the error object.
func (s *Server) failed(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	var (
		own  *verb.Error
		http *echo.HTTPError
	)
	errors.As(err, &own)
	if own == nil && errors.As(err, &http) {
		own = s.misrouted(http, c)
	}
	if own == nil {
		s.cfg.Log.Error("serving a request", "path", c.Path(), "error", err)
		own = &verb.Error{Code: verb.Internal, Message: "Kuang failed at this request, and the fault is its own."}
	}
	reply := tool.Refuse(own)
	if err := s.write(c, reply.Status, reply.Body); err != nil {
		s.cfg.Log.Debug("answering", "error", err)
	}
}

// misrouted covers a path or method that has no route.
func (s *Server) misrouted(err *echo.HTTPError, c echo.Context) *verb.Error {
	if err.Code == http.StatusMethodNotAllowed {
		allowed, _ := c.Get(echo.ContextKeyHeaderAllow).(string)
		return &verb.Error{
			Code: verb.MethodNotAllowed, Message: "This path does not take that method.", Hint: "Use " + allowed + ".",
			Evidence: map[string]any{"allowed": allowed},
		}
	}
	return &verb.Error{Code: verb.UnknownPath, Message: "There is nothing at this path.", Hint: "GET /v1/openapi.json lists every path."}
}
