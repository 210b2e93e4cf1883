package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/discovery/learning"
)

// Learning stores which tools agents called after which queries.
type Learning struct{ db *database }

// Learned implements learning.Store.
func (s *Learning) Learned(ctx context.Context) (learning.Kept, error) {
	var out learning.Kept
	var set learning.Switch
	err := s.db.read.QueryRowContext(ctx, "SELECT is_on, configured FROM learning_switch").Scan(&set.On, &set.Configured)
	switch {
	case err == nil:
		out.Switch = &set
	case !errors.Is(err, sql.ErrNoRows):
		return out, fmt.Errorf("read whether learning is on: %w", err)
	}
	err = s.db.read.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'learned'").Scan(&out.LastID)
	if err != nil {
		return out, fmt.Errorf("read the last id of learned pairs: %w", err)
	}
	rows, err := s.db.read.QueryContext(ctx, "SELECT id, query, server, tool, times, failed, last FROM learned ORDER BY id")
	if err != nil {
		return out, fmt.Errorf("read learned pairs: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var p learning.Pair
		var last int64
		if err := rows.Scan(&p.ID, &p.Query, &p.Tool.Server, &p.Tool.Tool, &p.Times, &p.Failed, &last); err != nil {
			return out, fmt.Errorf("read learned pairs: %w", err)
		}
		p.Last = time.UnixMilli(last)
		out.Pairs = append(out.Pairs, p)
	}
	return out, rows.Err()
}

// KeepLearned implements learning.Store.
func (s *Learning) KeepLearned(ctx context.Context, pairs []learning.Pair, gone []int64) error {
	return s.db.change(ctx, func(tx *sql.Tx) error {
		for _, p := range pairs {
			_, err := tx.ExecContext(ctx, `INSERT INTO learned (id, query, server, tool, times, failed, last) VALUES (?, ?, ?, ?, ?, ?, ?)
				ON CONFLICT (id) DO UPDATE SET query = excluded.query, server = excluded.server, tool = excluded.tool,
					times = excluded.times, failed = excluded.failed, last = excluded.last`,
				p.ID, p.Query, p.Tool.Server, p.Tool.Tool, p.Times, p.Failed, p.Last.UnixMilli())
			if err != nil {
				return fmt.Errorf("store learned pairs: %w", err)
			}
		}
		return deleteLearned(ctx, tx, gone)
	})
}

// EraseLearned implements learning.Store.
func (s *Learning) EraseLearned(ctx context.Context, ids []int64) error {
	err := s.db.change(ctx, func(tx *sql.Tx) error {
		if ids != nil {
			return deleteLearned(ctx, tx, ids)
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM learned"); err != nil {
			return fmt.Errorf("delete all learned pairs: %w", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.db.scrub(ctx)
}

func deleteLearned(ctx context.Context, tx *sql.Tx, ids []int64) error {
	for _, id := range ids {
		if _, err := tx.ExecContext(ctx, "DELETE FROM learned WHERE id = ?", id); err != nil {
			return fmt.Errorf("delete learned pairs: %w", err)
		}
	}
	return nil
}

// KeepLearningSwitch implements learning.Store.
func (s *Learning) KeepLearningSwitch(ctx context.Context, set learning.Switch) error {
	_, err := s.db.write.ExecContext(ctx, `INSERT INTO learning_switch (one, is_on, configured) VALUES (1, ?, ?)
		ON CONFLICT (one) DO UPDATE SET is_on = excluded.is_on, configured = excluded.configured`, set.On, set.Configured)
	if err != nil {
		return fmt.Errorf("store whether learning is on: %w", err)
	}
	return nil
}
