package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// Probes stores the results of probes of remote servers' addresses.
type Probes struct{ db *database }

// Probes implements probe.Store.
func (s *Probes) Probes(ctx context.Context, urls []string) (map[string]listing.Probe, error) {
	found, err := s.db.read.QueryContext(ctx, "SELECT url, at, answer, detail FROM probes WHERE url IN (SELECT value FROM json_each(?))",
		toJSON(urls))
	if err != nil {
		return nil, fmt.Errorf("read probes: %w", err)
	}
	defer func() { _ = found.Close() }()
	out := make(map[string]listing.Probe)
	for found.Next() {
		var url string
		var at int64
		var p listing.Probe
		if err := found.Scan(&url, &at, &p.Answer, &p.Detail); err != nil {
			return nil, fmt.Errorf("read probes: %w", err)
		}
		p.At = fromMillis(at)
		out[url] = p
	}
	return out, found.Err()
}

// maxProbes is the maximum number of stored probes.
const maxProbes = 20_000

// SaveProbe implements probe.Store. If there are more than maxProbes probes, it deletes the oldest ones.
func (s *Probes) SaveProbe(ctx context.Context, url string, p listing.Probe) error {
	err := s.db.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO probes (url, at, answer, detail) VALUES (?, ?, ?, ?)",
			url, p.At.UnixMilli(), p.Answer, strings.ToValidUTF8(p.Detail, "\uFFFD"))
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM probes WHERE url IN (SELECT url FROM probes ORDER BY at DESC LIMIT -1 OFFSET ?)",
			maxProbes)
		return err
	})
	if err != nil {
		return fmt.Errorf("store probe: %w", err)
	}
	return nil
}
