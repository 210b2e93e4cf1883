//go:build unix

package mcptest

import (
	"os"
	"os/signal"
	"syscall"
)

// askSignals delivers the signal at which the server asks its client something
// outside of any call.
func askSignals() <-chan os.Signal {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	return asked
}
