package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/calls/audit"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
)

// Calls stores the log of calls, and statistics of it.
type Calls struct{ db *database }

// AppendRecords implements journal.Store. It does not wait for locks of other
// programs, because the journal tries again.
func (s *Calls) AppendRecords(ctx context.Context, records []journal.Record, tallies []journal.Tally, entries []audit.Sealed) error {
	return s.db.write.impatient().change(ctx, func(tx *sql.Tx) error {
		insert, err := tx.PrepareContext(ctx, `INSERT INTO calls
			(id, at, kind, client, session, server, tool, args, response, outcome, latency)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
		if err != nil {
			return fmt.Errorf("append calls: %w", err)
		}
		defer func() { _ = insert.Close() }()
		// For each statement whose context can be cancelled, the driver starts a goroutine. Starting it takes as
		// long as the statement itself.
		row := context.WithoutCancel(ctx)
		for _, r := range records {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("append calls: %w", err)
			}
			_, err := insert.ExecContext(row, r.ID, r.At.UnixMilli(), string(r.Kind), r.Client, r.Session, r.Server, r.Tool,
				r.Args, r.Response, string(r.Outcome), r.Latency.Microseconds())
			if err != nil {
				return fmt.Errorf("append calls: %w", err)
			}
		}
		if err := insertAudit(row, tx, entries); err != nil {
			return err
		}
		return replaceTallies(row, tx, tallies)
	})
}

// LastRecord implements journal.Store.
func (s *Calls) LastRecord(ctx context.Context) (id int64, err error) {
	err = s.db.read.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'calls'").Scan(&id)
	if err != nil {
		return 0, fmt.Errorf("read the last call: %w", err)
	}
	return id, nil
}

// Records implements journal.Store.
func (s *Calls) Records(ctx context.Context, q journal.Query) ([]journal.Record, error) {
	c := conditions(q)
	if q.Before > 0 {
		c.add("id < ?", q.Before)
	}
	// If no index has the right order, the inner query sorts ids only. The outer query then reads the texts of one
	// page.
	rows, err := s.db.read.QueryContext(ctx, `SELECT id, at, kind, client, session, server, tool, args, response, outcome, latency
		FROM calls WHERE id IN (SELECT id FROM calls`+c.where()+` ORDER BY id DESC LIMIT ? OFFSET ?) ORDER BY id DESC`,
		append(c.args, q.Limit, q.Offset)...)
	if err != nil {
		return nil, fmt.Errorf("read calls: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []journal.Record
	for rows.Next() {
		var r journal.Record
		var at, latency int64
		if err := rows.Scan(&r.ID, &at, &r.Kind, &r.Client, &r.Session, &r.Server, &r.Tool,
			&r.Args, &r.Response, &r.Outcome, &latency); err != nil {
			return nil, fmt.Errorf("read calls: %w", err)
		}
		r.At, r.Latency = time.UnixMilli(at), time.Duration(latency)*time.Microsecond
		out = append(out, r)
	}
	return out, rows.Err()
}

// CountRecords implements journal.Store.
func (s *Calls) CountRecords(ctx context.Context, q journal.Query) (n int, err error) {
	c := conditions(q)
	if err := s.db.read.QueryRowContext(ctx, "SELECT count(*) FROM calls"+c.where(), c.args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count calls: %w", err)
	}
	return n, nil
}

// DeleteRecords implements journal.Store.
func (s *Calls) DeleteRecords(ctx context.Context, q journal.Query) (int, error) {
	c := conditions(q)
	if q.Before > 0 {
		c.add("id < ?", q.Before)
	}
	statement := "DELETE FROM calls" + c.where()
	if q.Limit > 0 {
		statement = "DELETE FROM calls WHERE id IN (SELECT id FROM calls" + c.where() + " LIMIT ?)"
		c.args = append(c.args, q.Limit)
	}
	done, err := s.db.write.ExecContext(ctx, statement, c.args...)
	if err != nil {
		return 0, fmt.Errorf("delete calls: %w", err)
	}
	n, err := done.RowsAffected()
	return int(n), err
}

// Shrink implements journal.Store.
func (s *Calls) Shrink(ctx context.Context) error { return s.db.shrink(ctx) }

// filter is the WHERE clause of a query, with its arguments.
type filter struct {
	terms []string
	args  []any
}

func (f *filter) add(term string, args ...any) {
	f.terms, f.args = append(f.terms, term), append(f.args, args...)
}

func (f *filter) where() string {
	if len(f.terms) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(f.terms, " AND ")
}

// conditions returns the filter for a query, without q.Before, q.Limit and
// q.Offset. Empty fields of q add no term, so that SQLite can choose an index.
func conditions(q journal.Query) *filter {
	f := &filter{}
	if q.Server != "" {
		f.add("server = ?", q.Server)
	}
	if q.Tool != "" {
		f.add("tool = ?", q.Tool)
	}
	if len(q.Kinds) > 0 {
		var kinds []any
		for _, kind := range q.Kinds {
			kinds = append(kinds, string(kind))
		}
		f.add("kind IN (?"+strings.Repeat(", ?", len(kinds)-1)+")", kinds...)
	}
	if q.Success != nil && *q.Success {
		f.add("outcome = 'ok'")
	}
	if q.Success != nil && !*q.Success || q.Outcome != "" && q.Outcome != journal.OK {
		f.add("outcome <> 'ok'") // must equal the condition of the index calls_failed
	}
	if q.Outcome != "" {
		f.add("outcome = ?", string(q.Outcome))
	}
	if !q.Since.IsZero() {
		f.add("at >= ?", q.Since.UnixMilli())
	}
	if !q.Until.IsZero() {
		f.add("at < ?", q.Until.UnixMilli())
	}
	if q.Text != "" {
		f.addText(q.Text)
	}
	return f
}
