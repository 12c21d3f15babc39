package browser

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/rivo/uniseg"

	"kuang/backend/cdp"
)

// releaseTimeout bounds the release of a key or button after the call that pressed it was given up.
const releaseTimeout = 2 * time.Second

// Keyboard is a tab's trusted keyboard, with a US layout.
type Keyboard struct{ tab *Tab }

// Press presses and releases a key: a character, a DOM key name such as Enter, or a chord such as Control+A. The
// modifiers are held in addition. An unknown name is an *UnknownKeyError.
func (k *Keyboard) Press(ctx context.Context, name string, modifiers []string) error {
	held, err := ParseModifiers(modifiers)
	if err != nil {
		return err
	}
	chord, pressed, err := parseKey(name)
	if err != nil {
		return err
	}
	held |= chord
	switch {
	case held&(Control|Alt|Meta) != 0 && held&Shift == 0 && pressed.shift:
		// Control+A means the key that says A, not Control and Shift.
		if plain, ok := findKey(pressed.plain); ok {
			pressed = plain
		}
	case held&Shift != 0:
		pressed = pressed.withShift()
	case pressed.shift:
		held |= Shift
	}
	return k.holding(ctx, held, func() error {
		if err := k.stroke(ctx, pressed, held); err != nil {
			return fmt.Errorf("pressing %s: %w", name, k.tab.fault(err))
		}
		return nil
	})
}

// Type types a text as a hand on a US keyboard would: key by key, with Shift where the layout needs it, Enter for a
// line break and Tab for a tab. What the layout lacks is inserted, one character as a reader sees it at a time.
func (k *Keyboard) Type(ctx context.Context, text string) error {
	var run []key // keys that share the state of Shift
	flush := func() error {
		if len(run) == 0 {
			return nil
		}
		var held Modifiers
		if run[0].shift {
			held = Shift
		}
		keys := run
		run = nil
		return k.holding(ctx, held, func() error {
			for _, pressed := range keys {
				if err := k.stroke(ctx, pressed, held); err != nil {
					return err
				}
			}
			return nil
		})
	}
	state := -1
	for len(text) > 0 {
		var cluster string
		cluster, text, _, state = uniseg.FirstGraphemeClusterInString(text, state)
		pressed, ok := typed(cluster)
		if !ok || len(run) > 0 && run[0].shift != pressed.shift {
			if err := flush(); err != nil {
				return fmt.Errorf("typing: %w", k.tab.fault(err))
			}
		}
		if ok {
			run = append(run, pressed)
			continue
		}
		if _, err := cdp.Call(ctx, k.tab.session, input.InsertText, input.InsertTextParams{Text: cluster}); err != nil {
			return fmt.Errorf("typing: %w", k.tab.fault(err))
		}
	}
	if err := flush(); err != nil {
		return fmt.Errorf("typing: %w", k.tab.fault(err))
	}
	return nil
}

// typed is the key that types a grapheme cluster; a Windows line break is one cluster.
func typed(cluster string) (key, bool) {
	if cluster == "\r\n" {
		cluster = "\n"
	}
	if len(cluster) != 1 {
		return key{}, false
	}
	return typingKey(rune(cluster[0]))
}

// holding presses the modifier keys, runs fn and releases them, also when fn failed or ctx ended: a key that stays down
// would change everything that follows.
func (k *Keyboard) holding(ctx context.Context, held Modifiers, fn func() error) error {
	var down Modifiers
	var pressed []key
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
		defer cancel()
		for i := len(pressed) - 1; i >= 0; i-- {
			bit, _ := modifier(pressed[i].name)
			down &^= bit
			// The tab may be gone, which releases every key.
			_ = k.send(ctx, input.DispatchKeyEventTypeKeyUp, pressed[i], down)
		}
	}()
	for _, m := range modifierKeys() {
		if held&m.bit == 0 {
			continue
		}
		down |= m.bit
		pressed = append(pressed, m.key)
		if err := k.send(ctx, input.DispatchKeyEventTypeRawKeyDown, m.key, down); err != nil {
			return fmt.Errorf("holding %s: %w", m.key.name, k.tab.fault(err))
		}
	}
	return fn()
}

// stroke presses and releases one key.
func (k *Keyboard) stroke(ctx context.Context, pressed key, held Modifiers) error {
	kind := input.DispatchKeyEventTypeKeyDown
	if pressed.text == "" || held&(Control|Alt|Meta) != 0 {
		kind = input.DispatchKeyEventTypeRawKeyDown // It types nothing.
		pressed.text = ""
	}
	bit, _ := modifier(pressed.name)
	err := k.send(ctx, kind, pressed, held|bit)
	rctx, cancel := ctx, context.CancelFunc(func() {})
	if ctx.Err() != nil {
		rctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	}
	defer cancel()
	pressed.text = ""
	if uerr := k.send(rctx, input.DispatchKeyEventTypeKeyUp, pressed, held); err == nil {
		err = uerr
	}
	return err
}

func (k *Keyboard) send(ctx context.Context, kind input.DispatchKeyEventType, pressed key, held Modifiers) error {
	if err := k.tab.usable(); err != nil {
		return err
	}
	p := input.DispatchKeyEventParams{
		Type: kind, Modifiers: int64(held), Key: pressed.name, Code: pressed.code,
		Text: pressed.text, UnmodifiedText: pressed.text,
		WindowsVirtualKeyCode: pressed.windows, NativeVirtualKeyCode: pressed.windows, Location: pressed.location,
	}
	if kind == input.DispatchKeyEventTypeRawKeyDown {
		p.Commands = editing(runtime.GOOS, pressed, held)
	}
	if runtime.GOOS == "darwin" {
		p.NativeVirtualKeyCode = 0 // A Mac's own codes differ; with none Chromium derives it.
	}
	_, err := cdp.Call(ctx, k.tab.session, input.DispatchKeyEvent, p)
	return err
}

// editing names the edit that a shortcut means where the system, not Chromium, turns shortcuts into edits: on a Mac.
func editing(goos string, pressed key, held Modifiers) []string {
	if goos != "darwin" || held != Meta {
		return nil
	}
	switch pressed.name {
	case "a":
		return []string{"selectAll"}
	case "c":
		return []string{"copy"}
	case "x":
		return []string{"cut"}
	case "v":
		return []string{"paste"}
	case "z":
		return []string{"undo"}
	}
	return nil
}
