// Package store answers where the nouns are kept: one SQLite file, opened by
// the hub alone. It holds no rules; each noun declares what it needs, and one
// file here serves each noun.
package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Store is an open database. All methods are safe for concurrent use.
type Store struct {
	write *sql.DB // one connection: SQLite has one writer
	read  *sql.DB
}

// Open opens the file, creates it when it is missing, and brings its schema up
// to date. A file that SQLite cannot read is a fault with advice; it is left
// as it is.
func Open(ctx context.Context, file string) (*Store, error) {
	if err := registerHolds(); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	// SQLite would make the file, and those beside it, readable by others.
	created, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, explain(file, err)
	}
	_ = created.Close()
	s := &Store{}
	if s.write, err = open(file, "rwc", 1, "busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "secure_delete(1)"); err != nil {
		return nil, err
	}
	if s.read, err = open(file, "ro", 2, "busy_timeout(10000)", "journal_mode(WAL)"); err != nil {
		return nil, errors.Join(err, s.write.Close())
	}
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(explain(file, err), s.Close())
	}
	return s, nil
}

// open prepares a pool. WAL lets readers go on while a batch is written; FULL
// makes an acknowledged write survive a loss of power too; a small cache is
// enough because the nouns live in memory; what is deleted is overwritten.
func open(file, mode string, connections int, pragmas ...string) (*sql.DB, error) {
	query := url.Values{"mode": {mode}, "_txlock": {"immediate"}, "_pragma": append([]string{
		"foreign_keys(1)", "cache_size(-1024)", "temp_store(MEMORY)",
	}, pragmas...)}
	// A path may hold ? or #; the URI form escapes them.
	uri := url.URL{Scheme: "file", OmitHost: true, Path: toSlash(file), RawQuery: query.Encode()}
	db, err := sql.Open("sqlite", uri.String())
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	db.SetMaxOpenConns(connections)
	return db, nil
}

func toSlash(file string) string {
	file = strings.ReplaceAll(file, `\`, "/")
	if len(file) > 1 && file[1] == ':' {
		file = "/" + file
	}
	return file
}

func (s *Store) migrate(ctx context.Context) error {
	dir, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, s.write, dir)
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate store: %w", err)
	}
	return nil
}

// Close writes what is pending and closes the file.
func (s *Store) Close() error { return errors.Join(s.read.Close(), s.write.Close()) }

// Scrub implements registry.Store: what was overwritten or deleted leaves the
// write-ahead log, too.
func (s *Store) Scrub(ctx context.Context) error {
	if _, err := s.write.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		return fmt.Errorf("scrub store: %w", err)
	}
	return nil
}

// Compact implements registry.Store: it writes the file anew without the pages
// that nothing uses. An older version of this program did not overwrite what was
// in them.
func (s *Store) Compact(ctx context.Context) error {
	if _, err := s.write.ExecContext(ctx, "VACUUM"); err != nil {
		return fmt.Errorf("compact store: %w", err)
	}
	return s.Scrub(ctx)
}

// change runs work in one transaction on the writer.
func (s *Store) change(ctx context.Context, work func(*sql.Tx) error) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	if err := work(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}
