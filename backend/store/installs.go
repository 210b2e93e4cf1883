package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/agent-discover/agent-discover/backend/market/installer"
)

// maxVersions is the maximum number of stored versions of a server.
const maxVersions = 10

// Installs stores the installations from registries, the leftovers of installations, and the latest versions of
// servers.
type Installs struct{ db *database }

// SaveInstall implements installer.Store.
func (s *Installs) SaveInstall(ctx context.Context, i installer.Install) error {
	err := s.db.change(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "UPDATE installs SET current = 0 WHERE server = ?", i.Server); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO installs (server, listing, current, at, install) VALUES (?, ?, 1, ?, ?)",
			i.Server, i.Listing.ID(), i.At.UnixMilli(), toJSON(i))
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx,
			"DELETE FROM installs WHERE server = ?1 AND id NOT IN (SELECT id FROM installs WHERE server = ?1 ORDER BY id DESC LIMIT ?2)",
			i.Server, maxVersions)
		return err
	})
	if err != nil {
		return fmt.Errorf("store install: %w", err)
	}
	return nil
}

// Installs implements installer.Store.
func (s *Installs) Installs(ctx context.Context, server int64) ([]installer.Install, error) {
	found, err := s.db.read.QueryContext(ctx,
		"SELECT id, server, current, install FROM installs WHERE ?1 = 0 AND current = 1 OR server = ?1 ORDER BY id DESC", server)
	if err != nil {
		return nil, fmt.Errorf("read installs: %w", err)
	}
	defer func() { _ = found.Close() }()
	var out []installer.Install
	for found.Next() {
		var row installer.Install
		var text sql.RawBytes
		if err := found.Scan(&row.ID, &row.Server, &row.Current, &text); err != nil {
			return nil, fmt.Errorf("read installs: %w", err)
		}
		i := row
		if json.Unmarshal(text, &i) != nil {
			continue // damaged: the server works, but cannot return to this version
		}
		i.ID, i.Server, i.Current = row.ID, row.Server, row.Current
		out = append(out, i)
	}
	return out, found.Err()
}

// ReturnTo implements installer.Store.
func (s *Installs) ReturnTo(ctx context.Context, server, install int64) error {
	err := s.db.change(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM installs WHERE server = ? AND id > ?", server, install); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE installs SET current = 1 WHERE server = ? AND id = ?", server, install)
		return err
	})
	if err != nil {
		return fmt.Errorf("store install: %w", err)
	}
	return nil
}

// SaveLeftover implements installer.Store.
func (s *Installs) SaveLeftover(ctx context.Context, l installer.Leftover) (id int64, err error) {
	err = s.db.change(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, "INSERT INTO leftovers (leftover) VALUES (?)", toJSON(l))
		if err == nil {
			id, err = done.LastInsertId()
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("store leftover: %w", err)
	}
	return id, nil
}

// DropLeftovers implements installer.Store.
func (s *Installs) DropLeftovers(ctx context.Context, ids []int64) error {
	err := s.db.change(ctx, func(tx *sql.Tx) error {
		for _, id := range ids {
			if _, err := tx.ExecContext(ctx, "DELETE FROM leftovers WHERE id = ?", id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("delete leftovers: %w", err)
	}
	return nil
}

// Leftovers implements installer.Store.
func (s *Installs) Leftovers(ctx context.Context) (out []installer.Leftover, err error) {
	found, err := s.db.read.QueryContext(ctx, "SELECT id, leftover FROM leftovers ORDER BY id DESC")
	if err != nil {
		return nil, fmt.Errorf("read leftovers: %w", err)
	}
	defer func() { _ = found.Close() }()
	for found.Next() {
		var id int64
		var text sql.RawBytes
		if err := found.Scan(&id, &text); err != nil {
			return nil, fmt.Errorf("read leftovers: %w", err)
		}
		var l installer.Leftover
		if json.Unmarshal(text, &l) != nil {
			l = installer.Leftover{} // damaged: it is not known what the leftover was
		}
		l.ID = id
		out = append(out, l)
	}
	return out, found.Err()
}
