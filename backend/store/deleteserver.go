package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/agent-discover/agent-discover/backend/calls/toolset"
)

// DeleteServer implements registry.Store. In the same transaction it deletes everything that a later server of the same
// name must not inherit, and marks the records of secrets as dropped. Arguments that the user has saved stay. Until
// Renames.Renamed, Renames.Pending returns the name of the server and an empty new name.
func (s *Servers) DeleteServer(ctx context.Context, id int64) error {
	err := s.db.change(ctx, func(tx *sql.Tx) error {
		var name string
		err := tx.QueryRowContext(ctx, "DELETE FROM servers WHERE id = ? RETURNING name", id).Scan(&name)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		statements := []string{
			"UPDATE secrets SET kept = '" + dropped + "' || kept WHERE server = ?1 AND kept NOT LIKE '" + dropped + "%'",
			"DELETE FROM client_tokens WHERE surface = 'server:' || ?1",
			"INSERT INTO renames (former, name) VALUES (?1, '')",
		}
		for _, c := range renamed {
			if !c.inherits && c.table != "presets" {
				statements = append(statements, "DELETE FROM "+c.table+" WHERE "+c.column+" = ?1")
			}
		}
		for _, statement := range statements {
			if _, err := tx.ExecContext(ctx, statement, name); err != nil {
				return err
			}
		}
		return renaming{ctx: ctx, tx: tx, from: name}.toolReferences(func(one *toolset.Reference) { one.Hash, one.Pinned = "", nil })
	})
	if err != nil {
		return fmt.Errorf("delete server: %w", err)
	}
	return nil
}
