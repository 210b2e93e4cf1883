package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/agent-discover/agent-discover/backend/market/updates"
)

// SaveLatest implements updates.Store.
func (s *Installs) SaveLatest(ctx context.Context, server int64, l updates.Latest) error {
	err := s.db.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO updates (server, latest) SELECT id, ?2 FROM servers WHERE id = ?1",
			server, toJSON(l))
		return err
	})
	if err != nil {
		return fmt.Errorf("store latest version: %w", err)
	}
	return nil
}

// Latests implements updates.Store.
func (s *Installs) Latests(ctx context.Context) (map[int64]updates.Latest, error) {
	found, err := s.db.read.QueryContext(ctx, "SELECT server, latest FROM updates")
	if err != nil {
		return nil, fmt.Errorf("read latest versions: %w", err)
	}
	defer func() { _ = found.Close() }()
	out := make(map[int64]updates.Latest)
	for found.Next() {
		var server int64
		var text sql.RawBytes
		if err := found.Scan(&server, &text); err != nil {
			return nil, fmt.Errorf("read latest versions: %w", err)
		}
		var l updates.Latest
		if json.Unmarshal(text, &l) == nil { // otherwise it is damaged, and the next check replaces it
			out[server] = l
		}
	}
	return out, found.Err()
}
