package instance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

// startTimeout bounds the time from a start until the hub has announced itself.
const startTimeout = 15 * time.Second

const pollInterval = 10 * time.Millisecond

// Ensure returns the running hub, and starts one if none runs. If several
// processes call it at once, they all get the same hub. by is the kind of the
// calling program: companion, tray or window.
func Ensure(ctx context.Context, folder paths.Folder, by string) (Info, error) {
	if info, err := Read(folder); err == nil {
		return info, nil
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := Start(ctx, folder, by); err != nil {
		return Info{}, err
	}
	return Await(ctx, folder)
}

// Await waits until a hub has announced itself or reported why it cannot start.
func Await(ctx context.Context, folder paths.Folder) (Info, error) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		if info, err := Read(folder); err == nil {
			return info, nil
		}
		if why, err := os.ReadFile(folder.Run("failed")); err == nil {
			return Info{}, fault.New(fault.Unavailable, "the hub cannot start: %s", why)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return Info{}, fault.Wrap(context.Cause(ctx), fault.Unavailable,
				"the hub did not start in time; for the reason see %s, or run: agent-discover serve", folder.Log())
		}
	}
}

// Start starts a hub and does not wait for it. It uses the user's service manager
// if the system has one, and otherwise a detached process. In both cases the hub
// gets the environment of the user's session and the AGENT_DISCOVER_ variables, but
// no others of this process.
func Start(ctx context.Context, folder paths.Folder, by string) error {
	if err := folder.Create(); err != nil {
		return err
	}
	_ = os.Remove(folder.Run("failed")) // the report of an earlier start; usually none exists
	exe, err := program(by)
	if err != nil {
		return err
	}
	env := process.Own().With("AGENT_DISCOVER_HOME", string(folder))
	args := []string{exe, "serve", "--started-by", by}
	if argv := serviceCommand(folder, env, args); argv != nil && exec.CommandContext(ctx, argv[0], argv[1:]...).Run() == nil {
		return nil
	}
	if err := startDetached(string(folder), append(process.Clean(), env...), args, process.Detach, process.DetachInJob); err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not start the hub's program %s", exe)
	}
	return nil
}

// program returns the executable to start as the hub: this one or, for tray and
// window, the program agent-discover beside it.
func program(by string) (string, error) {
	if by == "tray" || by == "window" {
		if hub := process.Sibling("agent-discover"); hub != "" {
			return hub, nil
		}
		return "", fault.New(fault.Unavailable, "the program agent-discover, which is the hub, is missing; put it beside this one or on the PATH")
	}
	exe, err := os.Executable()
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "could not find this program's own executable, with which to start the hub")
	}
	return exe, nil
}

// startDetached starts args. It prepares the command with each of ways in turn
// until a start succeeds, and returns the error of the last attempt if none does.
func startDetached(dir string, env process.Env, args []string, ways ...func(*exec.Cmd)) (err error) {
	for _, detach := range ways {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env, cmd.Dir = env, dir
		detach(cmd)
		if err = cmd.Start(); err == nil {
			go func() { _ = cmd.Wait() }() // ends with the hub, and prevents a zombie
			return nil
		}
	}
	return err
}

// ReportFailure saves the reason of a failed start for processes that wait in
// Await.
func ReportFailure(folder paths.Folder, why error) {
	_ = paths.WriteFile(folder.Run("failed"), []byte(fault.MessageOf(why))) // if this fails, Await times out and names the log
}

// serviceCommand returns the command that starts args under the user's service
// manager, nil if the system has none. It also returns nil if the environment
// contains credentials, because service managers take the environment from command
// lines or files, which other users may be able to read.
func serviceCommand(folder paths.Folder, env process.Env, args []string) []string {
	for _, name := range []string{"AGENT_DISCOVER_PASSPHRASE", "AGENT_DISCOVER_OPENAI_API_KEY"} {
		if env.Get(name) != "" {
			return nil
		}
	}
	label := labelOf(string(folder))
	switch runtime.GOOS {
	case "linux":
		if _, err := os.Stat(os.Getenv("XDG_RUNTIME_DIR") + "/systemd/private"); err != nil {
			return nil
		}
		return systemdCommand(label, string(folder), env, args)
	case "darwin":
		// launchd keeps the definition of a loaded job, so a job with a
		// different definition needs a different label.
		label = labelOf(append(append([]string{string(folder)}, env...), args...)...)
		file := folder.Run(label + ".plist")
		if paths.WriteFile(file, launchdJob(label, string(folder), env, args)) != nil {
			return nil
		}
		return launchdCommand(fmt.Sprintf("gui/%d", os.Getuid()), label, file)
	case "windows":
		file := folder.Run(label + ".cmd")
		if paths.WriteFile(file, windowsScript(string(folder), env, args)) != nil {
			return nil
		}
		return []string{"cmd", "/c", fmt.Sprintf(
			`schtasks /Create /F /SC ONCE /ST 00:00 /TN %s /TR "%s" >nul && schtasks /Run /TN %s >nul`, label, file, label)}
	}
	return nil
}

func labelOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return "agent-discover-" + hex.EncodeToString(sum[:4])
}

// launchdCommand returns a command that loads a job, which also starts it, or starts
// a job that is loaded already. A running job is not restarted: if two processes
// start the hub at once, the second must not end the hub of the first.
func launchdCommand(domain, label, file string) []string {
	const script = `launchctl bootstrap "$1" "$3" 2>/dev/null || exec launchctl kickstart "$1/$2"`
	return []string{"/bin/sh", "-c", script, "sh", domain, label, file}
}

func systemdCommand(label, dir string, env process.Env, args []string) []string {
	argv := []string{"systemd-run", "--user", "--quiet", "--collect", "--unit=" + label, "--working-directory=" + dir}
	for _, kv := range env {
		argv = append(argv, "--setenv="+kv)
	}
	return append(append(argv, "--"), args...)
}
