// Package autostart reads and changes whether a program starts when the user logs in. It uses an XDG autostart file on
// Linux, a launch agent on macOS and the registry key Run on Windows. It changes only the entry of that program, and it
// does not start the program.
package autostart

import (
	"path/filepath"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// Flag is the command-line argument that a program receives when it is started at login.
const Flag = "--login"

// Entry is a program that may start at login.
type Entry struct {
	ID      string // name of the file or registry value: letters and dashes
	Title   string // name in the system's settings
	Program string // absolute path
}

// Tray returns the entry of the tray icon, which starts the hub. program is the path of the tray. The window and the tray
// share this entry.
func Tray(program string) Entry {
	return Entry{ID: "agent-discover-tray", Title: "Agent Discover", Program: program}
}

// On reports whether the program starts at login. It returns false if the user has disabled the entry: in the system's
// settings on Linux and Windows, with launchctl on macOS. Programs cannot read the switch in macOS's System Settings.
func (e Entry) On() (bool, error) { return e.on() }

// Place returns where the entry is, and whether it exists, even if the user has disabled it.
func (e Entry) Place() (place string, exists bool, err error) { return e.place() }

// Set changes whether the program starts at login.
func (e Entry) Set(on bool) error {
	if !on {
		return e.remove()
	}
	if !filepath.IsAbs(e.Program) || strings.ContainsFunc(e.Program, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fault.New(fault.Invalid,
			"the program %q cannot start at login; move it to a folder whose absolute path has no control characters", e.Program)
	}
	if err := paths.CheckPlace(e.Program); err != nil {
		return err
	}
	return e.write()
}

// changeError returns the error for a file, folder or registry key that cannot be changed.
func changeError(err error, place string) error {
	return fault.Wrap(err, fault.Unavailable, "could not change start at login: %s is not writable", place)
}
