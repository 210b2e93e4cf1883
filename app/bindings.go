package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"

	"github.com/wailsapp/wails/v2/pkg/runtime"

	"github.com/agent-discover/agent-discover/app/autostart"
	"github.com/agent-discover/agent-discover/app/launch"
	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Window is what the page reaches as window.go.app.Window. Its exported methods answer the page's calls, which Wails
// lets through from the embedded page only; errors are sentences for the user. They may be called at the same time.
type Window struct {
	version string
	hub     *hub
	desk    *desk
}

// About says what this program is.
type About struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// About returns the program's own name and version; about the hub it knows nothing.
func (w *Window) About() About { return About{Name: Title, Version: w.version} }

// Connect returns the running hub, proven to be this user's, and starts one when there is none. When the user has
// stopped it the error says so, and Start goes on.
func (w *Window) Connect() (Endpoint, error) { return w.hub.connect(context.Background(), false) }

// Start is Connect for a user who wants the hub back that they stopped.
func (w *Window) Start() (Endpoint, error) { return w.hub.connect(context.Background(), true) }

// OpenURL opens a web or mail address outside of the window.
func (w *Window) OpenURL(address string) error { return launch.OpenURL(address) }

// OpenFolder shows a folder of this product in the file manager: "data" or "logs".
func (w *Window) OpenFolder(kind string) error {
	folders := map[string]string{"data": string(w.hub.folder), "logs": filepath.Dir(w.hub.folder.Log())}
	folder, ok := folders[kind]
	if !ok {
		return fault.New(fault.Invalid, "no folder %q: data or logs", kind)
	}
	return launch.OpenFolder(folder)
}

var patterns = regexp.MustCompile(`^\*\.[A-Za-z0-9]{1,16}(;\*\.[A-Za-z0-9]{1,16}){0,9}$`)

// ChooseFile lets the user pick a file and returns its path, empty when they did not. filter is a list such as
// "*.json;*.jsonc", or empty for all files.
func (w *Window) ChooseFile(title, filter string) (string, error) {
	options := runtime.OpenDialogOptions{Title: title}
	if filter != "" {
		if !patterns.MatchString(filter) {
			return "", fault.New(fault.Invalid, "a filter lists endings, such as *.json;*.jsonc")
		}
		options.Filters = []runtime.FileFilter{{DisplayName: filter, Pattern: filter}}
	}
	if !isName(title) {
		return "", fault.New(fault.Invalid, "the title of a dialog has no control characters, and at most %d others", longest)
	}
	path, err := runtime.OpenFileDialog(w.desk.ctx(), options)
	return path, inWords(err)
}

// SaveFile lets the user pick where a file goes, writes it there and returns its path, empty when they did not. name is
// what it is called if they do not change that.
func (w *Window) SaveFile(name, content string) (string, error) {
	if !isName(name) || filepath.Base(name) != name || name == "." || name == ".." {
		return "", fault.New(fault.Invalid, "%q is no name of a file", name)
	}
	path, err := runtime.SaveFileDialog(w.desk.ctx(), runtime.SaveDialogOptions{DefaultFilename: name, CanCreateDirectories: true})
	if err != nil || path == "" {
		return "", inWords(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "%s cannot be written: %s", filepath.Base(path), reason(err))
	}
	return path, nil
}

// OpenTest opens the tester for a server in a window of its own, or brings the one that is open to the front.
func (w *Window) OpenTest(server string) error {
	if !isName(server) {
		return errNoName
	}
	own, err := os.Executable()
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "this program cannot find its own file to open a window")
	}
	_, err = launch.Start(own, "-test", server)
	return err
}

// Quit closes this window and nothing else.
func (w *Window) Quit() { runtime.Quit(w.desk.ctx()) }

// StartAtLogin reports whether tray and hub start when the user logs in.
func (w *Window) StartAtLogin() (bool, error) {
	entry, err := trayEntry()
	if err != nil {
		return false, err
	}
	return entry.On()
}

// SetStartAtLogin makes them start then, or no longer.
func (w *Window) SetStartAtLogin(on bool) error {
	entry, err := trayEntry()
	if err != nil {
		return err
	}
	return entry.Set(on)
}

// Ready is called by the page when it has its first list, for those who measure.
func (w *Window) Ready() { w.desk.trace("ready") }

func trayEntry() (autostart.Entry, error) {
	program, err := launch.Find(launch.Tray)
	return autostart.Tray(program), err
}

// inWords gives an error of a dialog a message.
func inWords(err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(err, fault.Unavailable, "the dialog cannot be shown")
}

// reason is why the system refused, without the path that its errors carry.
func reason(err error) error {
	if failed, ok := errors.AsType[*os.PathError](err); ok {
		return failed.Err
	}
	return err
}
