package autostart

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// file returns the path of the entry's file.
func (e Entry) file() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable,
			"HOME is not set, so the file for start at login cannot be located; set HOME to your home folder")
	}
	return filepath.Join(home, "Library", "LaunchAgents", e.ID+".plist"), nil
}

func contents(e Entry) []byte { return launchAgent(e) }

// enabled reports whether launchd starts the job of the entry's file. launchd does not store in the file whether the
// job is disabled. enabled ignores the switch in the system's settings, because programs cannot read it.
func (e Entry) enabled([]byte) bool {
	disabled.Lock()
	defer disabled.Unlock()
	if time.Since(disabled.asked) > askAgain {
		out, err := launchctl("print-disabled", domain())
		disabled.job, disabled.asked = err == nil && jobDisabled(out, e.ID), time.Now()
	}
	return !disabled.job
}

// askAgain is how long enabled reuses an answer of launchctl: the tray calls On whenever it draws its menu.
const askAgain = 10 * time.Second

// disabled caches whether launchctl has listed the job of this program's only entry as disabled.
var disabled struct {
	sync.Mutex
	asked time.Time
	job   bool
}

// allow lets launchd start the job even if it was disabled before.
func (e Entry) allow() {
	_, _ = launchctl("enable", domain()+"/"+e.ID) // after a failure, On still reports that the job is disabled
	disabled.Lock()
	defer disabled.Unlock()
	disabled.asked = time.Time{}
}

// domain returns launchd's name for the user's graphical session.
func domain() string { return "gui/" + strconv.Itoa(os.Getuid()) }

func launchctl(args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	return exec.CommandContext(ctx, "/bin/launchctl", args...).Output()
}
