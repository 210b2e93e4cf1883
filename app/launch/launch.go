// Package launch starts the other programs of this product, and opens web addresses and folders with the default programs
// of the system. The window and the tray use it. It does not wait for the programs, and it does not use the hub.
package launch

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/program"
)

// File names of the programs of this product, without extension.
const (
	Hub    = "agent-discover"
	Window = "agent-discover-desktop"
	Tray   = "agent-discover-tray"
)

// Find returns the absolute path of a program of this product. It searches the folder of the running program, then
// the PATH.
func Find(name string) (string, error) {
	if path := process.Sibling(name); path != "" {
		return path, nil
	}
	return "", fault.New(fault.Unavailable, "the program %s is missing; put it beside this one or on the PATH", name)
}

// Start starts a program that outlives this one. The program inherits the environment and has no standard input or
// output. When the program ends, the channel receives the error of Wait; nobody needs to read the channel.
func Start(program string, args ...string) (<-chan error, error) {
	return start(append([]string{program}, args...))
}

// StartWindow starts the window, or raises it if it is open. page is the page of the dashboard to show, such as
// /approvals; empty for the current one.
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

// OpenURL opens an address in the user's browser or mail program. It rejects schemes other than http, https and mailto,
// because addresses may come from untrusted servers.
func OpenURL(address string) error {
	parsed, err := url.Parse(address)
	if err != nil || !slices.Contains([]string{"http", "https", "mailto"}, parsed.Scheme) ||
		parsed.Host == "" && parsed.Scheme != "mailto" {
		return fault.New(fault.Invalid, "could not open the address: only http, https and mailto addresses are allowed")
	}
	return open(parsed.String())
}

// OpenFolder shows an existing folder in the user's file manager. path must be absolute.
func OpenFolder(path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() || !filepath.IsAbs(path) {
		return fault.New(fault.NotFound, "the folder does not exist")
	}
	return open(path)
}

func open(target string) error {
	_, err := start(append(opener(runtime.GOOS), target))
	return err
}

// opener returns the command that opens an address or a folder with the default program of an operating system. On
// Windows, the shell's start command is not used, because it would interpret special characters in an address.
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
	for _, detached := range process.DetachedStarts() {
		var cmd *exec.Cmd
		if cmd, err = program.Command(context.Background(), os.Environ(), argv[0], argv[1:]...); err != nil {
			break
		}
		if err = detached.Start(cmd); err == nil {
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }() // reaps the process
			return ended, nil
		}
	}
	return nil, fault.Wrap(err, fault.Unavailable, "could not start %s; is it installed?", filepath.Base(argv[0]))
}
