package setup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// copyPrefix is the beginning of the names of folders that contain a copy of a
// database.
const copyPrefix = "import-"

// suffixes are the endings of the files that make up a database: the database
// itself, its write-ahead log and its rollback journal.
var suffixes = []string{"", "-wal", "-journal"}

// removeCopies removes copies that were left when a process was killed during
// an import.
func removeCopies(folder string) error {
	entries, err := os.ReadDir(folder)
	errs := []error{err}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), copyPrefix) {
			errs = append(errs, os.RemoveAll(filepath.Join(folder, e.Name())))
		}
	}
	return errors.Join(errs...)
}

// copyDatabase copies the files of a database that another program may have
// open. A copy is needed because SQLite would create and change files beside
// the original. Other users cannot read the copy. The caller must call remove,
// because the copy contains the secrets of the database.
func copyDatabase(file, folder string) (copied string, remove func() error, err error) {
	if err := readable(file); err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp(folder, copyPrefix+"*")
	if err != nil {
		return "", nil, fault.Wrap(err, fault.Unavailable, "could not copy %s to the data folder: %s", file, paths.Reason(err))
	}
	remove = func() error { return os.RemoveAll(dir) }
	copied = filepath.Join(dir, "original.db")
	for range 3 { // retried if a program wrote to the database meanwhile
		before := fingerprint(file)
		if err = copyAll(file, copied); err != nil {
			break
		}
		if fingerprint(file) == before {
			return copied, remove, nil
		}
		err = fault.New(fault.Unavailable, "%s is being written to; stop the program that uses it and try again", file)
	}
	return "", nil, errors.Join(err, remove())
}

// readable returns a fault unless file is an existing regular file.
func readable(file string) error {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.NotFound, "there is no file %s", file)
	case err != nil:
		return cannotRead(file, err)
	case !info.Mode().IsRegular():
		return fault.New(fault.Invalid, "%s is not a regular file", file)
	}
	return nil
}

func cannotRead(file string, err error) error {
	return fault.Wrap(err, fault.Unavailable, "could not read %s; give yourself read access to it, or close the program that uses it", file)
}

// fingerprint returns a text that changes when one of the files of a database
// changes.
func fingerprint(file string) string {
	var all string
	for _, ending := range suffixes {
		if info, err := os.Stat(file + ending); err == nil {
			all += fmt.Sprintln(ending, info.Size(), info.ModTime().UnixNano())
		}
	}
	return all
}

// copyAll copies the files of a database.
func copyAll(file, to string) error {
	for _, ending := range suffixes {
		_ = os.Remove(to + ending) // from the previous attempt, if any
		err := copyFile(file+ending, to+ending)
		if err != nil && (ending == "" || !errors.Is(err, fs.ErrNotExist)) {
			return cannotRead(file, err)
		}
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := paths.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
