package autostart

import (
	"os"
	"path/filepath"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// file returns the path of the entry's file.
func (e Entry) file() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "could not find the file for start at login; set HOME to the home folder")
	}
	return filepath.Join(home, "Library", "LaunchAgents", e.ID+".plist"), nil
}

func contents(e Entry) []byte { return launchAgent(e) }

// enabled reports whether a file of this content starts its program.
func enabled([]byte) bool { return true }
