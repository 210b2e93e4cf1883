package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// Lost returns why the file of the database is no longer the one that is open: it was removed, moved or replaced. It
// returns nil if the file is the same.
func (s *Store) Lost() error { return s.found.Lost() }

// CloseRestored is like Close. If the file of the database was removed while it was open, CloseRestored writes the
// content of the database to a new file in its place, and restored is true. It never replaces another file.
func (s *Store) CloseRestored(ctx context.Context) (restored bool, err error) {
	if !s.found.Missing() {
		return false, s.Close()
	}
	file := s.db.write.file
	part := file + ".part"
	empty, err := os.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600) // SQLite would make it readable by other users
	if err == nil {
		_ = empty.Close()
		_, err = s.db.write.db.ExecContext(ctx, "VACUUM INTO ?", part)
	}
	defer func() { _ = os.Remove(part) }() // after success, the file does not exist
	if err := errors.Join(err, s.Close()); err != nil {
		return false, fault.Wrap(err, fault.Unavailable, "could not restore %s, which was removed: %s", file, paths.Reason(err))
	}
	for _, suffix := range []string{"-wal", "-shm"} { // they belong to the removed file, and SQLite would apply them to the new one
		if err := os.Remove(file + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, fmt.Errorf("restore store: %w", err)
		}
	}
	if !s.found.Missing() {
		return false, nil // another program has created it meanwhile
	}
	return true, paths.Replace(part, file)
}
