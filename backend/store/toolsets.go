package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/agent-discover/agent-discover/backend/calls/toolset"
)

// Toolsets stores the toolsets, and for each client the name of the toolset with which it is equipped.
type Toolsets struct{ db *database }

// Toolsets implements toolset.Store.
func (s *Toolsets) Toolsets(ctx context.Context) (sets []toolset.Toolset, equipped map[string]string, err error) {
	found, err := s.db.read.QueryContext(ctx, "SELECT name, toolset FROM toolsets")
	if err != nil {
		return nil, nil, fmt.Errorf("read toolsets: %w", err)
	}
	defer func() { _ = found.Close() }()
	for found.Next() {
		var name string
		var text sql.RawBytes
		if err := found.Scan(&name, &text); err != nil {
			return nil, nil, fmt.Errorf("read toolsets: %w", err)
		}
		var t toolset.Toolset
		if json.Unmarshal(text, &t) != nil {
			continue // damaged: clients that are equipped with it see no tools, instead of all
		}
		t.Name = name
		sets = append(sets, t)
	}
	if err := found.Err(); err != nil {
		return nil, nil, fmt.Errorf("read toolsets: %w", err)
	}
	equipped, err = s.equipped(ctx)
	return sets, equipped, err
}

func (s *Toolsets) equipped(ctx context.Context) (map[string]string, error) {
	found, err := s.db.read.QueryContext(ctx, "SELECT client, toolset FROM equipped")
	if err != nil {
		return nil, fmt.Errorf("read equipped toolsets: %w", err)
	}
	defer func() { _ = found.Close() }()
	out := make(map[string]string)
	for found.Next() {
		var client, name string
		if err := found.Scan(&client, &name); err != nil {
			return nil, fmt.Errorf("read equipped toolsets: %w", err)
		}
		out[client] = name
	}
	return out, found.Err()
}

// SaveToolset implements toolset.Store.
func (s *Toolsets) SaveToolset(ctx context.Context, t toolset.Toolset) error {
	if _, err := s.db.write.ExecContext(ctx, "INSERT OR REPLACE INTO toolsets (name, toolset) VALUES (?, ?)",
		t.Name, toJSON(t)); err != nil {
		return fmt.Errorf("store toolset: %w", err)
	}
	return nil
}

// DeleteToolset implements toolset.Store.
func (s *Toolsets) DeleteToolset(ctx context.Context, name string) error {
	err := s.db.change(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM equipped WHERE toolset = ?", name); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM toolsets WHERE name = ?", name)
		return err
	})
	if err != nil {
		return fmt.Errorf("delete toolset: %w", err)
	}
	return nil
}

// SaveEquipped implements toolset.Store.
func (s *Toolsets) SaveEquipped(ctx context.Context, client, name string) error {
	if _, err := s.db.write.ExecContext(ctx, "INSERT OR REPLACE INTO equipped (client, toolset) VALUES (?, ?)", client, name); err != nil {
		return fmt.Errorf("store equipped toolset: %w", err)
	}
	return nil
}

// DeleteEquipped implements toolset.Store.
func (s *Toolsets) DeleteEquipped(ctx context.Context, client string) error {
	if _, err := s.db.write.ExecContext(ctx, "DELETE FROM equipped WHERE client = ?", client); err != nil {
		return fmt.Errorf("delete equipped toolset: %w", err)
	}
	return nil
}
