//go:build !windows && !darwin

package autostart

import (
	"os"
	"path/filepath"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func (e Entry) file() (string, error) {
	config, err := os.UserConfigDir()
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "no home folder is known, so nothing can start at login")
	}
	return filepath.Join(config, "autostart", e.ID+".desktop"), nil
}

func contents(e Entry) []byte { return desktopFile(e) }

func obeyed(data []byte) bool { return desktopFileOn(data) }
