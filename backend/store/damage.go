package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/agent-discover/agent-discover/backend/calls/inspector"
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
	if _, err := verify(ctx, file, true); err != nil {
		return errors.Join(explainOpen(file, err), db.Close())
	}
	var verdict string
	err = db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict)
	if err == nil && verdict != "ok" {
		err = damage(verdict)
	}
	if err == nil {
		err = loads(ctx, file, db)
	}
	if err != nil {
		err = explainOpen(file, err)
	}
	return errors.Join(err, db.Close())
}

// loads reads the tables that the hub reads when it starts, in the same way as the hub, and returns the first error.
func loads(ctx context.Context, file string, db *sql.DB) error {
	if version, err := verify(ctx, file, false); err != nil || version != newest() {
		return err // an older schema is migrated first
	}
	s := newStore(&database{read: reader{db: db, file: file}})
	if _, err := s.Servers.Servers(ctx); err != nil {
		return unloadable(err)
	}
	loaders := s.loaders()
	for _, table := range slices.Sorted(maps.Keys(loaders)) {
		if err := loaders[table](ctx); err != nil {
			return unloadable(err)
		}
	}
	return nil
}

// unloadable marks an error as damage if it is about a stored value that the hub cannot decode.
func unloadable(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if codeOf(err) == sqlite3.SQLITE_OK || codeOf(err) == sqlite3.SQLITE_ERROR {
		return damage(err.Error())
	}
	return err
}

// loaders returns functions that read the tables that the hub reads when it starts, except for the table
// servers. The keys are the names of the tables.
func (s *Store) loaders() map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"tools":           loader(s.Tools.Tools),
		"listings":        loader(s.Features.Features),
		"slugs":           loader(s.Slugs.Slugs),
		"metrics":         loader(s.Calls.Tallies),
		"learned":         loader(s.Learning.Learned),
		"learning_switch": loader(s.Learning.Learned),
		"clients":         loader(s.Clients.Clients),
		"secret_links":    loader(s.Secrets.SecretLinks),
		"answers":         loader(s.Answers.Answers),
		"secrets": func(ctx context.Context) error {
			_, err := s.Secrets.Secrets(ctx, "")
			return err
		},
		"presets": func(ctx context.Context) error {
			_, err := s.Presets.Presets(ctx, inspector.PresetFilter{})
			return err
		},
	}
}

func loader[T any](read func(context.Context) (T, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := read(ctx)
		return err
	}
}
