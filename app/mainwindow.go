package app

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wailsapp/wails/v2/pkg/runtime"

	"github.com/agent-discover/agent-discover/app/launch"
	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// watcher receives events of the native window. Each method is called in a new goroutine.
type watcher interface {
	moved()                      // the window was moved or resized and is now at rest
	linkFollowed(address string) // the user followed a link to another site
	themeChanged(dark bool)      // the desktop's theme has changed
}

// mainWindow is the window with its menu, its place and its connection to the hub.
type mainWindow struct {
	log     *slog.Logger
	version string
	hub     *hub
	pages   fs.FS
	file    string // stores the placement
	traced  bool
	began   time.Time
	native  native

	opened chan struct{} // closed when the window exists
	// context is the handle of the window: the functions of Wails take it as their context argument. context is set
	// before the channel opened is closed.
	context context.Context

	mu      sync.Mutex
	place   placement
	loaded  bool     // the page has been loaded and receives events
	waiting []string // destinations to send once the page is loaded
}

// ctx waits until the window exists and returns the Wails handle of the window.
func (w *mainWindow) ctx() context.Context {
	<-w.opened
	return w.context
}

// open is called by Wails when the window has been created, before the main loop runs.
func (w *mainWindow) open(ctx context.Context) {
	w.context = ctx
	w.native.attach(ctx, w)
	if w.place.Placed && !w.place.Maximised {
		w.native.move(ctx, fit(w.place.area, w.native.screens(ctx)))
	}
	if w.place.Zoom != 1 {
		w.native.zoom(ctx, w.place.Zoom)
	}
	close(w.opened)
	w.trace("window")
}

// load is called by Wails when a page has been loaded.
func (w *mainWindow) load(ctx context.Context) {
	w.mu.Lock()
	waiting := w.waiting
	w.loaded, w.waiting = true, nil
	w.mu.Unlock()
	w.trace("page")
	for _, to := range waiting {
		w.send(ctx, to)
	}
}

// close is called by Wails before the window closes.
func (w *mainWindow) close(context.Context) (prevent bool) {
	w.moved()
	return false
}

// activated is called when the program is started again while this window is open.
func (w *mainWindow) activated(v activation) {
	if isPage(v.Page) {
		w.navigate(v.Page)
	}
	w.native.raise(w.ctx(), v.Token)
}

func (w *mainWindow) moved() {
	at, maximised, ok := w.native.where(w.ctx())
	if !ok {
		return
	}
	w.remember(func(p *placement) {
		if p.Maximised = maximised; !maximised {
			p.area, p.Placed = at, true
		}
	})
}

// remember changes the placement and stores it for the next start.
func (w *mainWindow) remember(change func(*placement)) placement {
	w.mu.Lock()
	defer w.mu.Unlock()
	old := w.place
	if change(&w.place); w.place != old {
		if err := writePlacement(w.file, w.place); err != nil {
			w.log.Warn("window placement not stored", "error", reason(err))
		}
	}
	return w.place
}

func (w *mainWindow) linkFollowed(address string) {
	if err := launch.OpenURL(address); err != nil {
		w.log.Info("link not opened", "error", fault.MessageOf(err))
	}
}

func (w *mainWindow) themeChanged(dark bool) {
	c := colorsFor(dark)
	runtime.WindowSetBackgroundColour(w.ctx(), c.page.R, c.page.G, c.page.B, c.page.A)
	w.native.style(c.menuBar())
}

// schemeChanged is called when the desktop's portal reports another colour scheme.
func (w *mainWindow) schemeChanged(scheme colourScheme) {
	<-w.opened
	w.native.prefer(scheme)
}

// navigate implements actions.
func (w *mainWindow) navigate(to string) {
	w.mu.Lock()
	loaded := w.loaded
	if !loaded {
		w.waiting = append(w.waiting, to)
	}
	w.mu.Unlock()
	if loaded {
		w.send(w.ctx(), to)
	}
}

func (w *mainWindow) send(ctx context.Context, to string) {
	runtime.EventsEmit(ctx, "navigate", to)
	w.trace("navigate " + to)
}

// zooms are the zoom factors of the page, as in browsers.
var zooms = []float64{0.5, 0.67, 0.75, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3}

func (w *mainWindow) zoom(step int) {
	to := w.remember(func(p *placement) { p.Zoom = zoomed(p.Zoom, step) }).Zoom
	w.native.zoom(w.ctx(), to)
}

// zoomed returns the next larger (step 1) or smaller (step -1) zoom factor, and 1 for step 0.
func zoomed(from float64, step int) float64 {
	if step == 0 {
		return 1
	}
	at, exact := slices.BinarySearch(zooms, from)
	if !exact && step > 0 {
		at--
	}
	return zooms[max(0, min(at+step, len(zooms)-1))]
}

func (w *mainWindow) edit(command string) { w.native.edit(w.ctx(), command) }

func (w *mainWindow) folder(kind string) {
	if err := (&Window{hub: w.hub}).OpenFolder(kind); err != nil {
		w.log.Warn("folder not shown", "error", fault.MessageOf(err))
	}
}

func (w *mainWindow) describe() {
	to, err := w.hub.connect(w.ctx(), false)
	if err == nil {
		err = launch.OpenURL(to.URL + "/docs")
	}
	if err != nil {
		w.log.Warn("API documentation not shown", "error", fault.MessageOf(err))
	}
}

func (w *mainWindow) about() {
	// The dialog has only one button, so its answer does not matter.
	_, _ = runtime.MessageDialog(w.ctx(), runtime.MessageDialogOptions{
		Type: runtime.InfoDialog, Title: "About " + Title, Message: strings.ReplaceAll(Title+" "+w.version, "%", "%%"),
	})
}

func (w *mainWindow) quit() { runtime.Quit(w.ctx()) }

// startOthers starts the hub and then the tray icon, if they are not running. The window works without them: the page
// reports what is missing.
func (w *mainWindow) startOthers(ctx context.Context) {
	if _, err := w.hub.connect(ctx, false); err != nil {
		w.log.Info("hub not started", "error", fault.MessageOf(err))
	}
	<-w.opened // do not delay the window by starting the tray
	program, err := launch.Find(launch.Tray)
	if err != nil {
		w.log.Info("tray icon not started", "error", fault.MessageOf(err))
		return
	}
	ended, err := launch.Start(program, "-attach") // -attach: the tray must not start a hub that the user stopped
	if err == nil {
		err = <-ended // the tray exits at once if another one is running
	}
	if err != nil {
		w.log.Info("tray icon not started", "error", err)
	}
}

// trace prints how long the window took to reach a stage; benchmarks read it.
func (w *mainWindow) trace(what string) {
	if w.traced {
		fmt.Fprintf(os.Stderr, "trace: %s after %d ms\n", what, time.Since(w.began).Milliseconds())
	}
}
