package atomicfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// permits reports whether a file lacks the mark read-only; on folders it means
// something else.
func permits(info fs.FileInfo) bool { return info.IsDir() || info.Mode()&0o200 != 0 }

// ofAnother is false: a new file takes its permissions from its folder.
func ofAnother(fs.FileInfo) bool { return false }

func names(fs.FileInfo) uint64 { return 1 }

func number(fs.FileInfo) uint64 { return 0 }

func keepOwner(*os.File, fs.FileInfo, string) error { return nil }

func giveFolder(string) error { return nil }

// inUse reports whether a program has the file open in a way that forbids what
// was tried; that one is about to close it looks like a missing permission.
func inUse(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_LOCK_VIOLATION) ||
		errors.Is(err, windows.ERROR_ACCESS_DENIED)
}

// syncFolder does nothing: a folder cannot be flushed there, and a rename is in
// the system's journal.
func (d Disk) syncFolder(string) error { return nil }
