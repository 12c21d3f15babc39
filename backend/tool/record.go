package tool

import (
	"context"
	"encoding/json"
	"net/url"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"kuang/backend/ledger"
	"kuang/backend/runs"
	"kuang/backend/verb"
)

// record writes the run log's entry and, for an action, the ledger's sentence. It works on when the caller has left.
// What cannot be written is logged and does not fail the call, which has already happened.
func (p *Pipeline) record(ctx context.Context, r *run, reply *Reply) {
	defer func() {
		if v := recover(); v != nil {
			p.logFault(r, &panicked{value: v})
		}
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	id, tab, site := "", r.tabID(reply.Body), r.where()
	if r.session != nil {
		id = r.session.ID()
	}
	past := p.typed.scrubber()
	entry := runs.Entry{
		At: r.started, Verb: clip(r.name), Tab: tab, Site: site, DurationMS: time.Since(r.started).Milliseconds(),
		Input: p.kept(past, r.logged()), Output: p.kept(past, reply.Body), Protocol: r.protocol(), Outcome: runs.OK,
	}
	if reply.Err != nil {
		entry.Outcome, entry.Code = outcome(reply.Err), string(reply.Err.Code)
	}
	entry, err := p.cfg.Runs.Record(ctx, id, r.who.Client, r.who.Surface, entry)
	p.unrecorded.Store(&recordFailure{err})
	if err != nil {
		p.cfg.Log.Error("recording a call", "verb", clip(r.name), "error", err)
	}
	reply.RunID = entry.RunID
	if reply.Err != nil && (entry.Outcome == runs.Refused || reply.Err.Code == verb.BadRequest) {
		return // Turned away, so nothing was done.
	}
	text := r.sentence()
	if text == "" {
		return
	}
	action := ledger.Action{
		At: r.started, RunID: entry.RunID, Client: r.who.Client, Surface: r.who.Surface, Session: id, Tab: tab, Site: site,
		Verb: r.name, Sentence: past.text(r.scrub.text(text)),
	}
	if r.tool.Undo != nil && reply.Err == nil {
		action.Undo = past.text(r.scrub.text(r.tool.Undo(r.in, r.out)))
	}
	if _, err := p.cfg.Ledger.Add(ctx, action); err != nil {
		p.cfg.Log.Error("adding to the ledger", "verb", r.name, "error", err)
	}
}

// recordFailure is how the last attempt to record a call went; a nil error is a call that is in the log.
type recordFailure struct{ err error }

// Unrecorded is why the last call could not be written to the run log, or nil while the log is kept. A person who relies
// on the log must be told, wherever they look.
func (p *Pipeline) Unrecorded() error {
	if f := p.unrecorded.Load(); f != nil {
		return f.err
	}
	return nil
}

// logged is the input as the log may keep it: redacted where the verb's type says what is secret, else by shape.
func (r *run) logged() []byte {
	if r.in == nil {
		return shape(r.body)
	}
	object, err := parse(r.body)
	if err != nil {
		return shape(r.body)
	}
	clean, err := encode(object)
	if err == nil {
		clean, err = r.scrub.json(clean)
	}
	if err != nil {
		return shape(r.body)
	}
	return clean
}

// kept takes out of a log text what earlier calls typed as a secret: a page may show it again. If that fails nothing is
// kept, since an unredacted text must not be.
func (p *Pipeline) kept(past scrubber, text []byte) json.RawMessage {
	clean, err := past.json(text)
	if err != nil {
		p.cfg.Log.Error("redacting for the run log", "error", err)
		return json.RawMessage("null")
	}
	return clean
}

// tabID is the tab that the call worked on, or the one that the verb itself names in its answer.
func (r *run) tabID(body []byte) string {
	if r.tab != nil {
		return r.tab.ID()
	}
	var own struct {
		Tab string `json:"tab"`
	}
	if json.Unmarshal(body, &own) != nil {
		return "" // The field may have another type in a verb's answer, and then it is no tab.
	}
	return own.Tab
}

// where is the site of the call: where an action happened, and where a navigation led.
func (r *run) where() string {
	if r.tab == nil {
		return ""
	}
	now := host(r.tab.URL())
	if r.site == "" || r.tool.Target == verb.OpenTab && now != "" {
		return now
	}
	return r.site
}

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// outcome tells what Kuang declined to do from what did not work.
func outcome(e *verb.Error) string {
	_, lever := e.Evidence["setting"]
	if lever || e.Code == verb.NotOwned || e.Status() == 429 {
		return runs.Refused
	}
	return runs.Failed
}

// named gives the caller a name that can be shown: without control and direction marks, and of bounded length.
func named(who verb.Caller) verb.Caller {
	clean := []rune{}
	for _, c := range who.Client {
		if unicode.IsPrint(c) && len(clean) < 64 {
			clean = append(clean, c)
		}
	}
	who.Client = string(clean)
	if who.Client == "" {
		who.Client = who.Surface
	}
	return who
}

// remembered is how many typed secrets the memory holds; an agent types a handful in a session.
const remembered = 100

// memory keeps the secrets of past calls, in memory only, so that the log does not keep one that a page shows later.
type memory struct {
	mu      sync.Mutex // guards secrets; every call reads them, calls with secrets write
	secrets []string   // oldest first
}

func (m *memory) add(secrets []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range secrets {
		// A short word stands in too many texts to be told from the secret.
		if utf8.RuneCountInString(s) >= shortSecret {
			m.secrets = append(m.secrets, s)
		}
	}
	if extra := len(m.secrets) - remembered; extra > 0 {
		m.secrets = append([]string(nil), m.secrets[extra:]...)
	}
}

func (m *memory) scrubber() scrubber {
	m.mu.Lock()
	defer m.mu.Unlock()
	return newScrubber(m.secrets)
}
