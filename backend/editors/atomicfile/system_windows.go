package atomicfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// writable reports whether a file lacks the read-only attribute, which has
// another meaning for folders.
func writable(info fs.FileInfo) bool { return info.IsDir() || info.Mode()&0o200 != 0 }

// ownedByOther returns false: a new file takes its permissions from its folder.
func ownedByOther(fs.FileInfo) bool { return false }

func hardLinks(fs.FileInfo) uint64 { return 1 }

func inode(fs.FileInfo) uint64 { return 0 }

func keepOwner(*os.File, fs.FileInfo, string) error { return nil }

func inheritOwner(string) error { return nil }

// inUse reports whether an operation failed because a program has the file
// open. Access to a deleted file that is still open also fails with
// ERROR_ACCESS_DENIED.
func inUse(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_LOCK_VIOLATION) ||
		errors.Is(err, windows.ERROR_ACCESS_DENIED)
}

// syncFolder does nothing: Windows cannot flush a folder, and NTFS journals a
// rename.
func (d Disk) syncFolder(string) error { return nil }
