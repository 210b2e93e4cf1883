//go:build unix

package process

import "os/exec"

// DetachedStarts returns the ways to start a command that outlives this process
// and its terminal, the best first.
func DetachedStarts() []DetachedStart {
	return []DetachedStart{{"in a session of its own", func(cmd *exec.Cmd) error {
		Detach(cmd)
		return cmd.Start()
	}}}
}

// LeaveConsole does nothing, because only Windows opens consoles for programs.
func LeaveConsole() {}
