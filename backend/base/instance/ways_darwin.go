package instance

import (
	"fmt"
	"os"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

// ways returns the ways to start a hub, the best first.
func (l launch) ways() []way {
	list := managed("as a job of launchd", l.launchd())
	for _, start := range process.DetachedStarts() {
		list = append(list, detached(start))
	}
	return list
}

// launchd returns the command that starts the hub as a job of launchd, or nil if that is not possible.
func (l launch) launchd() []string {
	if l.hasCredentials() || namesPassword(l.env) { // launchd shows the environment of a job to other users
		return nil
	}
	// launchd keeps the definition of a loaded job, so a job with a different
	// definition needs a different label.
	label := labelOf(l.folder, append(append([]string(nil), l.env...), l.args...)...)
	file := l.folder.Run(label + ".plist")
	if paths.WriteFile(file, launchdJob(label, string(l.folder), l.env, l.args)) != nil {
		return nil
	}
	return launchdCommand(fmt.Sprintf("gui/%d", os.Getuid()), label, file)
}
