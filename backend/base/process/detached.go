package process

import "os/exec"

// DetachedStart is one way to start a command that outlives this process.
type DetachedStart struct {
	Name string
	// Start prepares a command that has not been started, and starts it. After an
	// error the command cannot be used again.
	Start func(*exec.Cmd) error
}
