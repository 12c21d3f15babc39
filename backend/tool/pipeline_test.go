package tool

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"kuang/backend/browser"
	"kuang/backend/cdp"
	"kuang/backend/runs"
	"kuang/backend/session"
	"kuang/backend/verb"
	"kuang/settings"
)

func TestCallAnswersAndRecords(t *testing.T) {
	b := newBench(t, handlers{})
	reply, body := b.call(t, "peek_at", `{"name":"a <b>","limit":3}`)
	if string(reply.Body) != `{"ok":true,"untrusted":true,"seen":"a <b>","rows":3}` || reply.Status != http.StatusOK || !reply.Untrusted {
		t.Errorf("answered %d %s", reply.Status, reply.Body)
	}
	if body["ok"] != true || reply.Err != nil || reply.RunID != "run1" {
		t.Errorf("reply %+v", reply)
	}
	e := b.last(t)
	if e.Verb != "look" || e.Outcome != runs.OK || e.Code != "" || string(e.Input) != `{"limit":3,"name":"a <b>"}` ||
		string(e.Output) != string(reply.Body) || e.Protocol == nil || b.clients[0] != "http:tester" {
		t.Errorf("recorded %+v", e)
	}
	if len(b.actions) != 0 {
		t.Errorf("reading left %v in the ledger", b.actions)
	}
}

func TestActionLeavesOneSentence(t *testing.T) {
	b := newBench(t, handlers{})
	b.call(t, "type_in", `{"text":"hello"}`)
	if len(b.actions) != 1 || b.actions[0].Sentence != "Typed “hello”" || b.actions[0].Undo != "erase" || b.actions[0].RunID != "run1" || b.actions[0].Verb != "type_in" {
		t.Errorf("the ledger holds %+v", b.actions)
	}
	b.call(t, "type_in", `{"txt":"hello"}`)
	if len(b.actions) != 1 {
		t.Errorf("a refused call left %+v", b.actions)
	}
}

func TestPictureTravelsBesideTheObject(t *testing.T) {
	reply, _ := newBench(t, handlers{}).call(t, "picture", "")
	if reply.Image == nil || reply.Image.MIME != "image/png" || string(reply.Body) != `{"ok":true,"width":3}` {
		t.Errorf("answered %+v, %s", reply.Image, reply.Body)
	}
}

func TestEveryFailureIsRecorded(t *testing.T) {
	cases := []struct{ verb, input, code, outcome, logged string }{
		{"lok", `{"name":"hunter2"}`, "UNKNOWN_VERB", runs.Failed, `{"name":"[redacted]"}`},
		{"look", `{"nme":"hunter2"}`, "BAD_REQUEST", runs.Failed, `{"nme":"[redacted]"}`},
		{"look", `nonsense`, "BAD_REQUEST", runs.Failed, `{"unreadable_bytes":8}`},
		{"press", `{}`, "UNKNOWN_TAB", runs.Failed, `{}`},
	}
	for _, c := range cases {
		b := newBench(t, handlers{})
		reply, body := b.call(t, c.verb, c.input)
		e := b.last(t)
		if string(reply.Err.Code) != c.code || e.Code != c.code || e.Outcome != c.outcome || string(e.Input) != c.logged {
			t.Errorf("%s %s: %s, recorded %+v with %s", c.verb, c.input, reply.Body, e, e.Input)
		}
		if body["ok"] != false || body["untrusted"] != nil {
			t.Errorf("%s %s answered %s", c.verb, c.input, reply.Body)
		}
	}
}

func TestUnknownVerbNamesTheNearest(t *testing.T) {
	reply, body := newBench(t, handlers{}).call(t, "picure", `{}`)
	e := body["error"].(map[string]any)
	if reply.Status != http.StatusNotFound || e["nearest"] != "picture" || !strings.HasPrefix(e["hint"].(string), "Did you mean picture?") {
		t.Errorf("answered %d %s", reply.Status, reply.Body)
	}
}

