package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/agent-discover/agent-discover/backend/servers/vault"
)

// dropped is the prefix that the value of the column kept has in the rows of deleted secrets.
const dropped = "dropped:"

// Secrets stores the names of secrets, and which servers may use them. It does not store their values.
type Secrets struct{ db *database }

// Secrets implements vault.Store.
func (s *Secrets) Secrets(ctx context.Context, server string) ([]vault.Record, error) {
	rows, err := s.db.read.QueryContext(ctx,
		"SELECT server, name, kept, updated_at, destination, prints FROM secrets WHERE ?1 = '' OR server = ?1 ORDER BY server, name",
		server)
	if err != nil {
		return nil, fmt.Errorf("read secrets: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []vault.Record
	for rows.Next() {
		var r vault.Record
		var updated int64
		if err := rows.Scan(&r.Server, &r.Name, &r.Kept, &updated, &r.Destination, &r.Prints); err != nil {
			return nil, fmt.Errorf("read secrets: %w", err)
		}
		r.Kept, r.Dropped = strings.CutPrefix(r.Kept, dropped)
		r.UpdatedAt = fromMillis(updated)
		out = append(out, r)
	}
	return out, rows.Err()
}

// PutSecret implements vault.Store.
func (s *Secrets) PutSecret(ctx context.Context, r vault.Record) error {
	if r.Dropped {
		r.Kept = dropped + r.Kept
	}
	_, err := s.db.write.ExecContext(ctx,
		`INSERT INTO secrets (server, name, kept, updated_at, destination, prints) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (server, name) DO UPDATE SET kept = excluded.kept, updated_at = excluded.updated_at,
			destination = excluded.destination, prints = excluded.prints`,
		r.Server, r.Name, r.Kept, toMillis(r.UpdatedAt), r.Destination, r.Prints)
	if err != nil {
		return fmt.Errorf("store the name of a secret: %w", err)
	}
	return nil
}

// MarkSecret implements vault.Store.
func (s *Secrets) MarkSecret(ctx context.Context, r vault.Record) error {
	_, err := s.db.write.ExecContext(ctx,
		`UPDATE secrets SET destination = CASE ?1 WHEN '' THEN destination ELSE ?1 END, prints = COALESCE(?2, prints)
		WHERE server = ?3 AND name = ?4 AND kept = ?5 AND updated_at = ?6`,
		r.Destination, r.Prints, r.Server, r.Name, r.Kept, toMillis(r.UpdatedAt))
	if err != nil {
		return fmt.Errorf("mark a secret: %w", err)
	}
	return nil
}

// DropSecrets implements vault.Store.
func (s *Secrets) DropSecrets(ctx context.Context, server, name string) error {
	return s.db.change(ctx, func(tx *sql.Tx) error {
		for _, statement := range []string{
			"UPDATE secrets SET kept = '" + dropped + "' || kept WHERE server = ?1 AND (?2 = '' OR name = ?2) AND kept NOT LIKE '" +
				dropped + "%'",
			"DELETE FROM secret_links WHERE owner = ?1 AND (?2 = '' OR name = ?2) OR server = ?1 AND ?2 = ''",
		} {
			if _, err := tx.ExecContext(ctx, statement, server, name); err != nil {
				return fmt.Errorf("drop secrets: %w", err)
			}
		}
		return nil
	})
}

// RemoveDropped implements vault.Store.
func (s *Secrets) RemoveDropped(ctx context.Context, server, name string) error {
	_, err := s.db.write.ExecContext(ctx, "DELETE FROM secrets WHERE server = ? AND name = ? AND kept LIKE '"+dropped+"%'", server, name)
	if err != nil {
		return fmt.Errorf("delete the name of a secret: %w", err)
	}
	return nil
}

// SecretLinks implements vault.Store.
func (s *Secrets) SecretLinks(ctx context.Context) ([]vault.Link, error) {
	rows, err := s.db.read.QueryContext(ctx, "SELECT server, owner, name, runs FROM secret_links ORDER BY server, owner, name")
	if err != nil {
		return nil, fmt.Errorf("read links: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []vault.Link
	for rows.Next() {
		var l vault.Link
		if err := rows.Scan(&l.Server, &l.Owner, &l.Name, &l.Runs); err != nil {
			return nil, fmt.Errorf("read links: %w", err)
		}
		out = append(out, l)
	}
	return out, rows.Err()
}

// PutSecretLink implements vault.Store.
func (s *Secrets) PutSecretLink(ctx context.Context, l vault.Link) error {
	_, err := s.db.write.ExecContext(ctx, `INSERT INTO secret_links (server, owner, name, runs) VALUES (?, ?, ?, ?)
		ON CONFLICT (server, owner, name) DO UPDATE SET runs = excluded.runs`, l.Server, l.Owner, l.Name, l.Runs)
	if err != nil {
		return fmt.Errorf("store a link: %w", err)
	}
	return nil
}

// RemoveSecretLink implements vault.Store.
func (s *Secrets) RemoveSecretLink(ctx context.Context, l vault.Link) error {
	_, err := s.db.write.ExecContext(ctx, "DELETE FROM secret_links WHERE server = ? AND owner = ? AND name = ?", l.Server, l.Owner, l.Name)
	if err != nil {
		return fmt.Errorf("delete a link: %w", err)
	}
	return nil
}
