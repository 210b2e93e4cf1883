// Package login answers whether a program starts when the user logs in, and
// changes it: with an XDG autostart file, a LaunchAgent, or a value of the Run
// key. It touches that one entry and starts nothing.
package autostart

import (
	"path/filepath"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Flag is what a program gets as its argument when a login started it.
const Flag = "--login"

// Entry is a program that may start at login.
type Entry struct {
	ID      string // names the file or value; letters and dashes
	Title   string // what people see in the system's settings
	Program string // absolute path
}

// Tray returns the entry of the tray icon, which brings the hub along. Window and
// tray share it.
func Tray(program string) Entry {
	return Entry{ID: "agent-discover-tray", Title: "Agent Discover", Program: program}
}

// On reports whether the program starts at login. One that the user switched off
// in the system's own settings does not.
func (e Entry) On() (bool, error) { return e.on() }

// Set makes the program start at login, or no longer.
func (e Entry) Set(on bool) error {
	if !on {
		return e.remove()
	}
	if !filepath.IsAbs(e.Program) || strings.ContainsFunc(e.Program, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fault.New(fault.Invalid, "a program at %q cannot start at login; move it to a folder with a plain name", e.Program)
	}
	return e.write()
}

func cannotChange(err error, place string) error {
	return fault.Wrap(err, fault.Unavailable, "start at login cannot be changed: %s is not writable", place)
}
