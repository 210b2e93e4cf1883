package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/agent-discover/agent-discover/backend/catalog"
)

// Tools implements catalog.Store.
func (s *Store) Tools(ctx context.Context) ([]*catalog.Tool, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT id, server, definition, hash, tokens FROM tools ORDER BY server, position")
	if err != nil {
		return nil, fmt.Errorf("read tools: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []*catalog.Tool
	for rows.Next() {
		var server, hash string
		var definition sql.RawBytes
		var id int64
		var tokens int
		if err := rows.Scan(&id, &server, &definition, &hash, &tokens); err != nil {
			return nil, fmt.Errorf("read tools: %w", err)
		}
		if t, ok := catalog.Restore(server, json.RawMessage(definition), hash, tokens); ok {
			t.ID = id
			out = append(out, t)
		}
	}
	return out, rows.Err()
}

// ReplaceTools implements catalog.Store.
func (s *Store) ReplaceTools(ctx context.Context, server string, tools []*catalog.Tool) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM tools WHERE server = ?", server); err != nil {
			return fmt.Errorf("replace tools: %w", err)
		}
		for i, t := range tools {
			_, err := tx.ExecContext(ctx,
				"INSERT INTO tools (id, server, name, position, definition, hash, tokens) VALUES (?, ?, ?, ?, ?, ?, ?)",
				t.ID, server, t.Name, i, string(t.Definition), t.Hash, t.Tokens)
			if err != nil {
				return fmt.Errorf("replace tools: %w", err)
			}
		}
		return nil
	})
}

// SetTokens implements catalog.Store.
func (s *Store) SetTokens(ctx context.Context, counts map[catalog.Key]int) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		for key, n := range counts {
			_, err := tx.ExecContext(ctx, "UPDATE tools SET tokens = ? WHERE server = ? AND name = ?", n, key.Server, key.Tool)
			if err != nil {
				return fmt.Errorf("store tokens: %w", err)
			}
		}
		return nil
	})
}
