//go:build !windows

package cli

import (
	"io"
	"os"
)

// openTerminal opens the terminal that controls this process. It fails if there
// is none.
func openTerminal() (io.ReadWriteCloser, error) { return os.OpenFile("/dev/tty", os.O_RDWR, 0) }
