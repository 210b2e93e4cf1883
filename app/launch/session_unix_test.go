//go:build unix

package launch

import (
	"os"

	"golang.org/x/sys/unix"
)

// session returns the session id of this process.
func session() int {
	id, err := unix.Getsid(os.Getpid())
	if err != nil {
		return -1
	}
	return id
}
