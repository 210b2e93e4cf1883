//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"
)

// writable reports whether the mode of a file lets this process write it. Root
// is treated as the owner, so that it does not write a file that its owner has
// made read-only.
func writable(info fs.FileInfo) bool {
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

// ownedByOther reports whether the file belongs to another user and this process is not root. Such a process cannot
// give the new file to that user.
func ownedByOther(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && os.Geteuid() != 0 && os.Geteuid() != int(stat.Uid)
}

func hardLinks(_ string, info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 1
}

func inode(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ino
	}
	return 0
}

// keepOwner gives a new file the owner and group of the old file. Without an
// old file, a file that root writes gets the owner of its folder. A group that
// the user is not in is not kept.
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

// inheritOwner gives a folder that root created the owner of its parent.
func inheritOwner(folder string) error {
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

func (d Disk) syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.sync(f), f.Close())
}
