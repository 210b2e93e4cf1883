package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

const (
	// lockWait is how long a read or write waits for a lock that another
	// program holds.
	lockWait = 5 * time.Second
	// lockTry is how long one attempt to write occupies the only connection for writing. Between its attempts, a
	// write releases the connection to other writes. So while a lock is held, each write fails lockWait after it
	// began, no matter how many writes are waiting.
	lockTry = 100 * time.Millisecond
)

// reader reads the database. It passes its errors through explain.
type reader struct {
	db   *sql.DB
	file string
}

func (r reader) QueryContext(ctx context.Context, query string, args ...any) (*rows, error) {
	found, err := r.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, explain(r.file, err)
	}
	return &rows{found, r.file}, nil
}

func (r reader) QueryRowContext(ctx context.Context, query string, args ...any) row {
	return row{r.db.QueryRowContext(ctx, query, args...), r.file}
}

type rows struct {
	*sql.Rows
	file string
}

func (r *rows) Scan(into ...any) error { return explain(r.file, r.Rows.Scan(into...)) }

func (r *rows) Err() error { return explain(r.file, r.Rows.Err()) }

type row struct {
	row  *sql.Row
	file string
}

func (r row) Scan(into ...any) error { return explain(r.file, r.row.Scan(into...)) }

// writer changes the database. It passes its errors through explain.
type writer struct {
	db   *sql.DB // one connection, because SQLite allows one writer at a time
	file string
	wait time.Duration // lockWait, or 0 for a single attempt
}

// impatient returns a writer that makes only one attempt to get a lock.
func (w writer) impatient() writer {
	w.wait = 0
	return w
}

// change runs work in a transaction and commits it if work returns no error.
func (w writer) change(ctx context.Context, work func(*sql.Tx) error) error {
	var tx *sql.Tx
	err := w.patiently(ctx, func() (err error) {
		tx, err = w.db.BeginTx(ctx, nil)
		return err
	})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	if err := work(tx); err != nil {
		return explain(w.file, err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", explain(w.file, err))
	}
	return nil
}

// ExecContext runs one statement in a transaction.
func (w writer) ExecContext(ctx context.Context, statement string, args ...any) (result sql.Result, err error) {
	err = w.change(ctx, func(tx *sql.Tx) error {
		result, err = tx.ExecContext(ctx, statement, args...)
		return err
	})
	return result, err
}

// patiently repeats work while another program holds the lock that work needs, for at most w.wait.
func (w writer) patiently(ctx context.Context, work func() error) error {
	end := time.Now().Add(w.wait)
	for {
		err := work()
		if !locked(err) || !time.Now().Before(end) {
			return explain(w.file, err)
		}
		select {
		case <-time.After(lockTry / 10):
		case <-ctx.Done():
			return errors.Join(explain(w.file, err), context.Cause(ctx))
		}
	}
}
