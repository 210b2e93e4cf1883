package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"sync"

	"github.com/agent-discover/agent-discover/backend/catalog"
)

// stored is a row of tools.
type stored struct {
	id           int64
	server, hash string
	definition   []byte
	tokens       int
}

// ahead is how many rows are read before the first of them has become a tool.
const ahead = 256

// Tools implements catalog.Store. Rows are read while those before them become
// tools: a hub waits for this when it starts.
func (s *Store) Tools(ctx context.Context) ([]*catalog.Tool, error) {
	read := make(chan stored, ahead)
	var out []*catalog.Tool
	var restoring sync.WaitGroup
	restoring.Go(func() {
		for row := range read {
			if t, ok := catalog.Restore(row.server, row.definition, row.hash, row.tokens); ok {
				t.ID = row.id
				out = append(out, t)
			}
		}
	})
	err := s.eachTool(ctx, read)
	close(read)
	restoring.Wait()
	if err != nil {
		return nil, fmt.Errorf("read tools: %w", err)
	}
	return out, nil
}

func (s *Store) eachTool(ctx context.Context, to chan<- stored) error {
	// A text would be copied once more.
	rows, err := s.read.QueryContext(ctx, "SELECT id, server, CAST(definition AS BLOB), hash, tokens FROM tools ORDER BY server, position")
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var row stored
		var definition sql.RawBytes
		if err := rows.Scan(&row.id, &row.server, &definition, &row.hash, &row.tokens); err != nil {
			return err
		}
		row.definition = bytes.Clone(definition)
		to <- row
	}
	return rows.Err()
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
