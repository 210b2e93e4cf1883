//go:build !windows && !darwin

package autostart

import (
	"os"
	"path/filepath"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// file returns the path of the entry's file.
func (e Entry) file() (string, error) {
	config, err := os.UserConfigDir()
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "could not find the file for start at login; set HOME to the home folder")
	}
	return filepath.Join(config, "autostart", e.ID+".desktop"), nil
}

func contents(e Entry) []byte { return desktopFile(e) }

// enabled reports whether an autostart file with this content starts its program.
func (e Entry) enabled(data []byte) bool { return desktopFileOn(data) }

// allow does nothing, because a newly written file is enabled.
func (e Entry) allow() {}
