// Package launch starts what the window and the tray show people: the sibling
// programs of this product, and addresses and folders in what the system has
// for them. It knows nothing of hubs and waits for nothing.
package launch

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

// The programs of this product.
const (
	Hub    = "agent-discover"
	Window = "agent-discover-desktop"
	Tray   = "agent-discover-tray"
)

// Find returns the absolute path of a program of this product: the one beside
// the running program, else the one on the PATH. The error says what to do.
func Find(name string) (string, error) {
	if path := process.Sibling(name); path != "" {
		return path, nil
	}
	return "", fault.New(fault.Unavailable, "the program %s is missing; put it beside this one or on the PATH", name)
}

// Start starts a program so that it outlives this one, with this one's
// environment and no input or output. The channel gets how it ended, once; nobody
// has to read it.
func Start(program string, args ...string) (<-chan error, error) {
	return start(append([]string{program}, args...))
}

// StartWindow starts the window, or brings the one that runs to the front. It
// shows a page of the dashboard, such as /approvals; "" leaves it where it is.
func StartWindow(page string) (<-chan error, error) {
	program, err := Find(Window)
	if err != nil {
		return nil, err
	}
	if page == "" {
		return Start(program)
	}
	return Start(program, "--page", page)
}

// OpenURL opens an address in the user's browser or mail program. Anything but
// http, https and mailto is refused: an address may come from a stranger.
func OpenURL(address string) error {
	parsed, err := url.Parse(address)
	if err != nil || !slices.Contains([]string{"http", "https", "mailto"}, parsed.Scheme) || parsed.Host == "" && parsed.Scheme != "mailto" {
		return fault.New(fault.Invalid, "only web and mail addresses are opened")
	}
	return open(parsed.String())
}

// OpenFolder shows a folder that exists in the user's file manager.
func OpenFolder(path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() || !filepath.IsAbs(path) {
		return fault.New(fault.NotFound, "there is no such folder")
	}
	return open(path)
}

func open(target string) error {
	_, err := start(append(opener(runtime.GOOS), target))
	return err
}

// opener returns the system's command that opens what it is given. The one of
// Windows is no shell, in which an address could be more than an address.
func opener(system string) []string {
	switch system {
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	case "darwin":
		return []string{"open"}
	}
	return []string{"xdg-open"}
}

func start(argv []string) (<-chan error, error) {
	var err error
	for _, detach := range []func(*exec.Cmd){process.Detach, process.DetachInJob} {
		cmd := exec.Command(argv[0], argv[1:]...)
		detach(cmd)
		if err = cmd.Start(); err == nil {
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }() // no zombie while we live
			return ended, nil
		}
	}
	return nil, fault.Wrap(err, fault.Unavailable, "%s cannot be started; is it installed?", filepath.Base(argv[0]))
}
