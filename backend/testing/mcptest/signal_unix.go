//go:build unix

package mcptest

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// askSignals returns a channel that receives SIGUSR1, at which the server sends a
// request to its client outside of a call.
func askSignals() <-chan os.Signal {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	return asked
}

// ownSession makes a command start in its own session.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
