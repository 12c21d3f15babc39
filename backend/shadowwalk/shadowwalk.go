// Package shadowwalk reads the controls that a page keeps in closed shadow roots, without touching the page, and holds
// the one lever that does change a page: force-open.
//
// A sealed read happens only when it is asked for. It searches the document for what can be operated inside any shadow
// root, keeps what has a closed root above it, and asks the accessibility tree for role, name and state of those nodes
// alone; geometry is read for what matched. The protocol domains it needs are released soon after the last read.
//
// What a field holds is never collected: it is dropped where the protocol's answer is decoded, so that no type here can
// carry it.
package shadowwalk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"sync"
	"time"

	"kuang/backend/browser"
	"kuang/settings"
)

const (
	// maxCandidates is how many sealed nodes of one document are asked for role and name.
	maxCandidates = 200
	// maxMeasured is how many matches a call measures; geometry is the part that makes the page lay itself out.
	maxMeasured = 40
	// releaseAfter is how long the protocol domains stay on after a read, so that an agent's next one is cheap.
	releaseAfter = 1500 * time.Millisecond
)

// Lever is the settings key that permits sealed reads. The caller asks the policy; the walker does not.
const Lever = "shadow.axSealed"

// source says in every row where it came from: the accessibility tree.
const source = "ax"

// ErrNavigated is a read whose document went away under it. Asking again reads the new one.
var ErrNavigated = errors.New("the page navigated while its sealed controls were read")

// Query narrows a read. The zero Query matches every sealed control.
type Query struct {
	// Role is compared whole, Name whole, and Contains as a part of the name, all without regard to case and to runs
	// of white space. Empty means any.
	Role, Name, Contains string
	// Regex is matched against the name as it stands; nil means any.
	Regex *regexp.Regexp
	// Limit is the largest number of controls returned, at most 40; 0 means 40.
	Limit int
}

// Control is one sealed control. It has no field that could carry what the control holds.
type Control struct {
	// Role is the ARIA role, or date, datetime, time and color for the inputs that ARIA has no role for.
	Role string `json:"role"`
	Name string `json:"name"`
	// NameWithheld is true when the name repeats what is typed or chosen in a field; Name is empty then.
	NameWithheld bool `json:"name_withheld,omitempty"`
	Disabled     bool `json:"disabled"`
	Focused      bool `json:"focused"`
	Focusable    bool `json:"focusable"`
	ReadOnly     bool `json:"readonly,omitempty"`
	Required     bool `json:"required,omitempty"`
	// Checked and Pressed are true, false or mixed, Expanded and Selected true or false; empty where the control has
	// no such state.
	Checked  string `json:"checked,omitempty"`
	Pressed  string `json:"pressed,omitempty"`
	Expanded string `json:"expanded,omitempty"`
	Selected string `json:"selected,omitempty"`
	// Rect is the box around the control's border, in CSS pixels of the top viewport.
	Rect browser.Rect `json:"rect"`
	// InViewport is true when the middle of Rect is inside the viewport and inside every frame around the control.
	InViewport bool `json:"in_viewport"`
	// Actions are the actions of act that fit the role; empty when the control is disabled.
	Actions []string `json:"actions"`
	// Source is "ax", Sealed is true and Tier is the tier of the lever, in every row.
	Source string `json:"source"`
	Sealed bool   `json:"sealed"`
	Tier   string `json:"tier"`
	// FrameID is the frame whose document holds the control.
	FrameID string `json:"frame_id"`
}

// Result is the outcome of one read.
type Result struct {
	// Controls are in document order: a root's content before the host's children, a frame's at its owner.
	Controls []Control
	// Sealed is the number of sealed controls found, before the query.
	Sealed int
	// Candidates is the number of sealed nodes that were asked for role and name. Capped says that a document had
	// more than 200, whose rest was not looked at.
	Candidates int
	Capped     bool
	// Unmeasured is the number of matches that were left out because of the limit.
	Unmeasured int
	// UnreadFrames is the number of frames in processes of their own, whose documents were not read.
	UnreadFrames int
}

// Walker reads sealed controls. Its methods may be called from any goroutine; reads of one tab run one after another,
// since a read forgets the node ids of the one before.
type Walker struct {
	log      *slog.Logger
	tier     string
	now      func() time.Time
	activity *activity

	// mu guards tabs: the tabs with a read running or domains to release, by tab.
	mu   sync.Mutex
	tabs map[page]*tabState
}

// New makes a walker.
func New(log *slog.Logger) *Walker {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	lever, _ := settings.Find(Lever)
	return &Walker{
		log: log, tier: string(lever.Tier), now: time.Now, activity: newActivity(), tabs: map[page]*tabState{},
	}
}

// Find reads the sealed controls of the tab's document and of its frames in the same process.
func (w *Walker) Find(ctx context.Context, tab *browser.Tab, q Query) (Result, error) {
	return w.read(ctx, tab, q, enumerate)
}

// Reference answers like Find by reading everything: the accessibility tree of every frame and the whole document. It
// is what tests compare Find with and what the benchmark measures it against.
func (w *Walker) Reference(ctx context.Context, tab *browser.Tab, q Query) (Result, error) {
	return w.read(ctx, tab, q, enumerateAll)
}

// method enumerates the sealed controls of a page: fast or by reading everything.
type method func(ctx context.Context, s *scan) (found, error)

func (w *Walker) read(ctx context.Context, p page, q Query, way method) (Result, error) {
	st, leave, err := w.enter(ctx, p)
	if err != nil {
		return Result{}, fmt.Errorf("reading the sealed controls of tab %s: %w", p.ID(), err)
	}
	defer leave()
	began := w.now()
	s := newScan(p, st)
	defer s.close()
	r, err := s.run(ctx, q, way)
	if err != nil {
		return Result{}, fmt.Errorf("reading the sealed controls of tab %s: %w", p.ID(), err)
	}
	for i := range r.Controls {
		r.Controls[i].Tier = w.tier
	}
	w.activity.record(p.ID(), r.Sealed, w.now())
	w.log.Debug("sealed read", "tab", p.ID(), "sealed", r.Sealed, "candidates", r.Candidates, "returned", len(r.Controls),
		"took_ms", w.now().Sub(began).Milliseconds())
	return r, nil
}
