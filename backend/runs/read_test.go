package runs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// fill records n runs of one call each, a minute apart, and returns their ids, oldest first.
func fill(t *testing.T, l *Log, n int) []string {
	t.Helper()
	ids := make([]string, 0, n)
	for i := range n {
		e := Entry{At: noon.Add(time.Duration(i) * time.Minute), Outcome: []string{OK, Refused, Failed}[i%3], Site: fmt.Sprintf("s%d.example", i%2)}
		ids = append(ids, record(t, l, fmt.Sprintf("s%03d", i), e).RunID)
	}
	return ids
}

func TestRunsPaging(t *testing.T) {
	l := testLog(t)
	if p := list(t, l, Filter{}); p.Total != 0 || p.Runs == nil {
		t.Errorf("an empty log = %+v", p)
	}
	ids := fill(t, l, 24)
	slices.Reverse(ids)
	var even, refused []string // as fill spreads them, newest first
	for i, id := range ids {
		if (23-i)%2 == 0 {
			even = append(even, id)
		}
		if (23-i)%3 == 1 {
			refused = append(refused, id)
		}
	}
	tests := map[string]struct {
		filter Filter
		want   []string
		total  int
	}{
		"first page":     {Filter{}, ids[:10], 24},
		"page 1":         {Filter{Page: 1}, ids[:10], 24},
		"page 3":         {Filter{Page: 3}, ids[20:], 24},
		"past the end":   {Filter{Page: 4}, nil, 24},
		"far past":       {Filter{Page: 1 << 62, PerPage: 100}, nil, 24},
		"negative":       {Filter{Page: -1, PerPage: -1}, ids[:10], 24},
		"larger pages":   {Filter{PerPage: 20, Page: 2}, ids[20:], 24},
		"over the limit": {Filter{PerPage: 5000}, ids, 24},
		"site":           {Filter{Site: "s0.example"}, even[:10], 12},
		"outcome":        {Filter{Outcome: Refused}, refused, 8},
		"both":           {Filter{Outcome: Refused, Site: "s0.example", PerPage: 2}, []string{refused[0], refused[2]}, 4},
		"no such site":   {Filter{Site: "s%"}, nil, 0},
		"injection":      {Filter{Outcome: "' OR 1=1 --"}, nil, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := list(t, l, tt.filter)
			var got []string
			for _, r := range p.Runs {
				got = append(got, r.ID)
			}
			if !slices.Equal(got, tt.want) || p.Total != tt.total || p.Runs == nil {
				t.Errorf("%d of %d runs: %v", len(got), p.Total, got)
			}
		})
	}
}

func TestRunEntries(t *testing.T) {
	l := testLog(t)
	var run string
	for i := range 205 {
		// Two a millisecond, and the last one began first.
		e := record(t, l, "abcd", Entry{At: noon.Add(time.Duration(i/2+1) * time.Millisecond), Tab: fmt.Sprint(i)})
		run = e.RunID
	}
	record(t, l, "abcd", Entry{At: noon, Tab: "first"})
	for _, tt := range []struct{ limit, want int }{{0, 200}, {-1, 200}, {1000, 200}, {3, 3}} {
		d, err := l.Run(context.Background(), run, tt.limit)
		if err != nil || len(d.Entries) != tt.want || d.Total != 206 {
			t.Fatalf("limit %d: %d of %d entries, %v", tt.limit, len(d.Entries), d.Total, err)
		}
		for i, e := range d.Entries {
			if e.Tab != fmt.Sprint(204-i) {
				t.Fatalf("entry %d is %s", i, e.Tab)
			}
		}
	}
	if _, err := l.Run(context.Background(), "none", 0); !errors.Is(err, ErrUnknownRun) {
		t.Errorf("an unknown run: %v", err)
	}
}

func TestExport(t *testing.T) {
	l := testLog(t)
	var run string
	for i := range 2*exportStep + 1 {
		run = record(t, l, "abcd", Entry{At: noon.Add(time.Duration(i/3) * time.Millisecond), Tab: fmt.Sprint(i), Input: json.RawMessage("{\"a\": \"<b>\",\n\"c\":1}")}).RunID
		record(t, l, "other", Entry{Tab: "other"})
	}
	// A writer that is fed while the run goes on, and that asks the log meanwhile: the connection must be free.
	var out bytes.Buffer
	busy := writerFunc(func(p []byte) (int, error) {
		record(t, l, "abcd", Entry{At: noon.Add(time.Second), Tab: "late"})
		return out.Write(p)
	})
	if err := l.Export(context.Background(), run, busy); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 2*exportStep+1 {
		t.Fatalf("%d lines", len(lines))
	}
	for i, line := range lines {
		var e Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Tab != fmt.Sprint(i) || e.RunID != run || string(e.Input) != `{"a":"<b>","c":1}` {
			t.Fatalf("line %d = %s, %v", i, line, err)
		}
	}

	if err := l.Export(context.Background(), "none", &out); !errors.Is(err, ErrUnknownRun) {
		t.Errorf("an unknown run: %v", err)
	}
	closed := errors.New("closed")
	if err := l.Export(context.Background(), run, writerFunc(func([]byte) (int, error) { return 0, closed })); !errors.Is(err, closed) {
		t.Errorf("a closed writer: %v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestReadsEndWithTheirContext(t *testing.T) {
	l := testLog(t)
	run := record(t, l, "abcd", Entry{}).RunID
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, runs := l.Runs(ctx, Filter{})
	_, one := l.Run(ctx, run, 0)
	_, sites := l.Sites(ctx)
	export := l.Export(ctx, run, &bytes.Buffer{})
	for name, err := range map[string]error{"runs": runs, "run": one, "sites": sites, "export": export} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s = %v", name, err)
		}
	}
}
