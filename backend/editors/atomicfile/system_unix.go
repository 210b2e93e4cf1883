//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"
)

// permits reports whether a file's mode lets us write it. Root counts as the
// owner of everything: what an owner has closed is not to be written.
func permits(info fs.FileInfo) bool {
	write := fs.FileMode(0o002)
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		groups, _ := os.Getgroups()
		switch user := os.Geteuid(); {
		case user == 0 || user == int(stat.Uid):
			write = 0o200
		case os.Getegid() == int(stat.Gid) || slices.Contains(groups, int(stat.Gid)):
			write = 0o020
		}
	}
	return info.Mode()&write != 0
}

// ofAnother reports whether a file has an owner whom we could not give it back.
func ofAnother(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && os.Geteuid() != 0 && os.Geteuid() != int(stat.Uid)
}

// names counts the hard links of a file.
func names(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 1
}

// number is that of a file on its disk.
func number(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ino
	}
	return 0
}

// keepOwner gives a new file the owner of the old one; for root, where there is
// none, that of its folder. A group that we are not in cannot be kept.
func keepOwner(f *os.File, old fs.FileInfo, folder string) error {
	if old == nil {
		if os.Geteuid() != 0 {
			return nil
		}
		var err error
		if old, err = os.Stat(folder); err != nil {
			return err
		}
	}
	stat, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	err := f.Chown(int(stat.Uid), int(stat.Gid))
	if os.Geteuid() != 0 && errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// giveFolder gives a folder that root made the owner of the one around it.
func giveFolder(folder string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(folder + "/..")
	if err != nil {
		return err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return os.Chown(folder, int(stat.Uid), int(stat.Gid))
	}
	return nil
}

// inUse is false: a file that is open can be replaced.
func inUse(error) bool { return false }

func (d Disk) syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.sync(f), f.Close())
}
