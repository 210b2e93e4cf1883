package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/servers/inspector"
)

// Salvaged is what Salvage has read from one table.
type Salvaged struct {
	Table    string `json:"table"`
	Rows     int    `json:"rows"`
	Complete bool   `json:"complete"` // whether all rows could be read
}

// Salvage creates a database with the rows of a damaged one that can still be
// read. It does not change the damaged file. An error means that the new
// database could not be written; the caller then removes it.
func Salvage(ctx context.Context, damaged, into string) (_ []Salvaged, err error) {
	s, err := Open(ctx, into)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	old, err := open(damaged, "ro", 1, busyTimeout(lockWait), "trusted_schema(0)")
	if err != nil {
		return nil, err
	}
	defer func() { _ = old.Close() }()
	tables, err := s.tables(ctx)
	if err != nil {
		return nil, err
	}
	var all []Salvaged
	for _, table := range tables {
		complete, err := s.copyTable(ctx, old, table)
		if err != nil {
			return nil, err
		}
		var copied, usable int
		count := "SELECT count(*) FROM " + table
		if err := s.read.QueryRowContext(ctx, count).Scan(&copied); err != nil {
			return nil, err
		}
		if err := s.dropUnreadable(ctx, table); err != nil {
			return nil, err
		}
		if err := s.read.QueryRowContext(ctx, count).Scan(&usable); err != nil {
			return nil, err
		}
		all = append(all, Salvaged{Table: table, Rows: usable, Complete: complete && usable == copied})
	}
	// Of a server whose approvals are lost, the next lists count as its first ones.
	_, err = s.write.ExecContext(ctx, "DELETE FROM trust_servers WHERE server NOT IN (SELECT server FROM trust_items)")
	return all, err
}

// tables returns the names of the tables whose rows other packages have stored,
// without the vectors, which are computed again, and the copy of the registry, which is read again.
func (s *Store) tables(ctx context.Context) ([]string, error) {
	found, err := s.read.QueryContext(ctx, `SELECT name FROM sqlite_schema WHERE type = 'table'
		AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name NOT IN ('vectors', 'mirror', 'mirror_state', 'mirror_vectors', 'probes') AND name NOT LIKE 'goose\_%' ESCAPE '\' AND name NOT LIKE 'servers\_fts%' ESCAPE '\' ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	defer func() { _ = found.Close() }()
	var names []string
	for found.Next() {
		var name string
		if err := found.Scan(&name); err != nil {
			return nil, fmt.Errorf("list tables: %w", err)
		}
		names = append(names, name)
	}
	return names, found.Err()
}

// copyTable copies the rows of a table that can be read. The damage is often in
// one place, so it reads the table from both ends.
func (s *Store) copyTable(ctx context.Context, old *sql.DB, table string) (complete bool, err error) {
	columns, err := columnsOf(ctx, s.read.db, table)
	if err != nil {
		return false, explain(s.read.file, err)
	}
	known, err := columnsOf(ctx, old, table)
	if err != nil || len(known) == 0 {
		return false, nil
	}
	columns = slices.DeleteFunc(columns, func(c string) bool { return !slices.Contains(known, c) })
	order := columns[0]
	if err := old.QueryRowContext(ctx, "SELECT 'rowid' FROM sqlite_schema WHERE name = ? AND sql NOT LIKE '%WITHOUT ROWID%'", table).Scan(&order); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	for _, direction := range []string{"ASC", "DESC"} {
		failed := error(nil)
		err := s.change(ctx, func(tx *sql.Tx) error {
			failed, err = copyRows(ctx, tx, old, table, columns, " ORDER BY "+order+" "+direction)
			return err
		})
		if err != nil || failed == nil {
			return failed == nil, err
		}
	}
	return false, nil
}

// copyRows copies rows in an order until one cannot be read, which failed tells.
// Rows that were copied before are ignored.
func copyRows(ctx context.Context, to *sql.Tx, from *sql.DB, table string, columns []string, order string) (failed, err error) {
	list := strings.Join(columns, ", ")
	insert, err := to.PrepareContext(ctx, "INSERT OR IGNORE INTO "+table+" ("+list+") VALUES (?"+strings.Repeat(", ?", len(columns)-1)+")")
	if err != nil {
		return nil, err
	}
	defer func() { _ = insert.Close() }()
	found, err := from.QueryContext(ctx, "SELECT "+list+" FROM "+table+" NOT INDEXED"+order)
	if err != nil {
		return err, nil
	}
	defer func() { _ = found.Close() }()
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for found.Next() {
		if err := found.Scan(into...); err != nil {
			return err, nil
		}
		if _, err := insert.ExecContext(ctx, values...); err != nil {
			return nil, err
		}
	}
	return found.Err(), nil
}

// dropUnreadable deletes what was copied to a table if its values are so
// damaged that the hub could not start: single servers, or all rows of another
// table.
func (s *Store) dropUnreadable(ctx context.Context, table string) error {
	var err error
	switch table {
	case "servers":
		return s.dropUnreadableServers(ctx)
	case "tools":
		_, err = s.Tools(ctx)
	case "listings":
		_, err = s.Listings(ctx)
	case "slugs":
		_, err = s.Slugs(ctx)
	case "metrics":
		_, err = s.Tallies(ctx)
	case "learned", "learning_switch":
		_, err = s.Learned(ctx)
	case "clients":
		_, err = s.Clients(ctx)
	case "secrets":
		_, err = s.Secrets(ctx, "")
	case "secret_links":
		_, err = s.SecretLinks(ctx)
	case "presets":
		_, err = s.Presets(ctx, inspector.PresetFilter{})
	case "answers":
		_, err = s.Answers(ctx)
	}
	if err == nil {
		return nil
	}
	_, err = s.write.ExecContext(ctx, "DELETE FROM "+table)
	return err
}

func (s *Store) dropUnreadableServers(ctx context.Context) error {
	ids, err := s.serverIDs(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if s.serverReadable(ctx, id) {
			continue
		}
		if err := s.DeleteServer(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) serverIDs(ctx context.Context) (ids []int64, err error) {
	found, err := s.read.QueryContext(ctx, "SELECT id FROM servers")
	if err != nil {
		return nil, err
	}
	defer func() { _ = found.Close() }()
	for found.Next() {
		var id int64
		if err := found.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, found.Err()
}

func (s *Store) serverReadable(ctx context.Context, id int64) bool {
	found, err := s.read.QueryContext(ctx, "SELECT id, "+serverColumns+" FROM servers WHERE id = ?", id)
	if err != nil {
		return false
	}
	defer func() { _ = found.Close() }()
	if !found.Next() {
		return false
	}
	_, err = scanServer(found)
	return err == nil
}
