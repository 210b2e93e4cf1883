// Package store implements the Store interfaces of the other packages in one SQLite database, to which only the hub
// writes. It contains no rules of its own: each package declares the interface that it needs, and one file of this
// package implements it.
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
	"runtime"
	"strings"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/agent-discover/agent-discover/backend/base/paths"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Store is an open database, with one field for each kind of data. All methods of the fields are safe for concurrent
// use.
type Store struct {
	db    *database
	found paths.Found // the file that is open

	Answers       *Answers
	Audit         *Audit
	Calls         *Calls
	Clients       *Clients
	Credentials   *Credentials
	Features      *Features
	Installs      *Installs
	Learning      *Learning
	Mirror        *Mirror
	Personas      *Personas
	Presets       *Presets
	Probes        *Probes
	Renames       *Renames
	Secrets       *Secrets
	Servers       *Servers
	SessionTools  *SessionTools
	Slugs         *Slugs
	ToolApprovals *ToolApprovals
	Tools         *Tools
	Toolsets      *Toolsets
	Trust         *Trust

	ToolVectors   *Vectors // of the tools in the catalog
	MirrorVectors *Vectors // of the entries in the copy of the registry
}

func newStore(db *database) *Store {
	return &Store{
		db:            db,
		Answers:       &Answers{db},
		Audit:         &Audit{db},
		Calls:         &Calls{db},
		Clients:       &Clients{db},
		Credentials:   &Credentials{db},
		Features:      &Features{db},
		Installs:      &Installs{db},
		Learning:      &Learning{db},
		Mirror:        &Mirror{db},
		Personas:      &Personas{db},
		Presets:       &Presets{db},
		Probes:        &Probes{db},
		Renames:       &Renames{db},
		Secrets:       &Secrets{db},
		Servers:       &Servers{db},
		SessionTools:  &SessionTools{db},
		Slugs:         &Slugs{db},
		ToolApprovals: &ToolApprovals{db},
		Tools:         &Tools{db},
		Toolsets:      &Toolsets{db},
		Trust:         &Trust{db},

		ToolVectors: &Vectors{db, "vectors", "tools"}, MirrorVectors: &Vectors{db, "mirror_vectors", "mirror"},
	}
}

// database is the connection to the file. Its methods are safe for concurrent use.
type database struct {
	write writer
	read  reader
}

// Open opens a database file, creates it if it does not exist, and migrates its schema. If the file is damaged or its
// schema is newer than this program, Open does not change it and returns a fault with advice.
func Open(ctx context.Context, file string) (*Store, error) { return openAfter(ctx, file, Copy) }

// openAfter is like Open, except that the function that it calls when the schema is about to change is before, not
// Copy.
func openAfter(ctx context.Context, file string, before func(ctx context.Context, file string) error) (*Store, error) {
	if err := registerHolds(); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	// Create the file here, because SQLite would make it readable by other
	// users. The files that SQLite creates beside the database get the mode of
	// the database.
	created, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, explainOpen(file, err)
	}
	_ = created.Close()
	version, err := verify(ctx, file, false)
	if err != nil {
		return nil, explainOpen(file, err)
	}
	if version > 0 && version < newest() {
		if err := before(ctx, file); err != nil {
			return nil, fmt.Errorf("copy the database before its schema changes: %w", err)
		}
	}
	db := &database{write: writer{file: file, wait: lockWait}, read: reader{file: file}}
	db.write.db, err = open(file, "rwc", 1,
		append(flushing(runtime.GOOS), busyTimeout(lockTry), "journal_mode(WAL)", "synchronous(FULL)", "secure_delete(1)")...)
	if err != nil {
		return nil, err
	}
	if db.read.db, err = open(file, "ro", 2, busyTimeout(lockWait), "journal_mode(WAL)"); err != nil {
		return nil, errors.Join(err, db.write.db.Close())
	}
	if err := db.write.patiently(ctx, func() error { return db.migrate(ctx) }); err != nil {
		return nil, errors.Join(explainOpen(file, err), db.close())
	}
	s := newStore(db)
	s.found = paths.Find(file)
	return s, nil
}

