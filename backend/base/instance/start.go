package instance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

// startTimeout bounds the time from a start until the hub has announced itself.
const startTimeout = 15 * time.Second

// patience is how long Ensure waits for a hub to announce itself if it cannot observe
// the process of the hub. After that time, Ensure tries the next way to start the hub.
const patience = 3 * time.Second

// rivalPatience is how often Ensure looks whether another hub, to which it has left the start, has ended meanwhile. Between
// its lock and its signature, a hub that starts looks like one that has ended.
const rivalPatience = 500 * time.Millisecond

const pollInterval = 10 * time.Millisecond

// ExitHeld is the exit code of a hub that this package started and that found
// another hub running or starting for its folder.
const ExitHeld = 75

// Ensure returns the running hub, and starts one if none runs. If several
// processes call it at once, they all get the same hub. by names the caller: a
// program (see ByProgram), or else the command with which a person starts a hub.
//
// Ensure uses the user's service manager if the system has a suitable one, and
// otherwise a detached process. If the hub does not appear, it tries the next way;
// of two hubs that are started in this manner, one finds the other's lock and ends.
// In all cases the hub gets the environment of the user's session and the
// AGENT_DISCOVER_ variables, but no other variables of this process.
//
// If another process is starting the hub for a person and the caller is a program, Ensure waits for that process; this
// wait does not count towards the time limit.
func Ensure(ctx context.Context, folder paths.Folder, by string) (Info, error) {
	for {
		if info, err := Read(folder); err == nil {
			return info, nil
		}
		if ByProgram(by) {
			if err := awaitStarter(ctx, folder); err != nil {
				return Info{}, err
			}
		}
		info, err := startOnce(ctx, folder, by)
		if !errors.Is(err, ErrStarting) {
			return info, err
		}
	}
}

func startOnce(ctx context.Context, folder paths.Folder, by string) (Info, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	l, err := prepare(folder, by)
	if err != nil {
		return Info{}, err
	}
	return l.inTurn(ctx, l.ways())
}

// ErrStopped is the reason why a program must not start a hub: the user has
// stopped it.
var ErrStopped = fault.New(fault.Denied, "the user stopped the hub; start it with: agent-discover start")

// ByProgram reports whether by, as in Ensure, names a program that starts a hub without a person's request. A person
// who starts a hub overrides an earlier stop request.
func ByProgram(by string) bool {
	return slices.Contains([]string{"companion", "cli", "tray", "window"}, by)
}

// Start starts a hub as Ensure does, but neither looks for a running hub nor waits for the new one.
func Start(ctx context.Context, folder paths.Folder, by string) error {
	l, err := prepare(folder, by)
	if err != nil {
		return err
	}
	for _, w := range l.ways() {
		var a attempt
		if a, err = w.start(ctx, l); err == nil {
			if a.clean != nil {
				time.AfterFunc(patience, a.clean)
			}
			return nil
		}
	}
	return fault.Wrap(err, fault.Unavailable, "could not start the hub's program %s", l.args[0])
}

// Await waits until a hub has announced itself or reported why it cannot start.
func Await(ctx context.Context, folder paths.Folder) (Info, error) {
	return launch{folder: folder}.await(ctx, attempt{}, nil)
}

// launch has the parameters of a start of the hub.
type launch struct {
	folder paths.Folder
	by     string      // as in Ensure; empty if this process does not start the hub
	env    process.Env // the variables that configure the hub, and those that say how it reaches the network
	args   []string    // the program and its arguments
}

// way is one way to start the hub in the background.
type way struct {
	name  string
	start func(context.Context, launch) (attempt, error)
}

// attempt is a hub that was started and has not announced itself yet.
type attempt struct {
	// ended receives why the process has ended. It is nil if this process cannot observe that.
	ended <-chan error
	// clean removes temporary files and tasks of the start; nil if the start left none.
	clean func()
}

// prepare creates the data folder and returns the parameters of a start. Callers have usually looked for a stop request
// before; prepare looks again because a hub that was still running then may have ended since.
func prepare(folder paths.Folder, by string) (launch, error) {
	if why := Withheld(folder); ByProgram(by) && why != nil {
		return launch{}, why
	}
	if err := folder.Create(); err != nil {
		return launch{}, err
	}
	_ = paths.Remove(folder.Run("failed")) // the report of an earlier start; usually none exists
	exe, err := hubProgram(by)
	if err != nil {
		return launch{}, err
	}
	env := append(process.Network(), process.Own().With("AGENT_DISCOVER_HOME", string(folder))...)
	return launch{folder, by, env, []string{exe, "serve", "--started-by", by}}, nil
}

