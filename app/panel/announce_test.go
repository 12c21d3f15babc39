package panel

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"kuang/backend/browser"
	"kuang/backend/runs"
)

// TestRestartDoesNotWait: a browser takes its time, and the panel must not stand still for it.
func TestRestartDoesNotWait(t *testing.T) {
	w := newWorld(t)
	began, end := make(chan struct{}), make(chan struct{})
	w.browser.restart = func(context.Context) error { close(began); <-end; return errors.New("no browser") }
	if err := w.RestartBrowser(); err != nil {
		t.Fatal(err)
	}
	<-began
	close(end)
}

func TestAnnouncements(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.browser.tell(browser.Event{Kind: "status"}) // Before there is a window, nobody is told.
		told := make(chan Topic, 1000)
		Attach(w.Panel, func(event string, data any) {
			if event != Event {
				t.Errorf("event %s", event)
			}
			told <- data.(Changed).Topic
		}, nil)
		count := func(topic Topic) (n int) {
			synctest.Wait()
			for {
				select {
				case got := <-told:
					if got == topic {
						n++
					}
				default:
					return n
				}
			}
		}
		for range 300 {
			w.called("aaaa", "one", runs.Entry{})
		}
		if n := count(TopicRuns); n != 1 {
			t.Errorf("a burst was told of %d times at once", n)
		}
		time.Sleep(announceGap + time.Millisecond) // The bubble's clock, not a wait.
		if n := count(TopicRuns); n != 1 {
			t.Errorf("the end of a burst was told of %d times", n)
		}
		time.Sleep(time.Hour)
		if n := count(TopicRuns); n != 0 {
			t.Errorf("silence was told of %d times", n)
		}
		w.walker.tell(true)
		w.walker.tell(false)
		if n := count(TopicHud); n != 1 {
			t.Errorf("a sealed read was told of %d times", n)
		}
		if h, _ := w.Hud(); h.Sealed.Reads != 1 {
			t.Errorf("%d reads", h.Sealed.Reads)
		}
		Close(w.Panel)
		time.Sleep(time.Hour)
	})
}

func TestActivityIsBounded(t *testing.T) {
	a := newActivity()
	for i := range activityKept + 50 {
		a.record(runs.Run{Session: string(rune(0x4e00 + i))}, runs.Entry{At: time.Unix(int64(i), 0)})
	}
	all := a.all()
	if len(all) != activityKept || all[0].last.Unix() != activityKept+49 || all[len(all)-1].last.Unix() != 50 {
		t.Errorf("%d kept, from %v to %v", len(all), all[len(all)-1].last.Unix(), all[0].last.Unix())
	}
}
