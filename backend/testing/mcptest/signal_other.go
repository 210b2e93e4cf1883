//go:build !unix

package mcptest

import (
	"os"
	"os/exec"
)

// askSignals returns no channel, because SIGUSR1 exists only on Unix.
func askSignals() <-chan os.Signal { return nil }

func ownSession(*exec.Cmd) {}
