package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/trust/quarantine"
)

// Trust stores the definitions that people have approved, and those that wait for approval.
type Trust struct{ db *database }

// TrustServers implements quarantine.Store.
func (s *Trust) TrustServers(ctx context.Context) ([]quarantine.Server, error) {
	rows, err := s.db.read.QueryContext(ctx, "SELECT server, launch, form, clean, since, lists FROM trust_servers")
	if err != nil {
		return nil, fmt.Errorf("read approved launches: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []quarantine.Server
	for rows.Next() {
		var one quarantine.Server
		var form, lists string
		var since int64
		if err := rows.Scan(&one.Name, &one.Launch, &form, &one.Clean, &since, &lists); err != nil {
			return nil, fmt.Errorf("read approved launches: %w", err)
		}
		one.Since = trustTime(since)
		if json.Unmarshal([]byte(form), &one.Form) != nil || json.Unmarshal([]byte(lists), &one.Lists) != nil {
			one.Form, one.Lists = quarantine.Launch{}, nil // damaged: it must not approve anything
		}
		out = append(out, one)
	}
	return out, rows.Err()
}

// trustTime converts a stored time in milliseconds. It returns the zero time for 0.
func trustTime(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return fromMillis(ms)
}

func trustMillis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// trustColumns are the columns of an item except for its texts.
const trustColumns = `id, server, kind, name, state, reason, since, hash, approved, launch, approved_by, approved_at, rejected,
	flips, verdict, points, findings, scanned, listed, position`

// HeldItems implements quarantine.Store.
func (s *Trust) HeldItems(ctx context.Context) ([]quarantine.Item, error) {
	return s.trustItems(ctx,
		"SELECT "+trustColumns+", NULL, NULL FROM trust_items WHERE attention = 1 ORDER BY server, kind, position, name")
}

// Unscanned implements quarantine.Store.
func (s *Trust) Unscanned(ctx context.Context, scan string) ([]string, error) {
	rows, err := s.db.read.QueryContext(ctx,
		"SELECT DISTINCT server FROM trust_items WHERE listed = 1 AND scanned <> ? ORDER BY server", scan)
	if err != nil {
		return nil, fmt.Errorf("read unscanned servers: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []string
	for rows.Next() {
		var server string
		if err := rows.Scan(&server); err != nil {
			return nil, fmt.Errorf("read unscanned servers: %w", err)
		}
		out = append(out, server)
	}
	return out, rows.Err()
}

// TrustItems implements quarantine.Store.
func (s *Trust) TrustItems(ctx context.Context, server string) ([]quarantine.Item, error) {
	return s.trustItems(ctx, "SELECT "+trustColumns+", latest, text FROM trust_items WHERE server = ? ORDER BY kind, position, name",
		server)
}

// TrustItem implements quarantine.Store.
func (s *Trust) TrustItem(ctx context.Context, id int64) (i quarantine.Item, found bool, err error) {
	items, err := s.trustItems(ctx, "SELECT "+trustColumns+", latest, text FROM trust_items WHERE id = ?", id)
	if err != nil || len(items) == 0 {
		return quarantine.Item{}, false, err
	}
	return items[0], true, nil
}

func (s *Trust) trustItems(ctx context.Context, query string, args ...any) ([]quarantine.Item, error) {
	rows, err := s.db.read.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read held items: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []quarantine.Item
	for rows.Next() {
		i, err := scanTrustItem(rows)
		if err != nil {
			return nil, fmt.Errorf("read held items: %w", err)
		}
		out = append(out, i)
	}
	return out, rows.Err()
}

func scanTrustItem(rows interface{ Scan(...any) error }) (i quarantine.Item, err error) {
	var since, at int64
	var verdict, findings string
	var latest, text sql.NullString
	if err := rows.Scan(&i.ID, &i.Server, &i.Kind, &i.Name, &i.State, &i.Reason, &since, (*trustHash)(&i.Hash), (*trustHash)(&i.Approved),
		&i.Launch, &i.By, &at, (*trustHash)(&i.Rejected),
		&i.Flips, &verdict, &i.Points, &findings, &i.Scanned, &i.Listed, &i.Position, &latest, &text); err != nil {
		return i, err
	}
	i.Since, i.At = trustTime(since), trustTime(at)
	err = i.Verdict.UnmarshalText([]byte(verdict))
	if json.Unmarshal([]byte(findings), &i.Findings) != nil {
		i.Findings = nil // damaged; the verdict is kept
	}
	if text.Valid {
		i.ApprovedText = json.RawMessage(text.String)
	}
	if i.Latest = json.RawMessage(latest.String); !latest.Valid {
		i.Latest = i.ApprovedText
	}
	return i, err
}

// ApprovedTexts implements quarantine.Store.
func (s *Trust) ApprovedTexts(ctx context.Context, server string, kind quarantine.Kind) ([]json.RawMessage, error) {
	rows, err := s.db.read.QueryContext(ctx,
		"SELECT text FROM trust_items WHERE server = ? AND kind = ? AND state = ? AND listed = 1 AND text IS NOT NULL ORDER BY position",
		server, string(kind), string(quarantine.Approved))
	if err != nil {
		return nil, fmt.Errorf("read approved definitions: %w", err)
	}
	defer func() { _ = rows.Close() }()
	out := []json.RawMessage{}
	for rows.Next() {
		var text []byte
		if err := rows.Scan(&text); err != nil {
			return nil, fmt.Errorf("read approved definitions: %w", err)
		}
		out = append(out, text)
	}
	return out, rows.Err()
}

// SaveTrust implements quarantine.Store.
func (s *Trust) SaveTrust(ctx context.Context, server quarantine.Server, items, deleted []*quarantine.Item) error {
	form, err := json.Marshal(server.Form)
	if err != nil {
		return fmt.Errorf("save approvals: %w", err)
	}
	lists, err := json.Marshal(append([]quarantine.Kind{}, server.Lists...))
	if err != nil {
		return fmt.Errorf("save approvals: %w", err)
	}
	err = s.db.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx,
			"INSERT OR REPLACE INTO trust_servers (server, launch, form, clean, since, lists) VALUES (?, ?, ?, ?, ?, ?)",
			server.Name, server.Launch, string(form), server.Clean, trustMillis(server.Since), string(lists))
		if err != nil {
			return err
		}
		for _, i := range deleted {
			if _, err := tx.ExecContext(ctx, "DELETE FROM trust_items WHERE server = ? AND kind = ? AND name = ?",
				i.Server, string(i.Kind), i.Name); err != nil {
				return err
			}
		}
		for _, i := range items {
			if err := saveTrustItem(ctx, tx, i); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("save approvals: %w", err)
	}
	return nil
}

func saveTrustItem(ctx context.Context, tx *sql.Tx, i *quarantine.Item) error {
	findings, err := json.Marshal(append([]quarantine.Finding{}, i.Findings...))
	if err != nil {
		return err
	}
	var latest, text any // nil is NULL
	if i.ApprovedText != nil {
		text = string(i.ApprovedText)
	}
	if i.Hash != i.Approved {
		latest = string(i.Latest)
	}
	attention := i.Waits() || i.Warns() || i.State == quarantine.Rejected || i.Held()
	err = tx.QueryRowContext(ctx, `INSERT INTO trust_items
		(server, kind, name, state, reason, since, hash, approved, launch, approved_by, approved_at, rejected, flips, verdict,
		 points, findings, scanned, attention, listed, position, latest, text)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (server, kind, name) DO UPDATE SET state = excluded.state, reason = excluded.reason, since = excluded.since,
		hash = excluded.hash, approved = excluded.approved, launch = excluded.launch, approved_by = excluded.approved_by,
		approved_at = excluded.approved_at, rejected = excluded.rejected, flips = excluded.flips, verdict = excluded.verdict,
		points = excluded.points, findings = excluded.findings, scanned = excluded.scanned, attention = excluded.attention,
		listed = excluded.listed, position = excluded.position, latest = excluded.latest, text = excluded.text RETURNING id`,
		i.Server, string(i.Kind), i.Name, string(i.State), string(i.Reason), trustMillis(i.Since), i.Hash.String(), i.Approved.String(),
		i.Launch,
		string(i.By), trustMillis(i.At), i.Rejected.String(), i.Flips, i.Verdict.String(), i.Points, string(findings), i.Scanned,
		attention, i.Listed, i.Position, latest, text).Scan(&i.ID)
	return err
}

// trustHash reads a hash from a column.
type trustHash quarantine.Hash

// Scan implements sql.Scanner.
func (h *trustHash) Scan(value any) error {
	text, _ := value.(string)
	parsed, err := quarantine.ParseHash(text)
	*h = trustHash(parsed)
	return err
}

// ForgetTrust implements quarantine.Store.
func (s *Trust) ForgetTrust(ctx context.Context, server string) error {
	err := s.db.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM trust_items WHERE server = ?", server)
		_, second := tx.ExecContext(ctx, "DELETE FROM trust_servers WHERE server = ?", server)
		return errors.Join(err, second)
	})
	if err != nil {
		return fmt.Errorf("delete approvals: %w", err)
	}
	return nil
}
