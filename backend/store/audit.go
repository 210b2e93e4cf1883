package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/calls/audit"
)

// Audit stores the audit log, a hash chain of entries about calls.
type Audit struct{ db *database }

// AppendAudit implements audit.Store.
func (s *Audit) AppendAudit(ctx context.Context, entries []audit.Sealed) error {
	return s.db.change(ctx, func(tx *sql.Tx) error { return insertAudit(ctx, tx, entries) })
}

func insertAudit(ctx context.Context, tx *sql.Tx, entries []audit.Sealed) error {
	if len(entries) == 0 {
		return nil
	}
	insert, err := tx.PrepareContext(ctx, "INSERT INTO audit (seq, at, entry, hash) VALUES (?, ?, ?, ?)")
	if err != nil {
		return fmt.Errorf("append to the audit log: %w", err)
	}
	defer func() { _ = insert.Close() }()
	for _, e := range entries {
		if _, err := insert.ExecContext(ctx, e.Seq, e.At.UnixMilli(), e.Text, e.Hash); err != nil {
			return fmt.Errorf("append to the audit log: %w", err)
		}
	}
	return nil
}

// AuditEnds implements audit.Store.
func (s *Audit) AuditEnds(ctx context.Context) (anchor, last audit.Head, err error) {
	for query, into := range map[string]*audit.Head{
		"SELECT seq, hash FROM audit_anchor":                    &anchor,
		"SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1": &last,
	} {
		err := s.db.read.QueryRowContext(ctx, query).Scan(&into.Seq, &into.Hash)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return anchor, last, fmt.Errorf("read the ends of the audit log: %w", err)
		}
	}
	if last.Seq < anchor.Seq {
		last = anchor
	}
	return anchor, last, nil
}

// AuditEntries implements audit.Store.
func (s *Audit) AuditEntries(ctx context.Context, q audit.Query) ([]audit.Sealed, error) {
	order := ""
	if q.Newest {
		order = " DESC"
	}
	c := auditConditions(q)
	rows, err := s.db.read.QueryContext(ctx, "SELECT seq, at, entry, hash FROM audit"+c.where()+" ORDER BY seq"+order+" LIMIT ?",
		append(c.args, cmp.Or(q.Limit, -1))...)
	if err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []audit.Sealed
	for rows.Next() {
		var e audit.Sealed
		var at int64
		if err := rows.Scan(&e.Seq, &at, &e.Text, &e.Hash); err != nil {
			return nil, fmt.Errorf("read the audit log: %w", err)
		}
		e.At = time.UnixMilli(at).UTC()
		out = append(out, e)
	}
	if q.Newest {
		slices.Reverse(out)
	}
	return out, rows.Err()
}

func auditConditions(q audit.Query) *filter {
	f := &filter{}
	if q.After > 0 {
		f.add("seq > ?", q.After)
	}
	if q.Before > 0 {
		f.add("seq < ?", q.Before)
	}
	if !q.Since.IsZero() {
		f.add("at >= ?", q.Since.UnixMilli())
	}
	if !q.Until.IsZero() {
		f.add("at < ?", q.Until.UnixMilli())
	}
	// An entry that was tampered with may no longer be valid JSON.
	for member, value := range map[string]string{"client": q.Client, "server": q.Server, "tool": q.Tool, "outcome": q.Outcome} {
		if value != "" {
			f.add("CASE WHEN json_valid(entry) THEN json_extract(entry, '$."+member+"') END = ?", value)
		}
	}
	return f
}

// AuditBefore implements audit.Store.
func (s *Audit) AuditBefore(ctx context.Context, at time.Time) (h audit.Head, err error) {
	err = s.db.read.QueryRowContext(ctx, `SELECT seq, hash FROM audit WHERE seq <
		coalesce((SELECT min(seq) FROM audit WHERE at >= ?), 9223372036854775807) ORDER BY seq DESC LIMIT 1`, at.UnixMilli()).Scan(&h.Seq,
		&h.Hash)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return h, fmt.Errorf("read the audit log: %w", err)
	}
	return h, nil
}

// DeleteAudit implements audit.Store. It deletes in small transactions, so that calls can be recorded between them.
func (s *Audit) DeleteAudit(ctx context.Context, through audit.Head) error {
	_, err := s.db.write.ExecContext(ctx,
		"INSERT INTO audit_anchor (id, seq, hash) VALUES (1, ?, ?) ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash",
		through.Seq, through.Hash)
	for n := int64(1); n > 0 && err == nil; {
		var done sql.Result
		if done, err = s.db.write.ExecContext(ctx, "DELETE FROM audit WHERE seq IN (SELECT seq FROM audit WHERE seq <= ? LIMIT 500)",
			through.Seq); err == nil {
			n, err = done.RowsAffected()
		}
	}
	if err != nil {
		return fmt.Errorf("delete from the audit log: %w", err)
	}
	return nil
}
