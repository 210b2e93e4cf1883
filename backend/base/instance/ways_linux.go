package instance

import (
	"os"

	"github.com/agent-discover/agent-discover/backend/base/process"
)

// ways returns the ways to start a hub, the best first.
func (l launch) ways() []way {
	list := managed("as a user unit of systemd", l.systemd())
	for _, start := range process.DetachedStarts() {
		list = append(list, detached(start))
	}
	return list
}

// systemd returns the command that starts the hub as a user unit, or nil if that is not possible.
func (l launch) systemd() []string {
	if _, err := os.Stat(os.Getenv("XDG_RUNTIME_DIR") + "/systemd/private"); err != nil || l.hasCredentials() {
		return nil
	}
	return systemdCommand(labelOf(l.folder), string(l.folder), l.env, l.args)
}
