package browser

import (
	"context"
	"encoding/json"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	kcdp "kuang/backend/cdp"
)

// Tab is a page that Kuang is attached to.
type Tab struct{}

func (t *Tab) ID() string                                          { return "" }
func (t *Tab) TargetID() target.ID                                 { return "" }
func (t *Tab) OpenerID() string                                    { return "" }
func (t *Tab) URL() string                                         { return "" }
func (t *Tab) Title() string                                       { return "" }
func (t *Tab) LoaderID() cdp.LoaderID                              { return "" }
func (t *Tab) Revision() int64                                     { return 0 }
func (t *Tab) Bump() int64                                         { return 0 }
func (t *Tab) Closed() <-chan struct{}                             { return nil }
func (t *Tab) Session() *kcdp.Session                              { return nil }
func (t *Tab) Lock(ctx context.Context) (unlock func(), err error) { return nil, errSkeleton }

// WaitUntil is how far a navigation must have come before it counts as done.
type WaitUntil string

// The waits.
const (
	UntilLoad        WaitUntil = "load"
	UntilDOM         WaitUntil = "domcontentloaded"
	UntilNetworkIdle WaitUntil = "networkidle"
	UntilNone        WaitUntil = "none" // the new document has committed
)

// Navigation is where a navigation ended.
type Navigation struct {
	URL    string
	Title  string
	Status int // HTTP status of the document; 0 when it did not come over HTTP
}

// NavigationError is a navigation that reached no document.
type NavigationError struct {
	URL    string
	Reason string // in words, with Chromium's code
}

func (e *NavigationError) Error() string { return e.Reason }

// BadURLError is an address that Kuang does not open.
type BadURLError struct{ URL, Reason string }

func (e *BadURLError) Error() string { return e.Reason }

// HistoryError is a step beyond either end of a tab's history.
type HistoryError struct{ Delta, Back, Forward int }

func (e *HistoryError) Error() string { return "" }

// TimeoutError is a wait that ran out. It unwraps to context.DeadlineExceeded.
type TimeoutError struct {
	Waiting string // what it waited for
	After   time.Duration
}

func (e *TimeoutError) Error() string { return e.Waiting }
func (e *TimeoutError) Unwrap() error { return context.DeadlineExceeded }

// NoViewportError is a tab whose viewport is 0×0: it has no layout, so nothing can be pressed or pictured.
type NoViewportError struct{ TabID string }

func (e *NoViewportError) Error() string { return "" }

// CrashedError is a tab whose page process died. Navigating it again brings it back.
type CrashedError struct{ TabID string }

func (e *CrashedError) Error() string { return "" }

func (t *Tab) Navigate(ctx context.Context, url string, until WaitUntil, timeout time.Duration) (Navigation, error) {
	return Navigation{}, errSkeleton
}
func (t *Tab) History(ctx context.Context, delta int, until WaitUntil, timeout time.Duration) (Navigation, error) {
	return Navigation{}, errSkeleton
}
func (t *Tab) Reload(ctx context.Context, hard bool, until WaitUntil, timeout time.Duration) (Navigation, error) {
	return Navigation{}, errSkeleton
}
func (t *Tab) Activate(ctx context.Context) error { return errSkeleton }
func (t *Tab) Close(ctx context.Context) error    { return errSkeleton }

