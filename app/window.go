// Package app implements the window, which shows the dashboard in the web view of the operating system.
//
// Only this package imports Wails. It gives the page functions that HTTP cannot offer; for everything else, the page
// sends requests to the hub. The window starts the hub and the tray icon if they are not running. Without the
// build tag production, the package compiles on machines without a desktop, and Run returns an error.
package app

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/options/mac"
	"github.com/wailsapp/wails/v2/pkg/options/windows"

	"github.com/agent-discover/agent-discover/app/links"
	"github.com/agent-discover/agent-discover/backend/base/autostart"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/build/icons"
	"github.com/agent-discover/agent-discover/frontend"
)

// Title is the name of the product and the title of the window.
const Title = "Agent Discover"

// programName is the window class. The desktop entry contains it too.
const programName = "agent-discover-desktop"

// traceVariable is the name of the environment variable that turns on tracing: the window prints the time of each
// stage of its start on standard error. The value of the variable is a text; the last stage is reached when the page
// first shows this text.
const traceVariable = "AGENT_DISCOVER_DESKTOP_TRACE"

// Run opens the window that args ask for and returns when it is closed. If that window is already open, Run raises it and
// returns at once. It must be called from the main goroutine.
func Run(version string, args []string) error {
	asked, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	if asked.unregister {
		program, err := os.Executable()
		if err != nil {
			return fault.Wrap(err, fault.Unavailable, "could not find the path of this program")
		}
		return errors.Join(links.Unregister(program), autostart.Tray(program).Set(false))
	}
	if err := checkDisplay(runtime.GOOS, os.Getenv); err != nil {
		return err
	}
	folder, err := paths.Default()
	if err != nil {
		return err
	}
	if err := folder.Create(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	// The desktop gives a token to a program that the user starts, which permits it to raise a window.
	token := cmp.Or(os.Getenv("XDG_ACTIVATION_TOKEN"), os.Getenv("DESKTOP_STARTUP_ID"))
	singleton, err := acquireSingleton(ctx, folder, asked.singletonName(), activation{Page: asked.page, Token: token})
	if err != nil || singleton == nil {
		return err
	}
	defer func() { _ = singleton.leave() }() // the end of the process releases the lock in any case

	d := newMainWindow(folder, asked)
	d.version = version
	if program, err := os.Executable(); err == nil {
		if err := links.Register(program); err != nil {
			d.log.Info("links not registered", "error", fault.MessageOf(err))
		}
	}
	return d.run(ctx, asked, singleton)
}

func newMainWindow(folder paths.Folder, asked request) *mainWindow {
	file, fresh := "window.json", placement{area: area{Width: 1200, Height: 800}, Zoom: 1}
	if asked.test != "" {
		file, fresh.area = "window-test.json", area{Width: 900, Height: 760}
	}
	d := &mainWindow{
		log:    slog.New(slog.NewTextHandler(os.Stderr, nil)),
		hub:    &hub{folder: folder},
		pages:  frontend.Files(),
		file:   filepath.Join(string(folder), file),
		traced: traced(),
		began:  time.Now(),
		opened: make(chan struct{}),
	}
	d.place = readPlacement(d.file, fresh)
	if asked.page != "" {
		d.waiting = []string{asked.page}
	}
	return d
}

func (w *mainWindow) run(ctx context.Context, asked request, singleton *singleton) error {
	if asked.test == "" {
		go w.startOthers(ctx)
	}
	scheme, portal := portalScheme(ctx)
	if portal != nil {
		defer func() { _ = portal.Close() }()
		go followScheme(ctx, portal, w.schemeChanged)
	}
	if err := openDisplay(); err != nil {
		return err
	}
	go singleton.serve(w.activated)
	if err := wails.Run(w.options(asked, isDark(scheme))); err != nil {
		return fmt.Errorf("open window: %w", err)
	}
	return nil
}

func (w *mainWindow) options(asked request, dark bool) *options.App {
	colour := colorsFor(dark).page
	state := options.Normal
	if w.place.Maximised {
		state = options.Maximised
	}
	title := Title
	if asked.test != "" {
		title = asked.test + " · " + Title
	}
	files := pages{w.pages, start{Page: asked.page, Await: os.Getenv(traceVariable)}, func() { w.trace("shown") }}
	return &options.App{
		Title:            title,
		Width:            w.place.Width,
		Height:           w.place.Height,
		MinWidth:         minWidth,
		MinHeight:        minHeight,
		WindowStartState: state,
		BackgroundColour: &colour,
		AssetServer:      &assetserver.Options{Assets: files.files, Middleware: files.wrap},
		Menu:             wailsMenu(runtime.GOOS, w),
		Bind:             []any{&Window{version: w.version, hub: w.hub, mainWindow: w}},
		OnStartup:        w.open,
		OnDomReady:       w.load,
		OnBeforeClose:    w.close,
		ErrorFormatter:   func(err error) any { return fault.MessageOf(err) },
		// The web view shows its context menu only in text fields and on selected text.
		EnableDefaultContextMenu: true,
		DragAndDrop:              &options.DragAndDrop{DisableWebViewDrop: true},
		Linux: &linux.Options{
			Icon:        icons.App(),
			ProgramName: programName,
			// The page does not benefit from the GPU, and faulty drivers leave the web view blank.
			WebviewGpuPolicy: linux.WebviewGpuPolicyNever,
		},
		Mac: &mac.Options{
			// Without this, Wails adds no About item to the application menu.
			About: &mac.AboutInfo{Title: Title, Message: w.version, Icon: icons.App()},
			// The application bundle registers the scheme.
			OnUrlOpen: func(address string) { w.activated(activation{Page: links.Page(address)}) },
		},
		Windows: &windows.Options{WebviewUserDataPath: filepath.Join(string(w.hub.folder), "webview")},
	}
}

func traced() bool { return os.Getenv(traceVariable) != "" }

// checkDisplay returns an error if there is no display, because GTK would panic.
func checkDisplay(system string, env func(string) string) error {
	if system == "linux" && env("DISPLAY") == "" && env("WAYLAND_DISPLAY") == "" {
		return errors.New("no display found; start the program in a desktop session, or set DISPLAY")
	}
	return nil
}
