package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// lensLife is how long a session may stay away and still find its tools.
const lensLife = 7 * 24 * time.Hour

// Lens implements gateway.LensStore.
func (s *Store) Lens(ctx context.Context, session string) ([]catalog.Key, error) {
	var text string
	err := s.read.QueryRowContext(ctx, "SELECT lent FROM lenses WHERE session = ?", session).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read lens: %w", err)
	}
	var pairs [][2]string
	if err := json.Unmarshal([]byte(text), &pairs); err != nil {
		return nil, fmt.Errorf("read lens: %w", err)
	}
	keys := make([]catalog.Key, len(pairs))
	for i, p := range pairs {
		keys[i] = catalog.Key{Server: p[0], Tool: p[1]}
	}
	return keys, nil
}

// ForgetLent implements gateway.LensStore.
func (s *Store) ForgetLent(ctx context.Context, server string) error {
	_, err := s.write.ExecContext(ctx, `UPDATE lenses SET lent = (
			SELECT coalesce(json_group_array(json(value)), '[]') FROM json_each(lent) WHERE json_extract(value, '$[0]') <> ?1
		) WHERE EXISTS (SELECT 1 FROM json_each(lent) WHERE json_extract(value, '$[0]') = ?1)`, server)
	if err != nil {
		return fmt.Errorf("forget lent tools: %w", err)
	}
	return nil
}

// SaveLens implements gateway.LensStore. Lenses nobody came back for are dropped.
func (s *Store) SaveLens(ctx context.Context, session string, lent []catalog.Key) error {
	pairs := make([][2]string, len(lent))
	for i, k := range lent {
		pairs[i] = [2]string{k.Server, k.Tool}
	}
	text, err := json.Marshal(pairs)
	if err != nil {
		return fmt.Errorf("save lens: %w", err)
	}
	now := time.Now()
	return s.change(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM lenses WHERE seen < ?", now.Add(-lensLife).UnixMilli()); err != nil {
			return fmt.Errorf("drop lenses: %w", err)
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO lenses (session, lent, seen) VALUES (?, ?, ?)
			ON CONFLICT (session) DO UPDATE SET lent = excluded.lent, seen = excluded.seen`, session, string(text), now.UnixMilli())
		if err != nil {
			return fmt.Errorf("save lens: %w", err)
		}
		return nil
	})
}
