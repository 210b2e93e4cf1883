package sandbox

import (
	"context"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/program"
)

// trialTimeout limits the trial run of bubblewrap.
const trialTimeout = 5 * time.Second

// bubblewrap gives strict servers their own process and network namespaces and their
// own /tmp, in addition to what the helper enforces. Systems may forbid the namespaces
// that it needs, so it is used only after a trial run.
type bubblewrap struct {
	once sync.Once
	mu   sync.Mutex
	path string // empty if it does not work, or was not tried yet
}

// installed has the folders in which systems install bubblewrap. The PATH of a launch is not used,
// because it may contain programs of a package.
var installed = process.Env{"PATH=/usr/bin:/bin:/usr/local/bin:/run/wrappers/bin:/run/current-system/sw/bin"}

// try runs bubblewrap once, and returns its path if it works.
func (b *bubblewrap) try() string {
	b.once.Do(func() {
		path := installed.LookPath("bwrap")
		if path == "" {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), trialTimeout)
		defer cancel()
		cmd, err := program.Command(ctx, outside, path, append(namespaces(true), "--", "/bin/true")...)
		if err != nil || cmd.Run() != nil {
			return
		}
		b.mu.Lock()
		b.path = path
		b.mu.Unlock()
	})
	return b.works()
}

// works returns the path of bubblewrap if a trial run has succeeded.
func (b *bubblewrap) works() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.path
}

// namespaces returns the options of bubblewrap for new namespaces. With network, these include a network namespace
// without connections. The file system stays that of the machine, because Landlock restricts it.
func namespaces(network bool) []string {
	args := []string{"--die-with-parent", "--unshare-pid", "--unshare-ipc"}
	if network {
		args = append(args, "--unshare-net")
	}
	return append(args, "--dev-bind", "/", "/", "--proc", "/proc")
}

// wrap returns the command that starts the helper in new namespaces. temporary is the
// folder that becomes /tmp, unless /tmp contains one of the paths in needed or a path
// that the policy allows.
func (b *bubblewrap) wrap(p policy, temporary string, helper []string, needed ...string) (command string, args []string) {
	args = namespaces(p.network.none())
	needed = slices.Concat(needed, helper[:1], p.read, p.write)
	if !slices.ContainsFunc(needed, func(path string) bool { return within("/tmp", path) }) {
		if info, err := os.Stat(temporary); err == nil && info.IsDir() {
			args = append(args, "--bind", temporary, "/tmp")
		}
	}
	return b.path, append(append(args, "--"), helper...)
}
