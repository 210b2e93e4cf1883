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
	switch {
	case err != nil && os.Getenv("XDG_CONFIG_HOME") != "":
		return "", fault.Wrap(err, fault.Unavailable,
			"XDG_CONFIG_HOME is a relative path, so the file for start at login cannot be located; set it to an absolute path")
	case err != nil:
		return "", fault.Wrap(err, fault.Unavailable,
			"HOME is not set, so the file for start at login cannot be located; set HOME to your home folder")
	}
	return filepath.Join(config, "autostart", e.ID+".desktop"), nil
}

func contents(e Entry) []byte { return desktopFile(e) }

// enabled reports whether an autostart file with this content starts its program.
func (e Entry) enabled(data []byte) bool { return desktopFileOn(data) }

// allow does nothing, because a newly written file is enabled.
func (e Entry) allow() {}