// open returns a connection pool, which connects when it is first used. The cache is small, because other packages
// keep their data in memory. Open adds pragmas: with WAL, readers can continue during a write; with synchronous FULL,
// a committed transaction survives a power failure; with secure_delete, deleted data is overwritten.
func open(file, mode string, connections int, pragmas ...string) (*sql.DB, error) {
	query := url.Values{"mode": {mode}, "_txlock": {"immediate"}, "_pragma": append([]string{
		"foreign_keys(1)", "cache_size(-1024)", "temp_store(MEMORY)",
	}, pragmas...)}
	// Use a URI, because it can escape ? and # in the path.
	uri := url.URL{Scheme: "file", OmitHost: true, Path: toSlash(file), RawQuery: query.Encode()}
	db, err := sql.Open("sqlite", uri.String())
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	db.SetMaxOpenConns(connections)
	return db, nil
}

// flushing returns the pragmas that make a sync of SQLite reach the disk. On macOS, a plain sync only reaches the
// cache of the disk, whose content is lost in a power failure.
func flushing(system string) []string {
	if system == "darwin" {
		return []string{"fullfsync(1)", "checkpoint_fullfsync(1)"}
	}
	return nil
}

// busyTimeout returns the pragma that sets how long SQLite waits for a lock.
func busyTimeout(d time.Duration) string { return fmt.Sprintf("busy_timeout(%d)", d.Milliseconds()) }

// toSlash returns a path with slashes, as file URIs require on Windows.
func toSlash(file string) string {
	file = strings.ReplaceAll(file, `\`, "/")
	if len(file) > 1 && file[1] == ':' {
		file = "/" + file
	}
	return file
}

func (d *database) migrate(ctx context.Context) error {
	provider, err := provide(d.write.db)
	if err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate store: %w", err)
	}
	return nil
}

// provide returns a provider of the migrations for a database.
func provide(db *sql.DB) (*goose.Provider, error) {
	dir, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, dir)
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	return provider, nil
}

// Close closes the database. SQLite then merges the write-ahead log into the
// database file.
func (s *Store) Close() error { return s.db.close() }

func (d *database) close() error { return errors.Join(d.read.db.Close(), d.write.db.Close()) }

// scrub empties the write-ahead log, which may contain data that was deleted or overwritten in the database file.
func (d *database) scrub(ctx context.Context) error {
	if err := d.execute(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		return fmt.Errorf("scrub store: %w", err)
	}
	return nil
}

// compact rewrites the database file without unused pages. Such pages may contain deleted data, because older
// versions of this program did not overwrite it. compact also removes the copies of the database, which may contain
// the same data.
func (d *database) compact(ctx context.Context) error {
	if err := d.execute(ctx, "VACUUM"); err != nil {
		return fmt.Errorf("compact store: %w", err)
	}
	for _, old := range Copies(d.write.file) {
		if err := os.Remove(old); err != nil {
			return fmt.Errorf("remove a copy of the store: %w", err)
		}
	}
	return d.scrub(ctx)
}

const (
	minFree = 16 << 20  // bytes that must be unused before shrink rewrites the file
	maxLive = 256 << 20 // bytes in use above which shrink does nothing, because a rewrite holds them in memory
)

// shrink rewrites the database file without its unused pages if they are more than half of it.
func (d *database) shrink(ctx context.Context) error {
	var free, pages, size int64
	err := d.read.QueryRowContext(ctx, "SELECT freelist_count, page_count, page_size FROM pragma_freelist_count, pragma_page_count, "+
		"pragma_page_size").Scan(&free, &pages, &size)
	if err != nil {
		return fmt.Errorf("shrink store: %w", err)
	}
	if free*size < minFree || free <= pages/2 || (pages-free)*size > maxLive {
		return nil
	}
	if err := d.execute(ctx, "VACUUM"); err != nil {
		return fmt.Errorf("shrink store: %w", err)
	}
	return d.scrub(ctx) // the new file is in the write-ahead log until then
}

// execute runs a statement that must not be part of a transaction.
func (d *database) execute(ctx context.Context, statement string) error {
	return d.write.patiently(ctx, func() error {
		_, err := d.write.db.ExecContext(ctx, statement)
		return err
	})
}

// change runs work in a transaction and commits it if work returns no error.
func (d *database) change(ctx context.Context, work func(*sql.Tx) error) error {
	return d.write.change(ctx, work)
}
