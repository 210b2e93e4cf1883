package atomicfile

import (
	"errors"
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// exchangeFiles atomically exchanges two files. It returns errors.ErrUnsupported if the system
// cannot.
func exchangeFiles(a, b string) error {
	err := unix.RenamexNp(a, b, unix.RENAME_SWAP)
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EINVAL) { // unsupported by this file system
		return errors.ErrUnsupported
	}
	return err
}

// statusTime returns the inode change time (ctime) in nanoseconds since the Unix epoch.
func statusTime(info fs.FileInfo) int64 {
	if info == nil {
		return 0
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ctimespec.Nano()
	}
	return 0
}
