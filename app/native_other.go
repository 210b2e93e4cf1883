//go:build !linux || !production

package app

import (
	"context"
	"strconv"

	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// native uses only features that Wails offers on this system. Its methods may be called only while the window is open.
type native struct{}

func openDisplay() error { return nil }

// isDark returns false, because the initial colour of the window does not depend on the theme on this system.
func isDark(colourScheme) bool { return false }

// attach does nothing, because the window reports no events on this system: mainWindow.close reads the placement, and
// window.js prevents the page from navigating to other sites.
func (n *native) attach(context.Context, watcher) {}

func (n *native) prefer(colourScheme) {}

func (n *native) style(string) {}

// screens returns sizes without positions, because the position of a window is relative to its screen on this system.
func (n *native) screens(ctx context.Context) (found []area) {
	screens, err := runtime.ScreenGetAll(ctx)
	if err != nil {
		return nil
	}
	for _, screen := range screens {
		if screen.IsCurrent {
			found = append(found, area{Width: screen.Size.Width, Height: screen.Size.Height})
		}
	}
	return found
}

func (n *native) move(ctx context.Context, to area) {
	runtime.WindowSetSize(ctx, to.Width, to.Height)
	runtime.WindowSetPosition(ctx, to.X, to.Y)
}

func (n *native) where(ctx context.Context) (at area, maximised, ok bool) {
	if runtime.WindowIsMinimised(ctx) {
		return area{}, false, false
	}
	at.X, at.Y = runtime.WindowGetPosition(ctx)
	at.Width, at.Height = runtime.WindowGetSize(ctx)
	return at, runtime.WindowIsMaximised(ctx) || runtime.WindowIsFullscreen(ctx), true
}

func (n *native) raise(ctx context.Context, _ string) {
	runtime.WindowUnminimise(ctx)
	runtime.Show(ctx)
	runtime.WindowShow(ctx)
}

func (n *native) zoom(ctx context.Context, factor float64) {
	runtime.WindowExecJS(ctx, "document.documentElement.style.zoom = "+strconv.FormatFloat(factor, 'f', 2, 64))
}

func (n *native) edit(ctx context.Context, command string) {
	name := map[string]string{
		"SelectAll": "selectAll", "Undo": "undo", "Redo": "redo", "Cut": "cut", "Copy": "copy", "Paste": "paste",
	}[command]
	runtime.WindowExecJS(ctx, `document.execCommand("`+name+`")`)
}
