package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// keptCopies is how many copies of a database are kept.
const keptCopies = 7

// copiesOf returns the folder for the copies of a database.
func copiesOf(file string) string { return filepath.Join(filepath.Dir(file), "backups", "database") }

// Copies returns the paths of the copies of a database, oldest first.
func Copies(file string) []string { return paths.Glob(copiesOf(file), "discover-*.db") }

// CopyDue reports whether the database should be copied: it has no copy, or its newest copy is at least a day old and
// the database has changed since that copy was made. Until there are keptCopies copies, an hour is enough, because a
// new user changes much on the first day.
func CopyDue(file string, now time.Time) bool {
	all := Copies(file)
	if len(all) == 0 {
		return true
	}
	newest, err := os.Stat(all[len(all)-1])
	age := 24 * time.Hour
	if len(all) < keptCopies {
		age = time.Hour
	}
	if err != nil || now.Sub(newest.ModTime()) < age {
		return err != nil
	}
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(file + suffix); err == nil && info.ModTime().After(newest.ModTime()) {
			return true
		}
	}
	return false
}

// Copy makes a consistent copy of a database, which may be in use, and removes all but the newest keptCopies copies.
// The copy contains no values of secrets, because the database has none.
func Copy(ctx context.Context, file string) (err error) {
	folder := copiesOf(file)
	if err := paths.MakeFolder(folder); err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not create the folder %s for copies of the database: %s",
			folder, paths.Reason(err))
	}
	into := filepath.Join(folder, "discover-"+time.Now().UTC().Format("20060102-150405.000")+".db")
	part := into + ".part"
	defer func() { _ = os.Remove(part) }()                                   // after success, the file does not exist
	empty, err := os.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600) // SQLite would make it readable by other users
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not create a copy of the database in %s: %s", folder, paths.Reason(err))
	}
	_ = empty.Close()
	db, err := open(file, "ro", 1, busyTimeout(lockWait))
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", part)
	if err := errors.Join(explain(file, err), db.Close()); err != nil {
		return err
	}
	if err := paths.Replace(part, into); err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not create a copy of the database in %s: %s", folder, paths.Reason(err))
	}
	all := Copies(file)
	for _, old := range all[:max(0, len(all)-keptCopies)] {
		_ = os.Remove(old) // the next Copy tries again
	}
	return nil
}