func TestErrorsAreTranslatedOnce(t *testing.T) {
	refusal := &settings.Refusal{Code: "SEALED_DISABLED", Setting: "shadow.axSealed", Where: "Settings → X", Message: "Off."}
	cases := []struct {
		err    error
		code   verb.Code
		status int
		says   string
	}{
		{&verb.Error{Code: verb.StaleRef, Message: "Gone.", Hint: "Look again."}, verb.StaleRef, 400, `"hint":"Look again."`},
		{refusal, "SEALED_DISABLED", 400, `"where":"Settings → X"`},
		{fmt.Errorf("deep: %w", refusal), "SEALED_DISABLED", 400, `"setting":"shadow.axSealed"`},
		{&verb.Error{Code: verb.SealedRateLimited, Message: "Slow.", Evidence: map[string]any{"retry_after": 7}}, verb.SealedRateLimited, 429, `"retry_after":7`},
		{&browser.UnavailableError{Problem: browser.Problem{What: "No browser", Fix: "Install one.", Tried: []string{"chromium"}}},
			verb.BrowserUnavailable, 503, `"tried":["chromium"]`},
		{fmt.Errorf("Page.navigate: %w", cdp.ErrClosed), verb.BrowserUnavailable, 503, `"fix":`},
		{&browser.NavigationError{URL: "http://x/", Reason: "no answer"}, verb.NavigationFailed, 400, `"url":"http://x/"`},
		{&browser.BadURLError{URL: "file:///", Reason: "Kuang does not open files"}, verb.BadRequest, 400, `"The address cannot be opened: Kuang does not open files."`},
		{&browser.HistoryError{Delta: -1}, verb.NavigationFailed, 400, `"back":0`},
		{&browser.NoViewportError{TabID: "t1"}, verb.NoViewport, 400, `0×0`},
		{&browser.CrashedError{TabID: "t1"}, verb.BrowserUnavailable, 503, `"crashed_tab":"t1"`},
		{&browser.UnknownKeyError{Key: "Entr"}, verb.BadRequest, 400, `Entr`},
		{&browser.UnsupportedError{What: "not over this"}, verb.NotSupported, 400, `not over this.`},
		{&browser.TimeoutError{Waiting: "the load", After: 2 * time.Second}, verb.Timeout, 400, `"waited_ms":2000`},
		{context.DeadlineExceeded, verb.Timeout, 400, `timeout_ms`},
		{session.ErrNoTab, verb.UnknownTab, 400, `"tabs":[]`},
		{&session.UnknownTabError{ID: "t9"}, verb.UnknownTab, 400, `There is no tab \"t9\".`},
		{&session.NotOwnedError{ID: "t2"}, verb.NotOwned, 400, `t2`},
		{errors.New("secret inner workings"), verb.Internal, 500, `its own`},
		{&cdp.Error{Method: "DOM.x", Message: "inner"}, verb.Internal, 500, `its own`},
	}
	for _, c := range cases {
		b := newBench(t, handlers{look: func(context.Context, *verb.Call, lookIn) (lookOut, error) { return lookOut{}, c.err }})
		reply, _ := b.call(t, "look", `{"name":"a"}`)
		if reply.Err.Code != c.code || reply.Status != c.status || !strings.Contains(string(reply.Body), c.says) {
			t.Errorf("%v became %d %s", c.err, reply.Status, reply.Body)
		}
		if strings.Contains(string(reply.Body), "inner") {
			t.Errorf("%v tells its cause: %s", c.err, reply.Body)
		}
		if c.code == verb.Internal && !strings.Contains(b.log.String(), "inner") {
			t.Errorf("%v is not in the log: %s", c.err, b.log)
		}
		if want := map[bool]string{true: runs.Refused, false: runs.Failed}[c.code == "SEALED_DISABLED" || c.status == 429 || c.code == verb.NotOwned]; b.last(t).Outcome != want {
			t.Errorf("%v counts as %s", c.err, b.last(t).Outcome)
		}
		if c.status == 429 && reply.RetryAfter != 7 {
			t.Errorf("retry after %d", reply.RetryAfter)
		}
	}
}

