package session

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"kuang/backend/browser"
	"kuang/backend/browser/browsertest"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Main(m)) }

// empty is a browser without tabs.
type empty struct{}

func (empty) Open(context.Context, browser.OpenOptions) (*browser.Tab, error) {
	return nil, &browser.UnavailableError{Problem: browser.Problem{What: "There is none.", Fix: "Start one."}}
}
func (empty) Tab(string) (*browser.Tab, bool)               { return nil, false }
func (empty) Listed() []browser.Listing                     { return nil }
func (empty) Subscribe(func(browser.Event)) (cancel func()) { return func() {} }

func TestEveryClientHasOneSession(t *testing.T) {
	s := over(empty{}, rand.IntN)
	var wg sync.WaitGroup
	var mu sync.Mutex
	got := map[*Session]int{}
	for range 50 {
		for _, client := range []string{"a", "b"} {
			wg.Go(func() {
				x := s.For(client, "http")
				mu.Lock()
				defer mu.Unlock()
				got[x]++
			})
		}
	}
	wg.Wait()
	if len(got) != 2 || s.Clients() != 2 || len(s.List()) != 2 {
		t.Errorf("%d sessions, %d clients", len(got), s.Clients())
	}
	a, mcp := s.For("a", "http"), s.For("a", "mcp")
	if a == mcp || a.Client() != "a" || mcp.Surface() != "mcp" || a.ID() == mcp.ID() {
		t.Errorf("got %+v and %+v", a, mcp)
	}
	if !regexp.MustCompile(`^[a-z]{4}$`).MatchString(a.ID()) {
		t.Errorf("the id is %q", a.ID())
	}
}

func TestIDsAreNeverGivenTwice(t *testing.T) {
	// Chance that always falls the same way four times, then moves on.
	n := 0
	s := over(empty{}, func(max int) int { n++; return n / 8 % max })
	seen := map[string]bool{}
	for range 20 {
		s.mu.Lock()
		id := s.newID()
		s.mu.Unlock()
		if seen[id] {
			t.Fatalf("%s again", id)
		}
		seen[id] = true
	}
}

func TestASessionWithoutTabs(t *testing.T) {
	x := over(empty{}, func(int) int { return 0 }).For("a", "http")
	if _, err := x.Tab(""); !errors.Is(err, ErrNoTab) {
		t.Errorf("got %v", err)
	}
	if err := x.Close(t.Context(), ""); !errors.Is(err, ErrNoTab) {
		t.Errorf("got %v", err)
	}
	if _, err := x.Tab("t9"); !errors.As(err, new(*UnknownTabError)) {
		t.Errorf("got %v", err)
	}
	if err := x.Select(""); !errors.As(err, new(*UnknownTabError)) {
		t.Errorf("got %v", err)
	}
	if _, err := x.Open(t.Context(), "", false); !errors.As(err, new(*browser.UnavailableError)) {
		t.Errorf("got %v", err)
	}
	if x.Active() != "" || len(x.Owned()) != 0 {
		t.Errorf("it has %q, %v", x.Active(), x.Owned())
	}
}

// await looks again until the condition holds.
func await(t *testing.T, condition func() bool) {
	t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatal("it never came true")
		}
	}
}

func ids(tabs []*browser.Tab) []string {
	var list []string
	for _, t := range tabs {
		list = append(list, t.ID())
	}
	return list
}

func TestTabsBelongToTheirSession(t *testing.T) {
	b := browsertest.Browser(t)
	s := New(b)
	mine, yours := s.For("mine", "http"), s.For("yours", "http")
	ctx := t.Context()
	open := func(x *Session, background bool) string {
		t.Helper()
		tab, err := x.Open(ctx, "", background)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			select {
			case <-tab.Closed():
			default:
				tab.Close(context.Background())
			}
		})
		return tab.ID()
	}
	one, two := open(mine, false), open(mine, false)
	behind := open(mine, true)
	other := open(yours, true)
	if mine.Active() != two || yours.Active() != other {
		t.Errorf("active are %s and %s", mine.Active(), yours.Active())
	}
	if got := ids(mine.Owned()); !slices.Equal(got, []string{one, two, behind}) {
		t.Errorf("mine are %v", got)
	}
	if tab, err := mine.Tab(""); err != nil || tab.ID() != two {
		t.Errorf("got %v, %v", tab, err)
	}
	if tab, err := mine.Tab(one); err != nil || tab.ID() != one {
		t.Errorf("got %v, %v", tab, err)
	}
	for _, err := range []error{second(mine.Tab(other)), mine.Select(other), mine.Close(ctx, other)} {
		if !errors.As(err, new(*NotOwnedError)) {
			t.Errorf("another's tab: %v", err)
		}
	}
	// A tab that nobody's session opened is the person's, attached or not.
	person := browsertest.Open(t, "")
	if _, err := mine.Tab(person.ID()); !errors.As(err, new(*NotOwnedError)) {
		t.Errorf("the person's tab: %v", err)
	}
	if err := mine.Select(one); err != nil || mine.Active() != one {
		t.Errorf("selecting: %v", err)
	}
	if err := mine.Close(ctx, ""); err != nil || mine.Active() != behind {
		t.Errorf("after the close %s is active, %v", mine.Active(), err)
	}
	if _, err := mine.Tab(one); !errors.As(err, new(*UnknownTabError)) {
		t.Errorf("a closed tab: %v", err)
	}
	// A tab that goes away by itself leaves its session too.
	gone, _ := b.Tab(behind)
	if err := gone.Close(ctx); err != nil {
		t.Fatal(err)
	}
	await(t, func() bool { return mine.Active() == two && len(mine.Owned()) == 1 })
}

func second(_ *browser.Tab, err error) error { return err }

func TestPopupsGoToTheirOpenersSession(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{
		"/": `<a href="/popup" target=_blank style="display: block; height: 200px">open</a>`, "/popup": `<title>popup</title>`,
	})
	s := New(browsertest.Browser(t))
	x := s.For("opener", "http")
	tab, err := x.Open(t.Context(), ip+"/", false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, owned := range x.Owned() {
			owned.Close(context.Background())
		}
	})
	if err := tab.Mouse().Click(t.Context(), 20, 20, browser.ClickOptions{}); err != nil {
		t.Fatal(err)
	}
	await(t, func() bool { return len(x.Owned()) == 2 })
	popup := x.Owned()[1]
	if popup.OpenerID() != tab.ID() || x.Active() != tab.ID() {
		t.Errorf("opener %s, active %s", popup.OpenerID(), x.Active())
	}
	if _, err := s.For("stranger", "http").Tab(popup.ID()); !errors.As(err, new(*NotOwnedError)) {
		t.Errorf("got %v", err)
	}
}

func TestOnlyATabThatOpenedIsOwned(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{"/": `x`})
	x := New(browsertest.Browser(t)).For("a", "http")
	if tab, err := x.Open(t.Context(), "javascript:1+", false); tab != nil || !errors.As(err, new(*browser.BadURLError)) {
		t.Errorf("got %v, %v", tab, err)
	}
	if x.Active() != "" {
		t.Errorf("it has %s", x.Active())
	}
	tab, err := x.Open(t.Context(), ip+"/", false)
	if err != nil || x.Active() != tab.ID() {
		t.Fatalf("got %v, active %s", err, x.Active())
	}
	if err := x.Close(t.Context(), ""); err != nil {
		t.Error(err)
	}
}
