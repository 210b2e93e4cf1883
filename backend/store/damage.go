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

// loads reads everything that the hub reads when it starts.
func loads(ctx context.Context, file string, db *sql.DB) error {
	if version, err := verify(ctx, file, false); err != nil || version != Newest() {
		return err // an older schema is migrated first
	}
	s := &Store{read: reader{db: db, file: file}}
	if _, err := s.Servers(ctx); err != nil {
		return unloadable(err)
	}
	for _, table := range slices.Sorted(maps.Keys(loaders)) {
		if err := loaders[table](ctx, s); err != nil {
			return unloadable(err)
		}
	}
	return nil
}

// unloadable returns the error of a value that the hub does not understand.
func unloadable(err error) error {
	if codeOf(err) == sqlite3.SQLITE_OK || codeOf(err) == sqlite3.SQLITE_ERROR {
		return damage(err.Error())
	}
	return err
}

// loaders read the tables, besides servers, that the hub reads when it starts.
var loaders = map[string]func(context.Context, *Store) error{
	"tools":           loader((*Store).Tools),
	"listings":        loader((*Store).Listings),
	"slugs":           loader((*Store).Slugs),
	"metrics":         loader((*Store).Tallies),
	"learned":         loader((*Store).Learned),
	"learning_switch": loader((*Store).Learned),
	"clients":         loader((*Store).Clients),
	"secret_links":    loader((*Store).SecretLinks),
	"answers":         loader((*Store).Answers),
	"secrets": func(ctx context.Context, s *Store) error {
		_, err := s.Secrets(ctx, "")
		return err
	},
	"presets": func(ctx context.Context, s *Store) error {
		_, err := s.Presets(ctx, inspector.PresetFilter{})
		return err
	},
}

func loader[T any](read func(*Store, context.Context) (T, error)) func(context.Context, *Store) error {
	return func(ctx context.Context, s *Store) error {
		_, err := read(s, ctx)
		return err
	}
}
