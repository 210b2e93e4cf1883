package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/calls/inspector"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
)

const presetColumns = "id, server, kind, target, name, payload, created_at, updated_at"

// Presets stores saved arguments of tools.
type Presets struct{ db *database }

// Presets implements inspector.PresetStore.
func (s *Presets) Presets(ctx context.Context, f inspector.PresetFilter) ([]inspector.Preset, error) {
	rows, err := s.db.read.QueryContext(ctx, "SELECT "+presetColumns+` FROM presets
		WHERE (?1 = '' OR server = ?1) AND (?2 = '' OR kind = ?2) AND (?3 = '' OR target = ?3)
		ORDER BY server, target, name`, f.Server, f.Kind, f.Target)
	if err != nil {
		return nil, fmt.Errorf("read presets: %w", err)
	}
	defer func() { _ = rows.Close() }()
	out := []inspector.Preset{}
	for rows.Next() {
		p, err := scanPreset(rows.Scan)
		if err != nil {
			return nil, fmt.Errorf("read presets: %w", err)
		}
		out = append(out, p)
	}
	return out, rows.Err()
}

// SavePreset implements inspector.PresetStore.
func (s *Presets) SavePreset(ctx context.Context, p inspector.Preset) (inspector.Preset, error) {
	var saved inspector.Preset
	err := s.db.change(ctx, func(tx *sql.Tx) (err error) {
		row := tx.QueryRowContext(ctx, `INSERT INTO presets (server, kind, target, name, payload, created_at, updated_at)
			VALUES (?, ?, ?, ?, ?, ?6, ?6)
			ON CONFLICT (server, kind, target, name) DO UPDATE SET payload = excluded.payload, updated_at = excluded.updated_at
			RETURNING `+presetColumns, p.Server, p.Kind, p.Target, p.Name, string(p.Payload), time.Now().UnixMilli())
		saved, err = scanPreset(row.Scan)
		return err
	})
	if err != nil {
		return saved, fmt.Errorf("save preset: %w", err)
	}
	return saved, nil
}

// DeletePreset implements inspector.PresetStore.
func (s *Presets) DeletePreset(ctx context.Context, id int64) (bool, error) {
	result, err := s.db.write.ExecContext(ctx, "DELETE FROM presets WHERE id = ?", id)
	if err != nil {
		return false, fmt.Errorf("delete preset: %w", err)
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

func scanPreset(scan func(...any) error) (inspector.Preset, error) {
	var p inspector.Preset
	var payload string
	var created, updated int64
	err := scan(&p.ID, &p.Server, &p.Kind, &p.Target, &p.Name, &payload, &created, &updated)
	p.Payload, p.CreatedAt, p.UpdatedAt = json.RawMessage(payload), fromMillis(created), fromMillis(updated)
	return p, err
}

// AddPreset implements setup.Presets.
func (s *Presets) AddPreset(ctx context.Context, p setup.Preset, dry bool) (bool, error) {
	if dry {
		var n int
		err := s.db.read.QueryRowContext(ctx, "SELECT count(*) FROM presets WHERE server = ? AND kind = ? AND target = ? AND name = ?",
			p.Server, p.Kind, p.Target, p.Name).Scan(&n)
		if err != nil {
			return false, fmt.Errorf("look up preset: %w", err)
		}
		return n == 0, nil
	}
	result, err := s.db.write.ExecContext(ctx, `INSERT INTO presets (server, kind, target, name, payload, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?6, ?6) ON CONFLICT DO NOTHING`,
		p.Server, p.Kind, p.Target, p.Name, string(p.Payload), time.Now().UnixMilli())
	if err != nil {
		return false, fmt.Errorf("add preset: %w", err)
	}
	n, err := result.RowsAffected()
	return n > 0, err
}
