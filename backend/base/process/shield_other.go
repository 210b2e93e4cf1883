//go:build !linux

package process

import "os/exec"

// StartShielded starts a command. Only Linux has programs that need more.
func StartShielded(cmd *exec.Cmd) error { return cmd.Start() }
