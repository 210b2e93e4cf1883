//go:build unix

package paths

import (
	"errors"
	"syscall"
)

func noSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

func readOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

// freeSpace returns how many bytes this user may still write to the disk of a
// folder.
func freeSpace(dir string) (uint64, error) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return 0, err
	}
	return uint64(stat.Bavail) * uint64(stat.Bsize), nil
}
