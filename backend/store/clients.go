package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/doors/gateway"
)

// maxClients is the maximum number of stored clients. Without a limit, clients could fill the table, because they
// choose their own names.
const maxClients = 200

// Clients stores the clients that have connected to the hub.
type Clients struct{ db *database }

// Clients implements gateway.ClientStore.
func (s *Clients) Clients(ctx context.Context) ([]gateway.SeenClient, error) {
	rows, err := s.db.read.QueryContext(ctx, "SELECT name, version, first_seen, last_seen, listed_tokens, whole_tokens FROM clients")
	if err != nil {
		return nil, fmt.Errorf("read clients: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []gateway.SeenClient
	for rows.Next() {
		var c gateway.SeenClient
		var first, last int64
		if err := rows.Scan(&c.Name, &c.Version, &first, &last, &c.Listed, &c.Whole); err != nil {
			return nil, fmt.Errorf("read clients: %w", err)
		}
		c.First, c.Last = time.UnixMilli(first), time.UnixMilli(last)
		out = append(out, c)
	}
	return out, rows.Err()
}

// KeepClient implements gateway.ClientStore. If there are more than maxClients
// clients, it deletes those that were seen least recently.
func (s *Clients) KeepClient(ctx context.Context, c gateway.SeenClient) error {
	return s.db.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO clients (name, version, first_seen, last_seen, listed_tokens, whole_tokens)
			VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (name) DO UPDATE SET version = excluded.version, last_seen = excluded.last_seen,
				listed_tokens = excluded.listed_tokens, whole_tokens = excluded.whole_tokens`,
			c.Name, c.Version, c.First.UnixMilli(), c.Last.UnixMilli(), c.Listed, c.Whole)
		if err != nil {
			return fmt.Errorf("store client: %w", err)
		}
		_, err = tx.ExecContext(ctx,
			"DELETE FROM clients WHERE name IN (SELECT name FROM clients ORDER BY last_seen DESC LIMIT -1 OFFSET ?)", maxClients)
		if err != nil {
			return fmt.Errorf("delete old clients: %w", err)
		}
		return nil
	})
}
