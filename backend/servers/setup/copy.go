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
)

// copies begins the names of the folders in which a copy lies while it is read.
const copies = "import-"

// beside are the endings of files that belong to a database: what a program
// has written and not yet put into the database itself.
var beside = []string{"", "-wal", "-journal"}

// forgetCopies removes what an import that was killed has left.
func forgetCopies(folder string) error {
	entries, err := os.ReadDir(folder)
	errs := []error{err}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), copies) {
			errs = append(errs, os.RemoveAll(filepath.Join(folder, e.Name())))
		}
	}
	return errors.Join(errs...)
}

// copyDatabase copies a database that another program may have open, without a
// trace there: SQLite itself would make files beside it, and change them. The
// caller removes the copy, which is closed to other users and holds whatever
// secrets the database holds.
func copyDatabase(file, folder string) (copied string, remove func() error, err error) {
	if err := readable(file); err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp(folder, copies+"*")
	if err != nil {
		return "", nil, fault.Wrap(err, fault.Unavailable, "the data folder takes no copy of %s; is the disk full?", file)
	}
	remove = func() error { return os.RemoveAll(dir) }
	copied = filepath.Join(dir, "original.db")
	for range 3 { // a program that writes all the time is waited for by a person
		before := marks(file)
		if err = copyAll(file, copied); err != nil {
			break
		}
		if marks(file) == before {
			return copied, remove, nil
		}
		err = fault.New(fault.Unavailable, "%s is being written to; stop the program that uses it and try again", file)
	}
	return "", nil, errors.Join(err, remove())
}

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
	return fault.Wrap(err, fault.Unavailable, "%s cannot be read; give yourself read access to it, or close the program that holds it", file)
}

// marks tells two states of a database from each other.
func marks(file string) string {
	var all string
	for _, ending := range beside {
		if info, err := os.Stat(file + ending); err == nil {
			all += fmt.Sprintln(ending, info.Size(), info.ModTime().UnixNano())
		}
	}
	return all
}

func copyAll(file, to string) error {
	for _, ending := range beside {
		_ = os.Remove(to + ending) // of the attempt before
		err := copyFile(file+ending, to+ending)
		if err != nil && (ending == "" || !errors.Is(err, fs.ErrNotExist)) {
			return cannotRead(file, err)
		}
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
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
