package store

import (
	"context"
	"fmt"

	"github.com/agent-discover/agent-discover/backend/servers/setup"
)

// Imports is what an import asks and adds beside servers and tools. It adds
// what is not there and changes nothing that is.
type Imports struct{ store *Store }

// Imports returns the store as setup knows it.
func (s *Store) Imports() Imports { return Imports{s} }

// HasSecret implements setup.Names.
func (i Imports) HasSecret(ctx context.Context, server, name string) (bool, error) {
	return i.has(ctx, "SELECT count(*) FROM secrets WHERE server = ? AND name = ?", server, name)
}

// AddPreset implements setup.Presets.
func (i Imports) AddPreset(ctx context.Context, p setup.Preset, dry bool) (bool, error) {
	if dry {
		has, err := i.has(ctx, "SELECT count(*) FROM presets WHERE server = ? AND kind = ? AND target = ? AND name = ?",
			p.Server, p.Kind, p.Target, p.Name)
		return !has, err
	}
	return i.add(ctx, `INSERT INTO presets (server, kind, target, name, payload, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, unixepoch() * 1000, unixepoch() * 1000) ON CONFLICT DO NOTHING`,
		p.Server, p.Kind, p.Target, p.Name, string(p.Payload))
}

func (i Imports) has(ctx context.Context, query string, args ...any) (bool, error) {
	var n int
	if err := i.store.read.QueryRowContext(ctx, query, args...).Scan(&n); err != nil {
		return false, fmt.Errorf("look up import: %w", err)
	}
	return n > 0, nil
}

func (i Imports) add(ctx context.Context, insert string, args ...any) (bool, error) {
	result, err := i.store.write.ExecContext(ctx, insert, args...)
	if err != nil {
		return false, fmt.Errorf("import: %w", err)
	}
	n, err := result.RowsAffected()
	return n > 0, err
}
