//go:build !linux || !production

package app

import (
	"context"
	"strconv"

	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// native is the window where Wails offers all that there is. Its methods may be called once the window is open.
type native struct{}

func openDisplay() error { return nil }

// isDark is false: the first colour of the window is the system's own matter here.
func isDark(colourScheme) bool { return false }

// attach does nothing: nobody tells when the window was moved, so its place is looked at when it closes. The page's
// script keeps it from leaving.
func (n *native) attach(context.Context, watcher) {}

func (n *native) prefer(colourScheme) {}

func (n *native) style(string) {}

// screens returns sizes only; a place is relative to its screen here.
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
	name := map[string]string{"SelectAll": "selectAll", "Undo": "undo", "Redo": "redo", "Cut": "cut", "Copy": "copy", "Paste": "paste"}[command]
	runtime.WindowExecJS(ctx, `document.execCommand("`+name+`")`)
}