func TestPanicIsAnInternalErrorAndTheNextCallWorks(t *testing.T) {
	crash := true
	b := newBench(t, handlers{typ: func(_ context.Context, _ *verb.Call, in typeIn) (typeOut, error) {
		if crash {
			panic("it broke on " + in.Text)
		}
		return typeOut{}, nil
	}})
	reply, _ := b.call(t, "type_in", `{"text":"hunter2","secret":true}`)
	if reply.Status != http.StatusInternalServerError || reply.Err.Code != verb.Internal || b.last(t).Code != "INTERNAL" {
		t.Errorf("answered %d %s", reply.Status, reply.Body)
	}
	if log := b.log.String(); !strings.Contains(log, "pipeline_test.go") || !strings.Contains(log, "it broke on [redacted]") || strings.Contains(log, "hunter2") {
		t.Errorf("the log says %s", log)
	}
	crash = false
	if reply, _ := b.call(t, "type_in", `{"text":"a"}`); reply.Status != http.StatusOK {
		t.Errorf("the next call answered %s", reply.Body)
	}
}

func TestSecretsStayInside(t *testing.T) {
	const input = `{"text":"hunter\"2\\","secret":true}`
	outcomes := map[string]func(context.Context, *verb.Call, typeIn) (typeOut, error){
		"success": func(_ context.Context, _ *verb.Call, in typeIn) (typeOut, error) {
			return typeOut{Echo: "now " + in.Text}, nil
		},
		"error": func(_ context.Context, _ *verb.Call, in typeIn) (typeOut, error) {
			return typeOut{}, &verb.Error{Code: verb.TypeNoEffect, Message: in.Text + " did nothing.", Hint: in.Text, Evidence: map[string]any{"before": []string{in.Text}}}
		},
		"bug": func(_ context.Context, _ *verb.Call, in typeIn) (typeOut, error) {
			return typeOut{}, errors.New("typing " + in.Text)
		},
	}
	for name, handle := range outcomes {
		b := newBench(t, handlers{typ: handle})
		reply, _ := b.call(t, "type_in", input)
		e := b.last(t)
		everything := strings.Join([]string{string(reply.Body), string(e.Input), string(e.Output), b.log.String(), fmt.Sprint(b.actions)}, "\n")
		if strings.Contains(everything, `hunter`) {
			t.Errorf("%s: the secret is in %s", name, everything)
		}
		if string(e.Input) != `{"secret":true,"text":"[redacted]"}` {
			t.Errorf("%s: the input is kept as %s", name, e.Input)
		}
		// A page may show it later: the answer is the page's, the log keeps none of it.
		reply, _ = b.call(t, "look", `{"name":"hunter\"2\\"}`)
		if e := b.last(t); !strings.Contains(string(reply.Body), `hunter`) || strings.Contains(string(e.Input)+string(e.Output), "hunter") {
			t.Errorf("%s: a later call answered %s and left %s %s", name, reply.Body, e.Input, e.Output)
		}
	}
}

func TestSecretsOfARefusedInputStayInside(t *testing.T) {
	b := newBench(t, handlers{})
	reply, _ := b.call(t, "type_in", `{"text":"hunter2","secret":true,"sekret":"hunter2"}`)
	if all := string(reply.Body) + string(b.last(t).Input) + string(b.last(t).Output) + b.log.String(); strings.Contains(all, "hunter2") {
		t.Errorf("the secret is in %s", all)
	}
}

func TestLeavingCancelsTheWorkAndIsRecorded(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	b := newBench(t, handlers{look: func(ctx context.Context, _ *verb.Call, _ lookIn) (lookOut, error) {
		leave()
		<-ctx.Done()
		return lookOut{}, fmt.Errorf("waiting: %w", ctx.Err())
	}})
	reply := b.Call(ctx, verb.Caller{Surface: "http"}, "look", []byte(`{"name":"a"}`))
	if reply.Err.Code != verb.Cancelled || b.last(t).Code != "CANCELLED" {
		t.Errorf("answered %s", reply.Body)
	}
	if b.ctxErr != nil {
		t.Errorf("the entry was written under a dead context: %v", b.ctxErr)
	}
	if b.clients[0] != "http:http" {
		t.Errorf("a nameless client is %s", b.clients[0])
	}
}

