//go:build !unix

package mcptest

import "os"

// askSignals delivers nothing: there is no such signal here.
func askSignals() <-chan os.Signal { return nil }
