//go:build unix

package paths

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// makePrivate creates a folder to which other users have no access, and its
// parents. A folder that exists is kept as it is.
func makePrivate(dir string) error { return os.MkdirAll(dir, 0o700) }

// tighten removes the access of other users to a folder, unless the folder belongs
// to another user or is shared.
func tighten(dir string) error {
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm()&0o077 == 0 || !mayTighten(info) {
		return err
	}
	if err := os.Chmod(dir, 0o700); err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

// mayTighten reports whether tighten may change the permissions of a folder: this
// user owns it, and it is not shared like /tmp.
func mayTighten(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid() && info.Mode()&fs.ModeSticky == 0
}
