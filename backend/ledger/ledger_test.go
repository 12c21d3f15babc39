package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"kuang/backend/store"
)

var noon = time.Date(2026, 10, 25, 12, 0, 0, 0, time.UTC)

func testLedger(t *testing.T) *Ledger {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "kuang.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return newLedger(db, func() time.Time { return noon })
}

func add(t *testing.T, l *Ledger, a Action) Action {
	t.Helper()
	got, err := l.Add(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func sentences(t *testing.T, l *Ledger, before string, limit int) []string {
	t.Helper()
	actions, err := l.List(context.Background(), before, limit)
	if err != nil || actions == nil {
		t.Fatalf("list = %v, %v", actions, err)
	}
	got := []string{}
	for _, a := range actions {
		got = append(got, a.Sentence)
	}
	return got
}

func TestAddKeepsEverything(t *testing.T) {
	l := testLedger(t)
	sent := Action{
		At: noon.Add(123_456_789), RunID: "r", Client: "price-watch", Surface: "mcp", Session: "abcd", Tab: "t1", Site: "shop.example",
		Verb: "act", Sentence: "Clicked " + Quote("Confirm order") + " on shop.example", Undo: "back",
	}
	got := add(t, l, sent)
	want := sent
	want.ID, want.At = got.ID, noon.Add(123*time.Millisecond)
	list, err := l.List(context.Background(), "", 0)
	if err != nil || len(list) != 1 || got != want || list[0] != want || got.ID == "" {
		t.Errorf("\n got %+v\nlist %+v\nwant %+v", got, list, want)
	}
	raw, err := json.Marshal(got)
	const wantJSON = `","at":"2026-10-25T12:00:00.123Z","run_id":"r","client":"price-watch","surface":"mcp","session":"abcd","tab":"t1",` +
		`"site":"shop.example","verb":"act","sentence":"Clicked “Confirm order” on shop.example","undo":"back"}`
	if err != nil || string(raw) != `{"id":"`+got.ID+wantJSON {
		t.Errorf("JSON = %s", raw)
	}
	if got := add(t, l, Action{}); !got.At.Equal(noon) {
		t.Errorf("at = %v", got.At)
	}
}

func TestList(t *testing.T) {
	l := testLedger(t)
	if got := sentences(t, l, "", 10); len(got) != 0 {
		t.Errorf("an empty ledger has %v", got)
	}
	ids, want := []string{}, []string{} // newest first
	for n := range 205 {
		a := add(t, l, Action{Sentence: fmt.Sprint(n), At: noon.Add(-time.Duration(n) * time.Hour)}) // the order is that of adding
		ids, want = append([]string{a.ID}, ids...), append([]string{a.Sentence}, want...)
	}
	for name, tt := range map[string]struct {
		before string
		limit  int
		want   []string
	}{
		"default":        {"", 0, want[:50]},
		"limit":          {"", 3, want[:3]},
		"over the limit": {"", 5000, want[:200]},
		"next page":      {ids[2], 3, want[3:6]},
		"the last page":  {ids[202], 10, want[203:]},
		"past the end":   {ids[204], 10, nil},
		"gone":           {"01NONE", 10, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := sentences(t, l, tt.before, tt.limit); !slices.Equal(got, tt.want) {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestContexts(t *testing.T) {
	l := testLedger(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.Add(ctx, Action{Sentence: "done"}); err != nil {
		t.Errorf("what was done was not kept: %v", err)
	}
	if _, err := l.List(ctx, "", 0); !errors.Is(err, context.Canceled) {
		t.Errorf("list = %v", err)
	}
	if err := l.db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Add(context.Background(), Action{}); err == nil {
		t.Error("added to a closed database")
	}
}

func TestSubscribersSeeTheOrderOfTheList(t *testing.T) {
	l := testLedger(t)
	var told []string
	var cancel func()
	calls := 0
	cancel = l.Subscribe(func(Action) { calls++; cancel() })
	l.Subscribe(func(a Action) { told = append(told, a.Sentence) })
	var wg sync.WaitGroup
	for n := range 100 {
		wg.Go(func() {
			if _, err := l.Add(context.Background(), Action{Sentence: fmt.Sprint(n)}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	list := sentences(t, l, "", 200)
	slices.Reverse(list)
	if !slices.Equal(told, list) || len(list) != 100 || calls != 1 {
		t.Errorf("told %d of %d, and %d after cancelling", len(told), len(list), calls-1)
	}
}
