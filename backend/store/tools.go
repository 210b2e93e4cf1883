package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// Tools stores the tools that servers list, and the history of their definitions.
type Tools struct{ db *database }

// Tools implements catalog.Store. It reads the tools in two halves
// concurrently, because the hub's start waits for it.
func (s *Tools) Tools(ctx context.Context) ([]*catalog.Tool, error) {
	// Divide the tools at the server in the middle of the sorted names. Any other name would give the same result,
	// but unequal halves.
	var middle string
	err := s.db.read.QueryRowContext(ctx,
		"SELECT name FROM servers ORDER BY name LIMIT 1 OFFSET (SELECT count(*) FROM servers) / 2").Scan(&middle)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("read tools: %w", err)
	}
	var first, second []*catalog.Tool
	halves, reading := errgroup.WithContext(ctx)
	halves.Go(func() (err error) { first, err = s.toolsWhere(reading, "server < ?", middle); return err })
	halves.Go(func() (err error) { second, err = s.toolsWhere(reading, "server >= ?", middle); return err })
	if err := halves.Wait(); err != nil {
		return nil, fmt.Errorf("read tools: %w", err)
	}
	return append(first, second...), nil
}

// toolsWhere returns the tools of those servers whose names satisfy a condition.
func (s *Tools) toolsWhere(ctx context.Context, condition, server string) ([]*catalog.Tool, error) {
	// Read the definition as a BLOB, because the driver copies a TEXT once more.
	rows, err := s.db.read.QueryContext(ctx,
		"SELECT id, server, CAST(definition AS BLOB), hash, tokens FROM tools WHERE "+condition+" ORDER BY server, position", server)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []*catalog.Tool
	for rows.Next() {
		var server, hash string
		var definition sql.RawBytes
		var id int64
		var tokens int
		if err := rows.Scan(&id, &server, &definition, &hash, &tokens); err != nil {
			return nil, err
		}
		if t, ok := catalog.Restore(server, bytes.Clone(definition), hash, tokens); ok {
			t.ID = id
			out = append(out, t)
		}
	}
	return out, rows.Err()
}

// ReplaceTools implements catalog.Store.
func (s *Tools) ReplaceTools(ctx context.Context, server string, tools []*catalog.Tool, changes []catalog.Change) error {
	return s.db.change(ctx, func(tx *sql.Tx) error {
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
		return keepChanges(ctx, tx, server, changes, time.Now())
	})
}

// SetTokens implements catalog.Store.
func (s *Tools) SetTokens(ctx context.Context, counts map[catalog.Key]int) error {
	return s.db.change(ctx, func(tx *sql.Tx) error {
		for key, n := range counts {
			_, err := tx.ExecContext(ctx, "UPDATE tools SET tokens = ? WHERE server = ? AND name = ?", n, key.Server, key.Tool)
			if err != nil {
				return fmt.Errorf("store tokens: %w", err)
			}
		}
		return nil
	})
}
