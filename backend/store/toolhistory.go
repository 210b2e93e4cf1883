package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// maxHistory is the maximum number of stored changes of a tool.
const maxHistory = 50

// keepChanges stores changes of tool definitions in tx, the transaction of ReplaceTools.
func keepChanges(ctx context.Context, tx *sql.Tx, server string, changes []catalog.Change, at time.Time) error {
	for _, c := range changes {
		_, err := tx.ExecContext(ctx,
			"INSERT INTO tool_history (at, server, tool, change, previous, current, version, definition) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			at.UnixMilli(), server, c.Tool, string(c.Kind), c.Previous, c.Current, catalog.HashVersion, string(c.Definition))
		if err == nil {
			_, err = tx.ExecContext(ctx, `DELETE FROM tool_history WHERE server = ?1 AND tool = ?2 AND id <=
				(SELECT id FROM tool_history WHERE server = ?1 AND tool = ?2 ORDER BY id DESC LIMIT 1 OFFSET ?3)`,
				server, c.Tool, maxHistory)
		}
		if err != nil {
			return fmt.Errorf("keep the changes of tools: %w", err)
		}
	}
	return nil
}

// ToolHistory returns the stored changes of a tool, the latest first.
func (s *Tools) ToolHistory(ctx context.Context, server, tool string) ([]catalog.Past, error) {
	rows, err := s.db.read.QueryContext(ctx, `SELECT at, change, previous, current, version, definition FROM tool_history
		WHERE server = ? AND tool = ? ORDER BY id DESC`, server, tool)
	if err != nil {
		return nil, fmt.Errorf("read the history of a tool: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []catalog.Past
	for rows.Next() {
		p := catalog.Past{Change: catalog.Change{Tool: tool}}
		var at int64
		var definition string
		if err := rows.Scan(&at, &p.Kind, &p.Previous, &p.Current, &p.Version, &definition); err != nil {
			return nil, fmt.Errorf("read the history of a tool: %w", err)
		}
		p.At = time.UnixMilli(at).UTC()
		if definition != "" {
			p.Definition = []byte(definition)
		}
		out = append(out, p)
	}
	return out, rows.Err()
}

// ToolsSeen returns when the tools of a server, or of all servers if server is empty, were first listed and last changed.
func (s *Tools) ToolsSeen(ctx context.Context, server string) (map[catalog.Key]catalog.Seen, error) {
	rows, err := s.db.read.QueryContext(ctx, `SELECT server, tool, min(at), max(at) FROM tool_history
		WHERE ?1 = '' OR server = ?1 GROUP BY server, tool`, server)
	if err != nil {
		return nil, fmt.Errorf("read when tools were seen: %w", err)
	}
	defer func() { _ = rows.Close() }()
	out := make(map[catalog.Key]catalog.Seen)
	for rows.Next() {
		var key catalog.Key
		var first, changed int64
		if err := rows.Scan(&key.Server, &key.Tool, &first, &changed); err != nil {
			return nil, fmt.Errorf("read when tools were seen: %w", err)
		}
		out[key] = catalog.Seen{First: time.UnixMilli(first).UTC(), Changed: time.UnixMilli(changed).UTC()}
	}
	return out, rows.Err()
}
