package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/doors/credentials"
)

// Credentials stores the credentials of MCP clients that connect over HTTP.
type Credentials struct{ db *database }

// Credentials implements credentials.Store.
func (s *Credentials) Credentials(ctx context.Context) ([]credentials.Credential, error) {
	rows, err := s.db.read.QueryContext(ctx, "SELECT id, name, hash, client, surface, created_at, used_at FROM client_tokens")
	if err != nil {
		return nil, fmt.Errorf("read client tokens: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []credentials.Credential
	for rows.Next() {
		var c credentials.Credential
		var hash []byte
		var created, used int64
		if err := rows.Scan(&c.ID, &c.Name, &hash, &c.Client, &c.Surface, &created, &used); err != nil {
			return nil, fmt.Errorf("read client tokens: %w", err)
		}
		if copy(c.Hash[:], hash) != len(c.Hash) {
			continue // damaged: no token has this hash
		}
		c.Created, c.Used = fromMillis(created), fromMillis(used)
		out = append(out, c)
	}
	return out, rows.Err()
}

// AddCredential implements credentials.Store.
func (s *Credentials) AddCredential(ctx context.Context, c credentials.Credential) error {
	_, err := s.db.write.ExecContext(ctx,
		"INSERT INTO client_tokens (id, name, hash, client, surface, created_at) VALUES (?, ?, ?, ?, ?, ?)",
		c.ID, c.Name, c.Hash[:], c.Client, c.Surface, c.Created.UnixMilli())
	if err != nil {
		return fmt.Errorf("store client token: %w", err)
	}
	return nil
}

// DeleteCredential implements credentials.Store.
func (s *Credentials) DeleteCredential(ctx context.Context, id string) error {
	if _, err := s.db.write.ExecContext(ctx, "DELETE FROM client_tokens WHERE id = ?", id); err != nil {
		return fmt.Errorf("delete client token: %w", err)
	}
	return nil
}

// MarkUsed implements credentials.Store.
func (s *Credentials) MarkUsed(ctx context.Context, used map[string]time.Time) error {
	return s.db.change(ctx, func(tx *sql.Tx) error {
		for id, at := range used {
			if _, err := tx.ExecContext(ctx, "UPDATE client_tokens SET used_at = ? WHERE id = ?", at.UnixMilli(), id); err != nil {
				return fmt.Errorf("store use of client token: %w", err)
			}
		}
		return nil
	})
}
