package verb

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"kuang/settings"
)

func TestErrorObject(t *testing.T) {
	e := &Error{Code: StaleRef, Message: "Gone.", Hint: "Look again.", Evidence: map[string]any{"mark": 3}, Cause: errors.New("inner")}
	raw, err := json.Marshal(e)
	if err != nil || string(raw) != `{"code":"STALE_REF","hint":"Look again.","mark":3,"message":"Gone."}` {
		t.Errorf("it is %s, %v", raw, err)
	}
	if len(e.Evidence) != 1 {
		t.Error("marshalling changed the evidence")
	}
	if !errors.Is(e, e.Cause) || e.Error() != "STALE_REF: Gone." {
		t.Errorf("it says %v", e)
	}
	for code, want := range map[Code]int{
		StaleRef: 400, "SEALED_DISABLED": 400, Unauthorized: 401, ForbiddenOrigin: 403, UnknownVerb: 404, MethodNotAllowed: 405,
		SealedRateLimited: http.StatusTooManyRequests, BrowserUnavailable: 503, Internal: 500,
	} {
		if got := (&Error{Code: code}).Status(); got != want {
			t.Errorf("%s has the status %d, want %d", code, got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	e := Refused(&settings.Refusal{Code: "SEALED_DISABLED", Setting: "shadow.axSealed", Where: "Settings → X", Message: "Off."})
	if e.Code != "SEALED_DISABLED" || e.Evidence["setting"] != "shadow.axSealed" || e.Evidence["where"] != "Settings → X" || e.Hint == "" {
		t.Errorf("it is %+v", e)
	}
	if e := Refused(&settings.Refusal{Code: "NOT_SUPPORTED", Setting: "none"}); e.Hint != "" || e.Evidence["where"] != nil {
		t.Errorf("without a place it is %+v", e)
	}
}

type pinIn struct {
	Pin string `json:"pin"`
}

// Secrets satisfies Secretive.
func (in *pinIn) Secrets() []string { return []string{in.Pin} }

func TestDefine(t *testing.T) {
	d := Define(Definition{Name: "enter"}, func(_ context.Context, _ *Call, in pinIn) (int, error) {
		if in.Pin == "" {
			return 0, errors.New("empty")
		}
		return len(in.Pin), nil
	})
	if d.Tier != 1 {
		t.Errorf("the tier is %d", d.Tier)
	}
	in, secrets, err := d.Decode([]byte(`{"pin":"4711"}`))
	if err != nil || in != (pinIn{"4711"}) || len(secrets) != 1 || secrets[0] != "4711" {
		t.Errorf("decoded %v, %v, %v", in, secrets, err)
	}
	if in, out, err := d.Run(t.Context(), nil, []byte(`{"pin":"4711"}`)); err != nil || in != (pinIn{"4711"}) || out != 4 {
		t.Errorf("ran to %v, %v, %v", in, out, err)
	}
	if in, out, err := d.Run(t.Context(), nil, []byte(`{}`)); err == nil || in == nil || out != nil {
		t.Errorf("failed with %v, %v, %v", in, out, err)
	}
	var e *Error
	if _, _, err := d.Decode([]byte(`{"pin":4}`)); !errors.As(err, &e) || e.Code != BadRequest {
		t.Errorf("a number decodes with %v", err)
	}
	if _, _, err := d.Run(t.Context(), nil, []byte(`{"pin":4}`)); !errors.As(err, &e) {
		t.Errorf("a number runs with %v", err)
	}
}
