package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// damage is a description of damage in a database.
type damage string

func (d damage) Error() string { return string(d) }

// Damaged reports whether err means that a file is damaged or is not a
// database.
func Damaged(err error) bool {
	if _, found := errors.AsType[damage](err); found {
		return true
	}
	code := codeOf(err)
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

// locked reports whether err means that another program holds a lock.
func locked(err error) bool {
	code := codeOf(err)
	return code == sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_LOCKED || code == sqlite3.SQLITE_PROTOCOL
}

// codeOf returns the SQLite result code of an error, and 0 for other errors.
func codeOf(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return sqlite3.SQLITE_OK
}

// explain turns an error of SQLite into a fault that says what the user can do. It returns other errors, and faults,
// unchanged.
func explain(file string, err error) error {
	if _, done := errors.AsType[*fault.Error](err); done || err == nil {
		return err
	}
	if newer, found := errors.AsType[Newer](err); found {
		advice := "Install the newer version"
		if len(Copies(file)) > 0 {
			advice += ", or restore a copy from " + copiesOf(file)
		}
		return fault.Wrap(newer, fault.Unavailable,
			"this data was written by a newer version of Agent Discover (schema %d, this program knows %d); nothing was changed. %s",
			newer.Version, newest(), advice)
	}
	switch code := codeOf(err); {
	case Damaged(err):
		return fault.Wrap(err, fault.Failed,
			"the database %s is damaged; nothing was changed. To save what can still be read, stop the hub and run: agent-discover "+
				"doctor --repair", file)
	case locked(err):
		return fault.Wrap(err, fault.Unavailable,
			"the database %s is in use by another program, which has locked it%s; close that program and try again", file, lockHolder(file))
	case code == sqlite3.SQLITE_FULL:
		return fault.Wrap(err, fault.Unavailable,
			"no space left for the database %s; nothing was changed. Free space on its disk and try again", file)
	case code == sqlite3.SQLITE_IOERR && paths.Full(file):
		return fault.Wrap(err, fault.Unavailable, "no space left for the database %s; free space on its disk and try again", file)
	case code == sqlite3.SQLITE_IOERR:
		return fault.Wrap(err, fault.Unavailable,
			"the disk of the database %s reports an error or its limit is reached; check the disk and your quota, and try again", file)
	case code == sqlite3.SQLITE_PERM, code == sqlite3.SQLITE_READONLY, code == sqlite3.SQLITE_CANTOPEN:
		return inaccessible(file, err)
	}
	return err
}

// longestPath is the length that SQLite allows for the path of a database, so that its journal can be beside it.
const longestPath = 512 - len("-journal")

// filesAtOnce is how many files SQLite opens, at most, to use a database with all its connections.
const filesAtOnce = 16

// inaccessible returns a fault with the reason why SQLite could not open a database. SQLite does not report the system's
// error, so inaccessible opens the file itself, and then looks whether it could open as many files as SQLite.
func inaccessible(file string, err error) error {
	if len(file) > longestPath {
		return fault.Wrap(err, fault.Unavailable,
			"the path of the database %s is too long; set AGENT_DISCOVER_HOME to a folder with a path below %d bytes", file, longestPath-20)
	}
	opened, reason := os.OpenFile(file, os.O_RDWR, 0)
	if reason == nil {
		_ = opened.Close()
	}
	if reason == nil || errors.Is(reason, fs.ErrNotExist) {
		reason = exhausted(filepath.Dir(file))
	}
	if reason == nil || errors.Is(reason, fs.ErrPermission) || errors.Is(reason, fs.ErrNotExist) {
		return fault.Wrap(err, fault.Unavailable,
			"the database %s is not accessible; give yourself read and write access to it and its folder", file)
	}
	return fault.Wrap(err, fault.Unavailable, "the database %s is not accessible: %s", file, paths.Reason(reason))
}

// exhausted returns the system's error if this process cannot open filesAtOnce more files. It opens a folder that often.
func exhausted(folder string) error {
	var opened []*os.File
	defer func() {
		for _, f := range opened {
			_ = f.Close()
		}
	}()
	for range filesAtOnce {
		f, err := os.Open(folder)
		if err != nil {
			if paths.TooManyOpen(err) {
				return err
			}
			return nil
		}
		opened = append(opened, f)
	}
	return nil
}

// explainOpen is explain for errors of opening a database. Its result is always a fault.
func explainOpen(file string, err error) error {
	switch explained := explain(file, err); {
	case fault.KindOf(explained) != fault.Internal:
		return explained
	case errors.Is(err, fs.ErrPermission):
		return inaccessible(file, err)
	}
	return fault.Wrap(err, fault.Unavailable, "could not open the database %s: %s", file, paths.Reason(err))
}
