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

// DetachInJob is the same as Detach, because only Windows has jobs.
func DetachInJob(cmd *exec.Cmd) { Detach(cmd) }

// Isolate makes a command start in its own process group, so that Terminate and
// Kill can end it together with its children. The group is a session of its own, so that the command cannot use the
// terminal of this process.
func Isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	dieWithParent(cmd.SysProcAttr)
}

// Adopt must be called after the start of an isolated command. On Unix it does
// nothing.
func Adopt(*exec.Cmd) error { return nil }

// Terminate asks the processes of an isolated command's group to end.
func Terminate(pid int) { _ = syscall.Kill(-pid, syscall.SIGTERM) }

// Kill ends the processes of an isolated command's group immediately.
func Kill(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

func terminateOne(pid int) error { return syscall.Kill(pid, syscall.SIGTERM) }

func killOne(pid int) error { return syscall.Kill(pid, syscall.SIGKILL) }
