// Package program prepares commands that start a program with exactly the given arguments, in exactly the given
// environment. The hub, the companion, the tray and the window start all programs through it, except the login shell
// and ps, which package process runs.
//
// On Linux and macOS the system passes arguments one by one. Windows passes one text, which each program splits by
// rules of its own. Programs (.exe) split it by the rules that Go and C follow. A batch file (.cmd, .bat) is run by
// cmd.exe, which first reads the text as commands, so that "&" in an argument would start another program. Therefore
// Command does not run the batch files of npm, pnpm, yarn and other package managers, but directly the program that
// they start: node.exe with a script. It passes only harmless arguments to other batch files, and refuses the rest.
//
// The package also knows which product includes a program; package prerequisites knows how to install it on a machine.
package program

import (
	"context"
	"os/exec"

	"github.com/agent-discover/agent-discover/backend/base/process"
)

// Command returns a command that starts a program with these arguments and this
// environment. The program is looked up as env.LookPath does; if it does not exist, the
// error is exec.ErrNotFound. Any other error is a *fault.Error that says why the
// program cannot be started with exactly these arguments, and what to do. The message
// contains no argument, because arguments may contain credentials.
//
// On Windows, the command has no console window. The functions of package process that
// prepare a command keep what Command has set.
func Command(ctx context.Context, env process.Env, name string, args ...string) (*exec.Cmd, error) {
	path := env.LookPath(name)
	if path == "" {
		return nil, &exec.Error{Name: name, Err: exec.ErrNotFound}
	}
	return command(ctx, env, path, args)
}
