package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/journal"
)

// AppendRecords implements journal.Store.
func (s *Store) AppendRecords(ctx context.Context, records []journal.Record) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		insert, err := tx.PrepareContext(ctx, `INSERT INTO calls
			(at, kind, client, session, server, tool, args, response, outcome, latency)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
		if err != nil {
			return fmt.Errorf("append calls: %w", err)
		}
		defer func() { _ = insert.Close() }()
		// The driver starts a goroutine for each statement that can be
		// cancelled, which costs as much as the row.
		row := context.WithoutCancel(ctx)
		for _, r := range records {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("append calls: %w", err)
			}
			_, err := insert.ExecContext(row, r.At.UnixMilli(), r.Kind, r.Client, r.Session, r.Server, r.Tool,
				r.Args, r.Response, string(r.Outcome), r.Latency.Microseconds())
			if err != nil {
				return fmt.Errorf("append calls: %w", err)
			}
		}
		return nil
	})
}

// Records implements journal.Store.
func (s *Store) Records(ctx context.Context, q journal.Query) ([]journal.Record, int, error) {
	where := " FROM calls WHERE (? = '' OR server = ?) AND (? = '' OR tool = ?)"
	args := []any{q.Server, q.Server, q.Tool, q.Tool}
	var total int
	if err := s.read.QueryRowContext(ctx, "SELECT count(*)"+where, args...).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count calls: %w", err)
	}
	rows, err := s.read.QueryContext(ctx, `SELECT id, at, kind, client, session, server, tool, args, response, outcome, latency`+
		where+" ORDER BY id DESC LIMIT ? OFFSET ?", append(args, q.Limit, q.Offset)...)
	if err != nil {
		return nil, 0, fmt.Errorf("read calls: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []journal.Record
	for rows.Next() {
		var r journal.Record
		var at, latency int64
		if err := rows.Scan(&r.ID, &at, &r.Kind, &r.Client, &r.Session, &r.Server, &r.Tool,
			&r.Args, &r.Response, &r.Outcome, &latency); err != nil {
			return nil, 0, fmt.Errorf("read calls: %w", err)
		}
		r.At, r.Latency = time.UnixMilli(at), time.Duration(latency)*time.Microsecond
		out = append(out, r)
	}
	return out, total, rows.Err()
}

// CountCalls implements journal.Store.
func (s *Store) CountCalls(ctx context.Context) (map[string]int, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT server, count(*) FROM calls GROUP BY server")
	if err != nil {
		return nil, fmt.Errorf("count calls: %w", err)
	}
	defer func() { _ = rows.Close() }()
	usage := make(map[string]int)
	for rows.Next() {
		var server string
		var n int
		if err := rows.Scan(&server, &n); err != nil {
			return nil, fmt.Errorf("count calls: %w", err)
		}
		usage[server] = n
	}
	return usage, rows.Err()
}