// errDeserted is the reason why a start begins again: it has left the start to another hub, which has ended before it has
// announced itself.
var errDeserted = errors.New("another hub has ended while it was starting")

// inTurn tries one way after the other until the hub has announced itself.
func (l launch) inTurn(ctx context.Context, ways []way) (Info, error) {
	for {
		info, err := l.tryAll(ctx, ways)
		if !errors.Is(err, errDeserted) {
			return info, err
		}
	}
}

func (l launch) tryAll(ctx context.Context, ways []way) (Info, error) {
	var reasons []string
	for i, w := range ways {
		info, err := l.try(ctx, w, i == len(ways)-1)
		for n := 1; n < maxKilled && wasKilled(err); n++ {
			info, err = l.try(ctx, w, i == len(ways)-1)
		}
		next, failed := errors.AsType[unstarted](err)
		if !failed {
			return info, err
		}
		l.logFailure(w.name, next)
		reasons = append(reasons, next.Error()+" ("+w.name+")")
	}
	return Info{}, fault.New(fault.Unavailable, "could not start the hub %s: %s; run agent-discover serve to see it start",
		l.args[0], strings.Join(reasons, "; "))
}

// maxKilled is how often a hub is started in one way that is killed while it starts. It says nothing about the next start.
const maxKilled = 3

func wasKilled(err error) bool {
	failed, ok := errors.AsType[unstarted](err)
	if !ok {
		return false
	}
	_, dead := errors.AsType[killed](failed.error)
	return dead
}

// unstarted is the error of a way that did not start a hub. The next way may succeed.
type unstarted struct{ error }

func (l launch) try(ctx context.Context, w way, last bool) (Info, error) {
	a, err := w.start(ctx, l)
	if err != nil {
		return Info{}, unstarted{err}
	}
	if a.clean != nil {
		defer a.clean()
	}
	var late <-chan time.Time
	if a.ended == nil && !last { // the end of the process cannot be observed, so only the time shows that it failed
		timer := time.NewTimer(patience)
		defer timer.Stop()
		late = timer.C
	}
	return l.await(ctx, a, late)
}

func (l launch) await(ctx context.Context, a attempt, late <-chan time.Time) (Info, error) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	var over error
	rival := false // another hub is starting
	for {
		if info, err := Read(l.folder); err == nil {
			return info, nil
		}
		if why, err := paths.ReadFile(l.folder.Run("failed")); err == nil {
			return Info{}, fault.New(fault.Unavailable, "the hub cannot start: %s", why)
		}
		if why := Withheld(l.folder); ByProgram(l.by) && why != nil {
			return Info{}, why
		}
		if over != nil {
			return Info{}, unstarted{over}
		}
		select {
		case <-tick.C:
		case why := <-a.ended:
			// Look once more: the hub may have announced itself or reported a failure just before its process ended.
			over, a.ended = why, nil
			if _, other := errors.AsType[outrun](why); other {
				over, rival, late = nil, true, time.After(rivalPatience)
			}
		case <-late:
			if !rival {
				over = fmt.Errorf("no sign of the hub within %v", patience)
				continue
			}
			if _, ok := Holder(l.folder); !ok {
				return Info{}, errDeserted
			}
			late = time.After(rivalPatience)
		case <-ctx.Done():
			if id, ok := Holder(l.folder); ok {
				return Info{}, Silent(l.folder, id)
			}
			return Info{}, fault.Wrap(context.Cause(ctx), fault.Unavailable,
				"the hub did not start in time; for the reason see %s, or run: agent-discover serve", l.folder.Log())
		}
	}
}

// hubProgram returns the executable to start as the hub: this one or, for tray and
// window, the program agent-discover beside it.
func hubProgram(by string) (string, error) {
	if by == "tray" || by == "window" {
		if hub := process.Sibling("agent-discover"); hub != "" {
			return hub, paths.CheckPlace(hub)
		}
		return "", fault.New(fault.Unavailable,
			"the program agent-discover, which is the hub, is missing; put it beside this one or on the PATH")
	}
	exe, err := os.Executable()
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "could not find this program's own executable, with which to start the hub")
	}
	return exe, paths.CheckPlace(exe)
}

// ReportFailure saves the reason of a failed start for all processes that wait in Await. The reason must hold for each
// of them. Callers therefore do not report that another hub is running, nor ErrStopped, because the user's stop request
// does not bind a person who starts the hub.
func ReportFailure(folder paths.Folder, why error) {
	_ = paths.WriteFile(folder.Run("failed"), []byte(fault.MessageOf(why))) // if this fails, Await times out and names the log
}
