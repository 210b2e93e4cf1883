package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"

	"github.com/wailsapp/wails/v2/pkg/runtime"

	"github.com/agent-discover/agent-discover/app/launch"
	"github.com/agent-discover/agent-discover/backend/base/autostart"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/version"
)

// Window is bound to the page as window.go.app.Window. Wails accepts calls of its exported methods from the embedded page
// only. The errors that they return are messages for the user. The methods are safe for concurrent use.
type Window struct {
	version    string
	hub        *hub
	mainWindow *mainWindow
}

// About contains the name and version of this program.
type About struct {
	Name       string `json:"name"`
	Version    string `json:"version"`
	Difference string `json:"difference"` // how the version of the running hub differs, and what to do; "" if it is the same
}

// About returns the name and version of this program, and how the version of the running hub differs.
func (w *Window) About() About {
	about := About{Name: Title, Version: w.version}
	if info, err := instance.Read(w.hub.folder); err == nil {
		about.Difference = version.Difference(info.Version, w.version)
	}
	return about
}

// Connection is the result of Connect.
type Connection struct {
	Endpoint
	Stopped bool `json:"stopped"` // the user has stopped the hub; Connect does not start it again, Start does
}

// Connect returns the running hub after it has proved its identity. If no hub is running, Connect starts one, unless
// the user has stopped it.
func (w *Window) Connect() (Connection, error) {
	to, err := w.hub.connect(context.Background(), false)
	if errors.Is(err, errStopped) { // the page receives only the text of an error
		return Connection{Stopped: true}, nil
	}
	return Connection{Endpoint: to}, err
}

// Start is like Connect, but also starts a hub that the user has stopped.
func (w *Window) Start() (Endpoint, error) { return w.hub.connect(context.Background(), true) }

// OpenURL opens a web or mail address in the default program.
func (w *Window) OpenURL(address string) error { return launch.OpenURL(address) }

// OpenFolder shows the data folder ("data") or the log folder ("logs") in the file manager.
func (w *Window) OpenFolder(kind string) error {
	folders := map[string]string{"data": string(w.hub.folder), "logs": filepath.Dir(w.hub.folder.Log())}
	folder, ok := folders[kind]
	if !ok {
		return fault.New(fault.Invalid, "unknown folder %q; use data or logs", kind)
	}
	return launch.OpenFolder(folder)
}

var errTitle = fault.New(fault.Invalid, "invalid dialog title: use at most %d bytes and no control characters", maxLength)

var patterns = regexp.MustCompile(`^\*\.[A-Za-z0-9]{1,16}(;\*\.[A-Za-z0-9]{1,16}){0,9}$`)

// ChooseFile asks the user for a file to open and returns its path; empty if the user cancels. filter is a list such
// as "*.json;*.jsonc", or empty for all files.
func (w *Window) ChooseFile(title, filter string) (string, error) {
	options := runtime.OpenDialogOptions{Title: title}
	if filter != "" {
		if !patterns.MatchString(filter) {
			return "", fault.New(fault.Invalid, "invalid filter; use a list of patterns such as *.json;*.jsonc")
		}
		options.Filters = []runtime.FileFilter{{DisplayName: filter, Pattern: filter}}
	}
	if !isName(title) {
		return "", errTitle
	}
	path, err := runtime.OpenFileDialog(w.mainWindow.ctx(), options)
	return path, dialogError(err)
}

// ChooseFolder asks the user for a folder and returns its path; empty if the user cancels.
func (w *Window) ChooseFolder(title string) (string, error) {
	if !isName(title) {
		return "", errTitle
	}
	path, err := runtime.OpenDirectoryDialog(w.mainWindow.ctx(), runtime.OpenDialogOptions{Title: title, CanCreateDirectories: true})
	return path, dialogError(err)
}

// SaveFile asks the user where to save content, writes it there and returns the path; empty if the user cancels. name
// is the suggested file name.
func (w *Window) SaveFile(name, content string) (string, error) {
	if !isName(name) || filepath.Base(name) != name || name == "." || name == ".." {
		return "", fault.New(fault.Invalid, "invalid file name %q", name)
	}
	path, err := runtime.SaveFileDialog(w.mainWindow.ctx(), runtime.SaveDialogOptions{DefaultFilename: name, CanCreateDirectories: true})
	if err != nil || path == "" {
		return "", dialogError(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "could not write %s: %s", filepath.Base(path), reason(err))
	}
	return path, nil
}

// OpenTest opens the inspector for a server in a separate window, or raises that window if it is open.
func (w *Window) OpenTest(server string) error {
	if !isName(server) {
		return errName
	}
	own, err := os.Executable()
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not open a window: the path of this program is unknown")
	}
	_, err = launch.Start(own, "-test", server)
	return err
}

// Quit closes this window. The tray and the hub keep running.
func (w *Window) Quit() { runtime.Quit(w.mainWindow.ctx()) }

// StartAtLogin reports whether the tray and the hub start when the user logs in.
func (w *Window) StartAtLogin() (bool, error) {
	entry, err := trayEntry()
	if err != nil {
		return false, err
	}
	return entry.On()
}

// SetStartAtLogin changes whether the tray and the hub start when the user logs in.
func (w *Window) SetStartAtLogin(on bool) error {
	entry, err := trayEntry()
	if err != nil {
		return err
	}
	return entry.Set(on)
}

// Ready is called by the page when it shows its first list. Benchmarks measure the time until this call.
func (w *Window) Ready() { w.mainWindow.trace("ready") }

func trayEntry() (autostart.Entry, error) {
	program, err := launch.Find(launch.Tray)
	return autostart.Tray(program), err
}

func dialogError(err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(err, fault.Unavailable, "could not show the dialog")
}

// reason returns the system's error without the path.
func reason(err error) error {
	if failed, ok := errors.AsType[*os.PathError](err); ok {
		return failed.Err
	}
	return err
}
