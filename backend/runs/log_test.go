package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kuang/backend/store"
)

var noon = time.Date(2026, 10, 25, 12, 0, 0, 0, time.UTC)

func openDB(t testing.TB, path string) *store.DB {
	t.Helper()
	db, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func testLog(t testing.TB) *Log {
	t.Helper()
	return newLog(openDB(t, filepath.Join(t.TempDir(), "kuang.db")), func() time.Time { return noon })
}

func record(t testing.TB, l *Log, session string, e Entry) Entry {
	t.Helper()
	if e.Outcome == "" {
		e.Outcome = OK
	}
	if e.Verb == "" {
		e.Verb = "find"
	}
	got, err := l.Record(context.Background(), session, "tester", "http", e)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func list(t testing.TB, l *Log, f Filter) Page {
	t.Helper()
	p, err := l.Runs(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func detail(t testing.TB, l *Log, id string) Detail {
	t.Helper()
	d, err := l.Run(context.Background(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestRecordKeepsEverything(t *testing.T) {
	l := testLog(t)
	at := time.Date(2026, 10, 25, 14, 0, 0, 123_456_789, time.FixedZone("CEST", 7200))
	sent := Entry{
		At: at, Verb: "act", Tab: "t3", Site: "shop.example", Outcome: Refused, Code: "SEALED_DISABLED", DurationMS: 1500,
		Input: json.RawMessage(`{"name":"“Größe” <b>"}`), Output: json.RawMessage(`{"ok":false}`),
		Protocol: map[string]int64{"DOM.getBoxModel": 2, "Page.enable": 1},
	}
	got := record(t, l, "abcd", sent)
	want := sent
	want.ID, want.RunID, want.At = got.ID, got.RunID, at.UTC().Truncate(time.Millisecond)
	want.InputBytes, want.OutputBytes = len(sent.Input), len(sent.Output)
	d := detail(t, l, got.RunID)
	for name, e := range map[string]Entry{"returned": got, "stored": d.Entries[0]} {
		if fmt.Sprint(e) != fmt.Sprint(want) || got.ID == "" || got.RunID == "" || got.ID == got.RunID {
			t.Errorf("%s\n got %+v\nwant %+v", name, e, want)
		}
	}
	run := Run{ID: got.RunID, Session: "abcd", Client: "tester", Surface: "http", StartedAt: want.At,
		LastAt: want.At.Add(1500 * time.Millisecond), Calls: 1, Sites: []string{"shop.example"}, Outcome: Refused}
	if fmt.Sprint(d.Run) != fmt.Sprint(run) || d.Total != 1 {
		t.Errorf("run\n got %+v\nwant %+v", d.Run, run)
	}
	if raw, err := json.Marshal(d); err != nil || !strings.Contains(string(raw), `"started_at":"2026-10-25T12:00:00.123Z"`) {
		t.Errorf("JSON = %s, %v", raw, err)
	}

	bare := record(t, l, "bare", Entry{DurationMS: -4})
	if d := detail(t, l, bare.RunID); !d.StartedAt.Equal(noon) || !d.LastAt.Equal(noon) || d.Sites == nil || d.Entries[0].Input != nil {
		t.Errorf("a bare call = %+v", d)
	}
	if _, err := l.Record(context.Background(), "abcd", "tester", "http", Entry{Outcome: "fine"}); err == nil {
		t.Error("an unknown outcome was recorded")
	}
}

func TestRunsBeginAndEnd(t *testing.T) {
	type call struct {
		after    time.Duration // after noon
		duration time.Duration
		session  string
		client   string
		size     int
	}
	tests := map[string]struct {
		calls []call
		runs  []int // of each call, counted from 0
	}{
		"one piece of work":           {[]call{{}, {after: time.Minute}, {after: 11 * time.Minute}}, []int{0, 0, 0}},
		"silence":                     {[]call{{}, {after: 10*time.Minute + time.Millisecond}}, []int{0, 1}},
		"silence begins at the end":   {[]call{{duration: 30 * time.Minute}, {after: 40 * time.Minute}}, []int{0, 0}},
		"two sessions":                {[]call{{}, {session: "wxyz"}, {after: time.Second}}, []int{0, 1, 0}},
		"two clients with one id":     {[]call{{}, {client: "other"}}, []int{0, 1}},
		"recorded out of order":       {[]call{{after: time.Minute}, {after: 0}}, []int{0, 0}},
		"back to an old one":          {[]call{{}, {after: time.Hour}, {after: time.Minute}}, []int{0, 1, 1}},
		"large runs give way":         {[]call{{size: fullRun}, {}, {}}, []int{0, 1, 1}},
		"a session is not remembered": {[]call{{}, {session: "wxyz", after: 3 * time.Hour}, {after: 3 * time.Hour}}, []int{0, 1, 2}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l := testLog(t)
			runs := []string{}
			for i, c := range tt.calls {
				if c.session == "" {
					c.session = "abcd"
				}
				if c.client == "" {
					c.client = "tester"
				}
				e := Entry{At: noon.Add(c.after), DurationMS: c.duration.Milliseconds(), Verb: "find", Outcome: OK}
				got, err := l.Record(context.Background(), c.session, c.client, "http", e)
				if err != nil {
					t.Fatal(err)
				}
				for done := 0; done < c.size; done += longest {
					got = record(t, l, c.session, Entry{At: e.At, Output: json.RawMessage(`"` + strings.Repeat("x", longest-2) + `"`)})
				}
				if !slices.Contains(runs, got.RunID) {
					runs = append(runs, got.RunID)
				}
				if n := slices.Index(runs, got.RunID); n != tt.runs[i] {
					t.Errorf("call %d is in run %d, want %d", i, n, tt.runs[i])
				}
			}
			if p := list(t, l, Filter{}); p.Total != len(runs) {
				t.Errorf("%d runs, want %d", p.Total, len(runs))
			}
			if len(l.open) > 2 {
				t.Errorf("%d sessions are remembered", len(l.open))
			}
		})
	}
}

// Session ids are short, so another start of the program may give one again.
func TestARestartOpensARun(t *testing.T) {
	l := testLog(t)
	first := record(t, l, "abcd", Entry{})
	again := newLog(l.db, l.now)
	if second := record(t, again, "abcd", Entry{}); second.RunID == first.RunID {
		t.Error("two starts share a run")
	}
}

func TestRunsAddUp(t *testing.T) {
	l := testLog(t)
	for i, tt := range []struct {
		outcome, site, want string
		failures            int
		sites               []string
	}{
		{OK, "b.example", OK, 0, []string{"b.example"}},
		{Refused, "", Refused, 0, []string{"b.example"}},
		{OK, "a.example", Refused, 0, []string{"b.example", "a.example"}},
		{Failed, "b.example", Failed, 1, []string{"b.example", "a.example"}},
		{Refused, "c.example", Failed, 1, []string{"b.example", "a.example", "c.example"}},
		{Failed, "", Failed, 2, []string{"b.example", "a.example", "c.example"}},
	} {
		e := record(t, l, "abcd", Entry{Outcome: tt.outcome, Site: tt.site, At: noon.Add(time.Duration(i) * time.Second)})
		d := detail(t, l, e.RunID)
		if d.Outcome != tt.want || d.Failures != tt.failures || d.Calls != i+1 || d.Total != i+1 || !slices.Equal(d.Sites, tt.sites) {
			t.Errorf("after call %d: %+v", i, d.Run)
		}
	}
	if got, err := l.Sites(context.Background()); err != nil || !slices.Equal(got, []string{"a.example", "b.example", "c.example"}) {
		t.Errorf("sites = %v, %v", got, err)
	}
}

// The database forgets a run that its session still adds to.
func TestRecordAfterThePrune(t *testing.T) {
	l := testLog(t)
	e := record(t, l, "abcd", Entry{})
	if err := l.db.Prune(context.Background(), store.Limits{Bytes: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Run(context.Background(), e.RunID, 0); !errors.Is(err, ErrUnknownRun) {
		t.Errorf("the forgotten run: %v", err)
	}
	next := record(t, l, "abcd", Entry{})
	if next.RunID == e.RunID || detail(t, l, next.RunID).Total != 1 {
		t.Error("the call went to a run that is gone")
	}
}

func TestRecordOutlivesItsCaller(t *testing.T) {
	l := testLog(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	e, err := l.Record(ctx, "abcd", "tester", "http", Entry{Verb: "find", Outcome: OK})
	if err != nil || detail(t, l, e.RunID).Total != 1 {
		t.Errorf("record = %v", err)
	}
}

func TestRecordInParallel(t *testing.T) {
	l := testLog(t)
	told := 0
	l.Subscribe(func(Run, Entry) { told++ })
	const calls, sessions = 200, 4
	var wg sync.WaitGroup
	for n := range calls {
		wg.Go(func() {
			_, err := l.Record(context.Background(), fmt.Sprintf("s%d", n%sessions), "tester", "http",
				Entry{Verb: "find", Outcome: OK, Site: fmt.Sprintf("s%d.example", n%7), Output: json.RawMessage(fmt.Sprint(n))})
			if err != nil {
				t.Error(err)
			}
			if n%20 == 0 { // readers in between
				if _, err := l.Runs(context.Background(), Filter{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	outputs := map[string]bool{}
	page := list(t, l, Filter{})
	for _, r := range page.Runs {
		d := detail(t, l, r.ID)
		if r.Calls != calls/sessions || d.Total != r.Calls || len(r.Sites) != 7 {
			t.Errorf("run %+v", r)
		}
		for _, e := range d.Entries {
			outputs[string(e.Output)] = true
		}
	}
	if page.Total != sessions || len(outputs) != calls || told != calls {
		t.Errorf("%d runs, %d entries, told of %d", page.Total, len(outputs), told)
	}
}

func TestSubscribe(t *testing.T) {
	l := testLog(t)
	var got []string
	var cancel func()
	cancel = l.Subscribe(func(r Run, e Entry) {
		got = append(got, fmt.Sprint(r.Calls, e.Verb, r.Sites))
		if e.Verb == "last" {
			cancel()
		}
	})
	other := 0
	l.Subscribe(func(Run, Entry) { other++ })
	for _, verb := range []string{"find", "last", "after"} {
		record(t, l, "abcd", Entry{Verb: verb, Site: "a.example"})
	}
	if want := []string{"1find[a.example]", "2last[a.example]"}; !slices.Equal(got, want) || other != 3 {
		t.Errorf("told %v, the other %d times", got, other)
	}
}

func BenchmarkRecord(b *testing.B) {
	l := testLog(b)
	e := Entry{Verb: "find", Outcome: OK, Site: "a.example", Output: json.RawMessage(`"` + strings.Repeat("x", 4000) + `"`)}
	for b.Loop() {
		if _, err := l.Record(context.Background(), "abcd", "tester", "http", e); err != nil {
			b.Fatal(err)
		}
	}
}
