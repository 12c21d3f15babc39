package browser

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/chromedp/cdproto/input"

	"kuang/backend/cdp"
)

// moveSteps is how many points a move of the mouse has, its end included: enough for a page that watches the pointer
// come, and few enough that a click stays quick.
const moveSteps = 5

// Mouse is a tab's trusted mouse. It remembers where it is.
type Mouse struct {
	tab  *Tab
	mu   sync.Mutex // guards x and y
	x, y float64
}

// ClickOptions say how to press.
type ClickOptions struct {
	Button    string   // left (default), middle, right, back or forward
	Count     int      // 1 (default), 2 or 3
	Modifiers []string // held meanwhile: Alt, Control, Meta, Shift
}

// UnknownButtonError is a mouse button that no mouse has.
type UnknownButtonError struct{ Button string }

// Error satisfies the error interface.
func (e *UnknownButtonError) Error() string {
	return fmt.Sprintf("there is no mouse button %q", e.Button)
}

// Position is where the mouse is, in CSS pixels of the top viewport.
func (m *Mouse) Position() (x, y float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.x, m.y
}

// Move moves the mouse along a short path to the point.
func (m *Mouse) Move(ctx context.Context, x, y float64) error {
	if err := m.move(ctx, x, y, 0); err != nil {
		return fmt.Errorf("moving the mouse: %w", m.tab.fault(err))
	}
	return nil
}

func (m *Mouse) move(ctx context.Context, x, y float64, held Modifiers) error {
	fromX, fromY := m.Position()
	steps := moveSteps
	if fromX == x && fromY == y {
		steps = 1 // The page may have moved under the mouse: let it notice.
	}
	for i := 1; i <= steps; i++ {
		part := ease(float64(i) / float64(steps))
		atX, atY := fromX+(x-fromX)*part, fromY+(y-fromY)*part
		err := m.send(ctx, input.DispatchMouseEventParams{
			Type: input.DispatchMouseEventTypeMouseMoved, X: atX, Y: atY, Modifiers: int64(held),
			PointerType: input.DispatchMouseEventPointerTypeMouse,
		})
		if err != nil {
			return err
		}
		m.mu.Lock()
		m.x, m.y = atX, atY
		m.mu.Unlock()
	}
	return nil
}

// ease starts and ends slowly, as a hand does.
func ease(t float64) float64 { return (1 - math.Cos(math.Pi*t)) / 2 }

// Click moves to the point and presses and releases the button there, Count times, with the modifier keys held. It
// returns when the page has handled the last release. That the press closed the tab is no failure of the press.
func (m *Mouse) Click(ctx context.Context, x, y float64, o ClickOptions) error {
	button, bit, err := mouseButton(o.Button)
	if err != nil {
		return err
	}
	held, err := ParseModifiers(o.Modifiers)
	if err != nil {
		return err
	}
	return m.tab.keyboard.holding(ctx, held, func() error {
		if err := m.move(ctx, x, y, held); err != nil {
			return fmt.Errorf("moving the mouse: %w", m.tab.fault(err))
		}
		for i := range max(o.Count, 1) {
			press := input.DispatchMouseEventParams{
				Type: input.DispatchMouseEventTypeMousePressed, X: x, Y: y, Modifiers: int64(held),
				Button: button, Buttons: bit, ClickCount: int64(i + 1),
				PointerType: input.DispatchMouseEventPointerTypeMouse,
			}
			release := press
			release.Type, release.Buttons = input.DispatchMouseEventTypeMouseReleased, 0
			err := m.send(ctx, press)
			// A button is never left down, even when the press was not answered in time.
			if rerr := m.release(ctx, release); err == nil {
				err = rerr
			}
			if err = m.tab.fault(err); errors.As(err, new(*TabGoneError)) {
				return nil
			} else if err != nil {
				return fmt.Errorf("pressing the mouse: %w", err)
			}
		}
		return nil
	})
}

func (m *Mouse) release(ctx context.Context, p input.DispatchMouseEventParams) error {
	if ctx.Err() == nil {
		return m.send(ctx, p)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	return m.send(ctx, p)
}

// Wheel moves to the point and turns the wheel there, by CSS pixels: positive is right and down.
func (m *Mouse) Wheel(ctx context.Context, x, y, dx, dy float64) error {
	if err := m.Move(ctx, x, y); err != nil {
		return err
	}
	// Chromium wants both distances, and the typed command leaves out one that is 0.
	err := m.tab.session.Call(ctx, input.DispatchMouseEvent.Method, struct {
		Type   input.DispatchMouseEventType `json:"type"`
		X      float64                      `json:"x"`
		Y      float64                      `json:"y"`
		DeltaX float64                      `json:"deltaX"`
		DeltaY float64                      `json:"deltaY"`
	}{input.DispatchMouseEventTypeMouseWheel, x, y, dx, dy}, nil)
	if err != nil {
		return fmt.Errorf("turning the wheel: %w", m.tab.fault(err))
	}
	return nil
}

func (m *Mouse) send(ctx context.Context, p input.DispatchMouseEventParams) error {
	if err := m.tab.usable(); err != nil {
		return err
	}
	_, err := cdp.Call(ctx, m.tab.session, input.DispatchMouseEvent, p)
	return err
}

// mouseButton returns Chromium's name of a button and its bit in the set of pressed buttons.
func mouseButton(name string) (input.MouseButton, int64, error) {
	switch name {
	case "", "left":
		return input.MouseButtonLeft, 1, nil
	case "right":
		return input.MouseButtonRight, 2, nil
	case "middle":
		return input.MouseButtonMiddle, 4, nil
	case "back":
		return input.MouseButtonBack, 8, nil
	case "forward":
		return input.MouseButtonForward, 16, nil
	}
	return "", 0, &UnknownButtonError{name}
}
