package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/calls/journal"
)

// Tallies implements journal.Store.
func (s *Calls) Tallies(ctx context.Context) ([]journal.Tally, error) {
	rows, err := s.db.read.QueryContext(ctx, "SELECT server, tool, calls, errors, latency, slowest, histogram, last_at FROM metrics")
	if err != nil {
		return nil, fmt.Errorf("read metrics: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []journal.Tally
	for rows.Next() {
		var t journal.Tally
		var latency, slowest, last int64
		var histogram []byte
		if err := rows.Scan(&t.Server, &t.Tool, &t.Calls, &t.Errors, &latency, &slowest, &histogram, &last); err != nil {
			return nil, fmt.Errorf("read metrics: %w", err)
		}
		if err := json.Unmarshal(histogram, &t.Histogram); err != nil {
			return nil, fmt.Errorf("read metrics of %s: %w", t.Server, err)
		}
		t.Latency, t.Slowest = time.Duration(latency)*time.Microsecond, time.Duration(slowest)*time.Microsecond
		t.Last = time.UnixMilli(last)
		out = append(out, t)
	}
	return out, rows.Err()
}

// replaceTallies stores tallies in tx, the transaction of AppendRecords.
func replaceTallies(ctx context.Context, tx *sql.Tx, tallies []journal.Tally) error {
	for _, t := range tallies {
		histogram, err := json.Marshal(t.Histogram)
		if err != nil {
			return fmt.Errorf("encode metrics: %w", err)
		}
		_, err = tx.ExecContext(ctx, `INSERT OR REPLACE INTO metrics
			(server, tool, calls, errors, latency, slowest, histogram, last_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			t.Server, t.Tool, t.Calls, t.Errors, t.Latency.Microseconds(), t.Slowest.Microseconds(), string(histogram), t.Last.UnixMilli())
		if err != nil {
			return fmt.Errorf("store metrics: %w", err)
		}
	}
	return nil
}

// DeleteTallies implements journal.Store.
func (s *Calls) DeleteTallies(ctx context.Context, server string) error {
	if _, err := s.db.write.ExecContext(ctx, "DELETE FROM metrics WHERE server = ?", server); err != nil {
		return fmt.Errorf("delete metrics: %w", err)
	}
	return nil
}
