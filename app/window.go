// Package app is the window: it shows the dashboard in the web view that the operating system brings along.
//
// It is the only importer of Wails. What is bound to the page is only what a page cannot get over HTTP; everything else
// the dashboard asks the hub, which the window starts when there is none, as it does the tray. Without the build tag
// production the package compiles on a machine with no desktop, and Run returns an error.
package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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
	"github.com/wailsapp/wails/v2/pkg/options/windows"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/build/icons"
	"github.com/agent-discover/agent-discover/frontend"
)

// Title is the name of the product, and what the window's title bar shows.
const Title = "Agent Discover"

// programName is what the desktop entry calls the window's class.
const programName = "agent-discover-desktop"

// traceVariable holds a text; the window says on standard error when the page shows it, and when it got where before.
const traceVariable = "AGENT_DISCOVER_DESKTOP_TRACE"

// Run opens the window that args ask for and returns when it was closed, or at once when it is open already and has
// come to the front. It must be called from the main goroutine.
func Run(version string, args []string) error {
	asked, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
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
	seat, err := takeSeat(ctx, folder, asked.seatName(), visit{Page: asked.page, Token: startupToken(os.Getenv)})
	if err != nil || seat == nil {
		return err
	}
	defer func() { _ = seat.leave() }() // the lock ends with the process in any case

	d := newDesk(folder, asked)
	d.version = version
	return d.run(ctx, asked, seat)
}

func newDesk(folder paths.Folder, asked request) *desk {
	file, fresh := "window.json", placement{area: area{Width: 1200, Height: 800}, Zoom: 1}
	if asked.test != "" {
		file, fresh.area = "window-test.json", area{Width: 900, Height: 760}
	}
	d := &desk{
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

func (d *desk) run(ctx context.Context, asked request, seat *seat) error {
	if asked.test == "" {
		go d.bring(ctx)
	}
	scheme, portal := portalScheme(ctx)
	if portal != nil {
		defer func() { _ = portal.Close() }()
		go followScheme(ctx, portal, d.schemed)
	}
	if err := openDisplay(); err != nil {
		return err
	}
	go seat.serve(d.visited)
	if err := wails.Run(d.options(asked, isDark(scheme))); err != nil {
		return fmt.Errorf("open window: %w", err)
	}
	return nil
}

func (d *desk) options(asked request, dark bool) *options.App {
	colour := coloursFor(dark).page
	state := options.Normal
	if d.place.Maximised {
		state = options.Maximised
	}
	files := pages{d.pages, start{Page: asked.page, Await: os.Getenv(traceVariable)}, func() { d.trace("shown") }}
	return &options.App{
		Title:            asked.title(),
		Width:            d.place.Width,
		Height:           d.place.Height,
		MinWidth:         minWidth,
		MinHeight:        minHeight,
		WindowStartState: state,
		BackgroundColour: &colour,
		AssetServer:      &assetserver.Options{Assets: files.files, Middleware: files.wrap},
		Menu:             wailsMenu(runtime.GOOS, d),
		Bind:             []any{&Window{version: d.version, hub: d.hub, desk: d}},
		OnStartup:        d.open,
		OnDomReady:       d.load,
		OnBeforeClose:    d.close,
		ErrorFormatter:   func(err error) any { return fault.MessageOf(err) },
		// The menu of the web view shows in text fields and on selected text only.
		EnableDefaultContextMenu: true,
		DragAndDrop:              &options.DragAndDrop{DisableWebViewDrop: true},
		Linux: &linux.Options{
			Icon:        icons.App(),
			ProgramName: programName,
			// A page of text gains nothing from the GPU, and broken drivers leave web views blank.
			WebviewGpuPolicy: linux.WebviewGpuPolicyNever,
		},
		Windows: &windows.Options{WebviewUserDataPath: filepath.Join(string(d.hub.folder), "webview")},
	}
}

func traced() bool { return os.Getenv(traceVariable) != "" }

// checkDisplay says in words what GTK would say with a panic.
func checkDisplay(system string, env func(string) string) error {
	if system == "linux" && env("DISPLAY") == "" && env("WAYLAND_DISPLAY") == "" {
		return errors.New("there is no display: start it in a desktop session, or set DISPLAY")
	}
	return nil
}

// startupToken is how a desktop knows a program that the user has started.
func startupToken(env func(string) string) string {
	if token := env("XDG_ACTIVATION_TOKEN"); token != "" {
		return token
	}
	return env("DESKTOP_STARTUP_ID")
}

func short(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}
