package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
)

// Vectors implements embedding.Store in one table of vectors. uses is the name of another table, whose column hash
// contains the hashes of all texts for which vectors are kept.
type Vectors struct {
	db          *database
	table, uses string
}

// Vectors implements embedding.Store.
func (v *Vectors) Vectors(ctx context.Context, model string, visit func(hash string, scale float32, data []byte)) error {
	// The unary + prevents the use of the index: nearly all rows belong to one model, so reading them in the order of
	// the table is faster.
	rows, err := v.db.read.QueryContext(ctx, "SELECT hash, scale, data FROM "+v.table+" WHERE +model = ?", model)
	if err != nil {
		return fmt.Errorf("read vectors: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var hash string
		var scale float64
		var data sql.RawBytes
		if err := rows.Scan(&hash, &scale, &data); err != nil {
			return fmt.Errorf("read vectors: %w", err)
		}
		visit(hash, float32(scale), data)
	}
	return rows.Err()
}

// KeepVectors implements embedding.Store.
func (v *Vectors) KeepVectors(ctx context.Context, model string, made []embedding.Made) error {
	return v.db.change(ctx, func(tx *sql.Tx) error {
		for _, m := range made {
			data := make([]byte, len(m.Vector.Values))
			for i, value := range m.Vector.Values {
				data[i] = byte(value)
			}
			_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO "+v.table+" (model, hash, scale, data, gone) VALUES (?, ?, ?, ?, 0)",
				model, m.Hash, float64(m.Vector.Scale), data)
			if err != nil {
				return fmt.Errorf("store vectors: %w", err)
			}
		}
		return nil
	})
}

// TidyVectors implements embedding.Store.
func (v *Vectors) TidyVectors(ctx context.Context, model string, now time.Time, keep time.Duration) error {
	return v.db.change(ctx, func(tx *sql.Tx) error {
		for _, step := range []struct {
			query string
			args  []any
		}{
			{"DELETE FROM " + v.table + " WHERE model <> ?", []any{model}},
			{"UPDATE " + v.table + " SET gone = 0 WHERE gone <> 0 AND hash IN (SELECT hash FROM " + v.uses + ")", nil},
			{"DELETE FROM " + v.table + " WHERE gone <> 0 AND gone < ?", []any{now.Add(-keep).UnixMilli()}},
			{
				"UPDATE " + v.table + " SET gone = ? WHERE gone = 0 AND hash NOT IN (SELECT hash FROM " + v.uses + ")",
				[]any{now.UnixMilli()},
			},
		} {
			if _, err := tx.ExecContext(ctx, step.query, step.args...); err != nil {
				return fmt.Errorf("delete old vectors: %w", err)
			}
		}
		return nil
	})
}
