package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/agent-discover/agent-discover/backend/servers/features"
)

// Features stores the prompts, resources and templates that servers list.
type Features struct{ db *database }

// Features implements features.Store.
func (s *Features) Features(ctx context.Context) ([]features.List, error) {
	rows, err := s.db.read.QueryContext(ctx, "SELECT server, kind, definitions FROM listings")
	if err != nil {
		return nil, fmt.Errorf("read features: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []features.List
	for rows.Next() {
		var l features.List
		var definitions string
		if err := rows.Scan(&l.Server, &l.Kind, &definitions); err != nil {
			return nil, fmt.Errorf("read features: %w", err)
		}
		if json.Unmarshal([]byte(definitions), &l.Definitions) != nil {
			continue // damaged; the server lists them again
		}
		out = append(out, l)
	}
	return out, rows.Err()
}

// SetFeatures implements features.Store.
func (s *Features) SetFeatures(ctx context.Context, l features.List) error {
	return s.db.change(ctx, func(tx *sql.Tx) error {
		if l.Definitions == nil {
			_, err := tx.ExecContext(ctx, "DELETE FROM listings WHERE server = ? AND kind = ?", l.Server, l.Kind)
			if err != nil {
				return fmt.Errorf("delete listing: %w", err)
			}
			return nil
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO listings (server, kind, definitions) VALUES (?, ?, ?)
			ON CONFLICT (server, kind) DO UPDATE SET definitions = excluded.definitions`,
			l.Server, l.Kind, jsonArray(l.Definitions))
		if err != nil {
			return fmt.Errorf("store listing: %w", err)
		}
		return nil
	})
}

// jsonArray returns a JSON array whose elements are the unchanged bytes of values.
func jsonArray(values []json.RawMessage) string {
	array := []byte("[")
	for i, value := range values {
		if i > 0 {
			array = append(array, ',')
		}
		array = append(array, value...)
	}
	return string(append(array, ']'))
}

// Slugs stores the slug of each server, which is the part of tool names that identifies the server.
type Slugs struct{ db *database }

// Slugs implements gateway.SlugStore.
func (s *Slugs) Slugs(ctx context.Context) (map[int64]string, error) {
	rows, err := s.db.read.QueryContext(ctx, "SELECT server, slug FROM slugs")
	if err != nil {
		return nil, fmt.Errorf("read slugs: %w", err)
	}
	defer func() { _ = rows.Close() }()
	out := make(map[int64]string)
	for rows.Next() {
		var server int64
		var slug string
		if err := rows.Scan(&server, &slug); err != nil {
			return nil, fmt.Errorf("read slugs: %w", err)
		}
		out[server] = slug
	}
	return out, rows.Err()
}

// SaveSlug implements gateway.SlugStore.
func (s *Slugs) SaveSlug(ctx context.Context, server int64, slug string) error {
	if _, err := s.db.write.ExecContext(ctx, "INSERT INTO slugs (server, slug) VALUES (?, ?)", server, slug); err != nil {
		return fmt.Errorf("store slug: %w", err)
	}
	return nil
}
