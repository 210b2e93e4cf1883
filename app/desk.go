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

// watcher is told what happens to the window, each on a goroutine of its own.
type watcher interface {
	moved()              // it stands where it stood for a moment
	left(address string) // the user followed a link that leads elsewhere
	themed(dark bool)    // the desktop has changed its colours
}

// desk is the window on the user's desktop.
type desk struct {
	log     *slog.Logger
	version string
	hub     *hub
	pages   fs.FS
	file    string // remembers the placement
	traced  bool
	began   time.Time
	native  native

	opened  chan struct{}   // closed once the window is there
	context context.Context // Wails' handle on it, set before; it outlives no call of ours

	mu      sync.Mutex
	place   placement
	loaded  bool     // the page listens
	waiting []string // where to go once it does
}

// ctx waits for the window and returns Wails' handle.
func (d *desk) ctx() context.Context {
	<-d.opened
	return d.context
}

// open is called by Wails when its window is made, before its main loop runs.
func (d *desk) open(ctx context.Context) {
	d.context = ctx
	d.native.attach(ctx, d)
	if d.place.Placed && !d.place.Maximised {
		d.native.move(ctx, fit(d.place.area, d.native.screens(ctx)))
	}
	if d.place.Zoom != 1 {
		d.native.zoom(ctx, d.place.Zoom)
	}
	close(d.opened)
	d.trace("window")
}

// load is called by Wails when a page has been loaded.
func (d *desk) load(ctx context.Context) {
	d.mu.Lock()
	waiting := d.waiting
	d.loaded, d.waiting = true, nil
	d.mu.Unlock()
	d.trace("page")
	for _, to := range waiting {
		d.send(ctx, to)
	}
}

// close is called by Wails before the window closes.
func (d *desk) close(context.Context) (prevent bool) {
	d.moved()
	return false
}

// visited is called for each start of the program while this window is open.
func (d *desk) visited(v visit) {
	if isPage(v.Page) {
		d.navigate(v.Page)
	}
	d.native.raise(d.ctx(), v.Token)
}

func (d *desk) moved() {
	at, maximised, ok := d.native.where(d.ctx())
	if !ok {
		return
	}
	d.remember(func(p *placement) {
		if p.Maximised = maximised; !maximised {
			p.area, p.Placed = at, true
		}
	})
}

// remember changes what the next start will find.
func (d *desk) remember(change func(*placement)) placement {
	d.mu.Lock()
	defer d.mu.Unlock()
	old := d.place
	if change(&d.place); d.place != old {
		if err := writePlacement(d.file, d.place); err != nil {
			d.log.Warn("the place of the window cannot be remembered", "why", reason(err))
		}
	}
	return d.place
}

func (d *desk) left(address string) {
	if err := launch.OpenURL(address); err != nil {
		d.log.Info("a link was not followed", "why", fault.MessageOf(err))
	}
}

func (d *desk) themed(dark bool) {
	c := coloursFor(dark)
	runtime.WindowSetBackgroundColour(d.ctx(), c.page.R, c.page.G, c.page.B, c.page.A)
	d.native.style(c.menuBar())
}

// schemed is called when the desktop's portal has changed its mind.
func (d *desk) schemed(scheme colourScheme) {
	<-d.opened
	d.native.prefer(scheme)
}

// navigate implements actions.
func (d *desk) navigate(to string) {
	d.mu.Lock()
	loaded := d.loaded
	if !loaded {
		d.waiting = append(d.waiting, to)
	}
	d.mu.Unlock()
	if loaded {
		d.send(d.ctx(), to)
	}
}

func (d *desk) send(ctx context.Context, to string) {
	runtime.EventsEmit(ctx, "navigate", to)
	d.trace("navigate " + to)
}

// zooms are the sizes of the page, as browsers have them.
var zooms = []float64{0.5, 0.67, 0.75, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3}

func (d *desk) zoom(step int) {
	to := d.remember(func(p *placement) { p.Zoom = zoomed(p.Zoom, step) }).Zoom
	d.native.zoom(d.ctx(), to)
}

// zoomed is the next size up or down; 0 is the page's own.
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

func (d *desk) edit(command string) { d.native.edit(d.ctx(), command) }

func (d *desk) folder(kind string) {
	if err := (&Window{hub: d.hub}).OpenFolder(kind); err != nil {
		d.log.Warn("a folder cannot be shown", "why", fault.MessageOf(err))
	}
}

func (d *desk) describe() {
	to, err := d.hub.connect(d.ctx(), false)
	if err == nil {
		err = launch.OpenURL(to.URL + "/docs")
	}
	if err != nil {
		d.log.Warn("the REST interface cannot be shown", "why", fault.MessageOf(err))
	}
}

func (d *desk) about() {
	// Where the answer is lost there was nothing to ask.
	_, _ = runtime.MessageDialog(d.ctx(), runtime.MessageDialogOptions{
		Type: runtime.InfoDialog, Title: "About " + Title, Message: strings.ReplaceAll(Title+" "+d.version, "%", "%%"),
	})
}

func (d *desk) quit() { runtime.Quit(d.ctx()) }

// bring starts what belongs to the window and is missing: the hub, then the tray. Neither is needed to go on; the page
// says what it has not got.
func (d *desk) bring(ctx context.Context) {
	if _, err := d.hub.connect(ctx, false); err != nil {
		d.log.Info("no hub", "why", fault.MessageOf(err))
	}
	<-d.opened // it comes first for those who wait for it
	program, err := launch.Find(launch.Tray)
	if err != nil {
		d.log.Info("no tray icon", "why", fault.MessageOf(err))
		return
	}
	ended, err := launch.Start(program, "-attach") // what the user has stopped is not the tray's to start
	if err == nil {
		err = <-ended // at once where one runs already
	}
	if err != nil {
		d.log.Info("no tray icon", "why", err)
	}
}

// trace says how long the window took to get somewhere, for those who measure it.
func (d *desk) trace(what string) {
	if d.traced {
		fmt.Fprintf(os.Stderr, "trace: %s after %d ms\n", what, time.Since(d.began).Milliseconds())
	}
}
