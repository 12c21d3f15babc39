//go:build desktop

package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/logger"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"kuang/app/panel"
	"kuang/assets"
	"kuang/frontend"
)

const hasDesktop = true

// errUnbuilt keeps an empty window from opening.
var errUnbuilt = errors.New("this binary holds no panel; ./build/run.sh builds it")

// The window opens at the size that the panel was drawn for and shrinks to the smallest that it supports.
const (
	windowWidth, windowHeight = 1280, 840
	windowMinWidth            = 360
	windowMinHeight           = 480
)

// desktop opens the panel's window and runs until it is closed or ctx ends. The graph starts behind the window, so
// that the window never waits for the browser.
func desktop(ctx context.Context, a *App) error {
	if !frontend.Built() && !devBuild {
		return errUnbuilt
	}
	var startErr error
	started := make(chan struct{})
	p, err := a.panel()
	if err != nil {
		return err
	}
	defer panel.Close(p)
	err = wails.Run(&options.App{
		Title:            "Kuang",
		Width:            windowWidth,
		Height:           windowHeight,
		MinWidth:         windowMinWidth,
		MinHeight:        windowMinHeight,
		BackgroundColour: paper(a.prefs.Get().Appearance.Theme), // until the panel paints
		AssetServer:      &assetserver.Options{Assets: frontend.Assets()},
		Bind:             []any{p},
		ErrorFormatter:   panel.FormatError,
		Logger:           wailsLog{a.log},
		LogLevel:         logger.WARNING,
		OnStartup: func(wailsCtx context.Context) {
			panel.Attach(p,
				func(topic string, data any) { runtime.EventsEmit(wailsCtx, topic, data) },
				func(name string) (string, error) {
					return runtime.SaveFileDialog(wailsCtx, runtime.SaveDialogOptions{DefaultFilename: name})
				})
			// Nothing here quits when ctx ends: Wails does so itself at the signals that end ctx, and GTK does not survive
			// being told twice.
			go func() {
				defer close(started)
				startErr = a.Start(ctx)
				if startErr != nil {
					a.log.Error("starting", "error", startErr)
					panel.Report(p, startErr)
				}
			}()
		},
		Linux: &linux.Options{Icon: assets.Icon(), ProgramName: "kuang", WebviewGpuPolicy: linux.WebviewGpuPolicyOnDemand},
	})
	if err != nil {
		return fmt.Errorf("opening the panel: %w", err)
	}
	<-started
	return startErr
}

// paper is the window's ground in a theme, the token --bg of frontend/src/styles. The system's own choice is not known
// before the panel runs, and then the default theme's stands for a moment.
func paper(theme string) *options.RGBA {
	switch theme {
	case "midnight":
		return options.NewRGB(0x16, 0x16, 0x15)
	case "neon":
		return options.NewRGB(0x0b, 0x0c, 0x0c)
	case "terminal":
		return options.NewRGB(0x0b, 0x11, 0x0c)
	}
	return options.NewRGB(0xf7, 0xf6, 0xf3)
}

// panel builds the panel over the graph.
func (a *App) panel() (*panel.Panel, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding the program: %w", err)
	}
	return panel.New(panel.Config{
		Browser: a.browser, Tabs: panel.TabsOf(a.browser), Sessions: panel.SessionsOf(a.sessions),
		Policy: a.settings, Preferences: a.prefs, Runs: a.runs, Ledger: a.ledger, Walker: a.walker,
		Patched: a.patchedTabs, Database: a.db, API: a.api, Token: a.token,
		Version: Version(), Program: program, TokenPath: a.TokenPath(), Log: a.log.With("part", "panel"),
	}), nil
}

func (a *App) patchedTabs(ctx context.Context) []panel.PatchedTab {
	var tabs []panel.PatchedTab
	for _, t := range a.forceOpen.Patched(ctx) {
		tabs = append(tabs, panel.PatchedTab{ID: t.ID, Host: t.Host})
	}
	return tabs
}

// wailsLog sends what the desktop shell says to Kuang's log; stdout stays free.
type wailsLog struct{ log *slog.Logger }

func (l wailsLog) Print(m string)   { l.log.Info(m) }
func (l wailsLog) Trace(m string)   { l.log.Debug(m) }
func (l wailsLog) Debug(m string)   { l.log.Debug(m) }
func (l wailsLog) Info(m string)    { l.log.Info(m) }
func (l wailsLog) Warning(m string) { l.log.Warn(m) }
func (l wailsLog) Error(m string)   { l.log.Error(m) }

// Fatal does not end the process: wails.Run returns the error, and Kuang ends in order.
func (l wailsLog) Fatal(m string) { l.log.Error(m) }