func TestCallsAreBounded(t *testing.T) {
	b := newBench(t, handlers{look: func(ctx context.Context, _ *verb.Call, _ lookIn) (lookOut, error) {
		if _, ok := ctx.Deadline(); ok {
			return lookOut{}, errors.New("a deadline would replace the shorter one of each protocol call")
		}
		<-ctx.Done()
		return lookOut{}, fmt.Errorf("waiting: %w", ctx.Err())
	}})
	b.cfg.MaxCall = time.Nanosecond
	if reply, _ := b.call(t, "look", `{"name":"a"}`); reply.Err.Code != verb.Timeout {
		t.Errorf("answered %s", reply.Body)
	}
}

func TestUnreadyBrowserRefusesVerbsThatNeedIt(t *testing.T) {
	b := newBench(t, handlers{})
	b.ready = &browser.UnavailableError{Problem: browser.Problem{What: "No browser.", Fix: "Install one."}}
	if reply, _ := b.call(t, "press", `{}`); reply.Err.Code != verb.BrowserUnavailable {
		t.Errorf("answered %s", reply.Body)
	}
	if reply, _ := b.call(t, "look", `{"name":"a"}`); reply.Err != nil {
		t.Errorf("a verb without a tab answered %s", reply.Body)
	}
}

func TestALogThatCannotBeWrittenFailsNoCall(t *testing.T) {
	b := newBench(t, handlers{})
	b.fail = errors.New("disk full")
	reply, _ := b.call(t, "type_in", `{"text":"a"}`)
	if reply.Err != nil || !strings.Contains(b.log.String(), "disk full") {
		t.Errorf("answered %s, logged %s", reply.Body, b.log)
	}
}

func TestPolicyIsReadOnceACall(t *testing.T) {
	var b *bench
	b = newBench(t, handlers{look: func(_ context.Context, call *verb.Call, _ lookIn) (lookOut, error) {
		b.policy = settings.Policy{} // The person turns everything off in the middle of the call.
		return lookOut{}, call.Require(settings.Master)
	}})
	if reply, _ := b.call(t, "look", `{"name":"a"}`); reply.Err != nil {
		t.Errorf("the running call saw the change: %s", reply.Body)
	}
	if reply, _ := b.call(t, "look", `{"name":"a"}`); reply.Err == nil || b.last(t).Outcome != runs.Refused {
		t.Errorf("the next call did not: %s", reply.Body)
	}
}

func TestClientNamesAreCleaned(t *testing.T) {
	for in, want := range map[string]string{"agent": "agent", "": "mcp", "a\x1b[31m\u202eb": "a[31mb", strings.Repeat("x", 200): strings.Repeat("x", 64)} {
		if got := named(verb.Caller{Client: in, Surface: "mcp"}); got.Client != want || got.Surface != "mcp" {
			t.Errorf("named(%q) = %q, want %q", in, got.Client, want)
		}
	}
}

func TestALogThatIsNotKeptIsTold(t *testing.T) {
	b := newBench(t, handlers{})
	if err := b.Unrecorded(); err != nil {
		t.Errorf("before the first call: %v", err)
	}
	b.fail = errors.New("the disk is full")
	if reply, _ := b.call(t, "look", `{"name":"a"}`); reply.Err != nil {
		t.Errorf("the call itself failed: %v", reply.Err)
	}
	if err := b.Unrecorded(); !errors.Is(err, b.fail) {
		t.Errorf("while the disk is full: %v", err)
	}
	b.fail = nil
	b.call(t, "look", `{"name":"a"}`)
	if err := b.Unrecorded(); err != nil {
		t.Errorf("after room was made: %v", err)
	}
}
