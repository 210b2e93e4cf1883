//go:build !unix

package mcptest

import "os"

// askSignals returns no channel, because SIGUSR1 exists only on Unix.
func askSignals() <-chan os.Signal { return nil }
