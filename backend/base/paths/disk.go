package paths

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// probeSize is the free space in bytes below which a disk counts as full.
const probeSize = 64 << 10

// Reason returns why the system could not read or write a file, in words for
// users and without paths.
func Reason(err error) string {
	switch {
	case noSpace(err):
		return "no space left on the disk"
	case readOnly(err):
		return "the disk is read-only"
	case sharing(err):
		return "another program has the file open; close it and try again"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case TooManyOpen(err):
		return "too many files are open; raise the limit (ulimit -n) or close programs"
	case errors.Is(err, syscall.ENAMETOOLONG):
		return "the path is too long"
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// TooManyOpen reports whether err means that this process or the system has too many files open.
func TooManyOpen(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// Full reports whether the disk of a file has less than probeSize bytes free. It
// returns false if the free space is unknown.
func Full(file string) bool {
	free, err := freeSpace(filepath.Dir(file))
	return err == nil && free < probeSize
}

// probe writes a file of size bytes to a folder and removes it again.
func probe(dir string, size int) error {
	file, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = file.Write(make([]byte, size))
	return errors.Join(err, file.Close())
}