// Rect is in CSS pixels of the top viewport.
type Rect struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"w"`
	H float64 `json:"h"`
}

// Viewport is the visible part of the top document, in CSS pixels.
type Viewport struct {
	Width   int     `json:"width"`
	Height  int     `json:"height"`
	DPR     float64 `json:"dpr"`
	ScrollX float64 `json:"scroll_x"`
	ScrollY float64 `json:"scroll_y"`
}

func (t *Tab) Viewport(ctx context.Context) (Viewport, error) { return Viewport{}, errSkeleton }

// ScreenshotOptions choose format and part. Clip is in CSS pixels of the top viewport.
type ScreenshotOptions struct {
	Format   string // png (default), jpeg or webp
	Quality  int    // 1 to 100 for jpeg and webp; 0 is Chromium's default
	FullPage bool
	Clip     *Rect
}

func (t *Tab) Screenshot(ctx context.Context, o ScreenshotOptions) ([]byte, Rect, error) {
	return nil, Rect{}, errSkeleton
}

// Frame is one frame of a tab, as it is now.
type Frame struct {
	ID       cdp.FrameID
	ParentID cdp.FrameID // empty for the main frame
	LoaderID cdp.LoaderID
	URL      string
	Name     string
	Origin   string
	OOPIF    bool // lives in a process of its own
	Session  *kcdp.Session
}

func (t *Tab) Frames(ctx context.Context) ([]Frame, error) { return nil, errSkeleton }
func (t *Tab) Patched(ctx context.Context) (bool, error)   { return false, errSkeleton }

// Library is a script that is installed once in each isolated world. Source is an expression that returns the API
// object; it is kept on the isolated global under Name.
type Library struct{ Name, Source string }

// World calls a library in the isolated worlds of a tab.
type World struct{}

// ScriptError is an exception that script threw.
type ScriptError struct{ Exception string }

func (e *ScriptError) Error() string { return e.Exception }

func (t *Tab) World(lib Library) *World { return &World{} }
func (w *World) Call(ctx context.Context, frame Frame, fn string, out any, args ...any) error {
	return errSkeleton
}

// Evaluation is the outcome of an expression.
type Evaluation struct {
	Value     json.RawMessage // null when there is none
	Exception string          // empty when nothing was thrown
	Type      string          // JavaScript's typeof, or null, or an object's class
}

// UnsupportedError is an ask that this browser interface cannot fulfil.
type UnsupportedError struct{ What string }

func (e *UnsupportedError) Error() string { return e.What }

func (t *Tab) Evaluate(ctx context.Context, frame Frame, main bool, expression string) (Evaluation, error) {
	return Evaluation{}, errSkeleton
}

// Mouse is the tab's trusted mouse.
type Mouse struct{}

// ClickOptions say how to press.
type ClickOptions struct {
	Button    string   // left (default), middle or right
	Count     int      // 1 (default), 2 or 3
	Modifiers []string // Alt, Control, Meta, Shift
}

func (t *Tab) Mouse() *Mouse                                                   { return &Mouse{} }
func (m *Mouse) Move(ctx context.Context, x, y float64) error                  { return errSkeleton }
func (m *Mouse) Click(ctx context.Context, x, y float64, o ClickOptions) error { return errSkeleton }
func (m *Mouse) Wheel(ctx context.Context, x, y, dx, dy float64) error         { return errSkeleton }
func (m *Mouse) Position() (x, y float64)                                      { return 0, 0 }

// Keyboard is the tab's trusted keyboard, with a US layout.
type Keyboard struct{}

// UnknownKeyError is a key name that no key has.
type UnknownKeyError struct{ Key string }

func (e *UnknownKeyError) Error() string { return e.Key }

func (t *Tab) Keyboard() *Keyboard { return &Keyboard{} }
func (k *Keyboard) Press(ctx context.Context, key string, modifiers []string) error {
	return errSkeleton
}
func (k *Keyboard) Type(ctx context.Context, text string) error { return errSkeleton }

// NetworkLog is what a tab asked the network for.
type NetworkLog struct{}

// Request is one entry of a network log.
type Request struct {
	ID       string    `json:"id"`
	URL      string    `json:"url"`
	Method   string    `json:"method"`
	Type     string    `json:"type"` // Chromium's resource type, such as Document or Fetch
	Status   int       `json:"status,omitempty"`
	MIME     string    `json:"mime,omitempty"`
	At       time.Time `json:"at"`
	EndedAt  time.Time `json:"ended_at,omitzero"`
	Bytes    int64     `json:"bytes,omitempty"` // over the wire
	Cached   bool      `json:"cached,omitempty"`
	Failure  string    `json:"failure,omitempty"` // Chromium's error text
	FrameID  string    `json:"frame_id,omitempty"`
	LoaderID string    `json:"loader_id,omitempty"`
}

func (t *Tab) Network() *NetworkLog                      { return &NetworkLog{} }
func (n *NetworkLog) Requests(since time.Time) []Request { return nil }
func (n *NetworkLog) InFlight() int                      { return 0 }

// Dialog is a JavaScript dialog that was answered.
type Dialog struct {
	Type    string    `json:"type"` // alert, confirm, prompt or beforeunload
	Message string    `json:"message"`
	At      time.Time `json:"at"`
	Answer  string    `json:"answer"` // accepted or dismissed
}

func (t *Tab) Dialogs(since time.Time) []Dialog { return nil }
