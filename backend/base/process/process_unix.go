//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// Detach makes a command outlive this process and its terminal.
func Detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// DetachInJob is Detach: there are no jobs here that end what is in them.
func DetachInJob(cmd *exec.Cmd) { Detach(cmd) }

// Isolate puts a command that is about to start in a group of its own, so
// that it can be ended with all that it starts.
func Isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}

// Adopt is called after the start of an isolated command.
func Adopt(*exec.Cmd) error { return nil }

// Terminate asks the group of an isolated command to end.
func Terminate(pid int) { _ = syscall.Kill(-pid, syscall.SIGTERM) }

// Kill ends the group of an isolated command at once.
func Kill(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
