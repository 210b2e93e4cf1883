package store

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Inspect checks a whole database file. If the file is damaged or cannot be
// read, it returns a fault with advice. It changes nothing and may be used
// while a hub is running. A missing file is not an error.
func Inspect(ctx context.Context, file string) error {
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	db, err := open(file, "ro", 1, "busy_timeout(1000)")
	if err != nil {
		return err
	}
	var verdict string
	err = db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict)
	if err == nil && verdict != "ok" {
		err = damage(verdict)
	}
	if err != nil {
		err = explain(file, err)
	}
	return errors.Join(err, db.Close())
}

// damage is an error that SQLite's check of a database reported.
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

// codeOf returns the SQLite result code of an error, and 0 for other errors.
func codeOf(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return sqlite3.SQLITE_OK
}

// explain turns an error of opening or reading a database into a fault with
// advice.
func explain(file string, err error) error {
	if Damaged(err) {
		return fault.Wrap(err, fault.Failed, "the database %s is damaged; nothing was changed. To set it aside and begin with an empty one: agent-discover doctor --repair", file)
	}
	switch code := codeOf(err); {
	case code == sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_LOCKED:
		return fault.Wrap(err, fault.Unavailable, "the database %s is in use by another program; close that program and try again", file)
	case code == sqlite3.SQLITE_FULL:
		return fault.Wrap(err, fault.Unavailable, "the disk is full: the database %s cannot grow; make room and try again", file)
	case errors.Is(err, fs.ErrPermission) || code == sqlite3.SQLITE_PERM || code == sqlite3.SQLITE_READONLY:
		return fault.Wrap(err, fault.Unavailable, "the database %s is not accessible; give yourself read and write access to it and its folder", file)
	}
	return fault.Wrap(err, fault.Unavailable, "could not open the database %s; is the disk full or the file locked by another program?", file)
}
