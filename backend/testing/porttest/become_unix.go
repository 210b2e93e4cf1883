//go:build unix

package porttest

import (
	"strconv"
	"syscall"
)

// become changes the user of this process. It does nothing if user is "".
func become(user string) error {
	if user == "" {
		return nil
	}
	id, err := strconv.Atoi(user)
	if err != nil {
		return err
	}
	return syscall.Setuid(id)
}
