package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
)

// originalTables lists the tables and columns that are read from a database of the original product. Tables and
// columns that the database does not have are skipped.
var originalTables = []struct {
	name    string
	columns []string
	rows    func(*setup.Original) *[]setup.Row
}{
	{
		"servers",
		[]string{
			"id", "name", "description", "source", "command", "args", "env", "tags", "package_name", "package_version",
			"latest_version", "transport", "repository", "homepage", "installed", "active", "url", "headers", "enabled", "quarantined",
		},
		func(o *setup.Original) *[]setup.Row { return &o.Servers },
	},
	{
		"server_tools",
		[]string{"server_id", "name", "title", "description", "input_schema", "output_schema", "annotations"},
		func(o *setup.Original) *[]setup.Row { return &o.Tools },
	},
	{
		"server_secrets",
		[]string{"server_id", "key", "value"},
		func(o *setup.Original) *[]setup.Row { return &o.Secrets },
	},
	{
		"server_metrics",
		[]string{"server_id", "tool_name", "call_count", "error_count", "total_latency_ms", "last_called_at"},
		func(o *setup.Original) *[]setup.Row { return &o.Metrics },
	},
	{
		"test_presets",
		[]string{"server_name", "kind", "target_name", "preset_name", "payload"},
		func(o *setup.Original) *[]setup.Row { return &o.Presets },
	},
}

// ReadOriginal reads a copy of a database of the original product. SQLite may write to
// the copy, and to files beside it, to roll back a transaction that was in progress.
// Errors are faults that do not name the file.
func ReadOriginal(ctx context.Context, file string) (setup.Original, error) {
	var o setup.Original
	// Do not trust the schema: functions in it must not run.
	db, err := open(file, "rw", 1, "query_only(1)", "trusted_schema(0)")
	if err != nil {
		return o, err
	}
	defer func() { _ = db.Close() }()
	for _, table := range originalTables {
		columns, err := columnsOf(ctx, db, table.name)
		if err != nil {
			return o, notOriginal(err)
		}
		known := slices.DeleteFunc(slices.Clone(table.columns), func(c string) bool { return !slices.Contains(columns, c) })
		if !slices.Contains(known, table.columns[0]) { // there is no such table, or another table has the name
			if required := table.name == "servers" || table.name == "server_tools"; required {
				return o, fault.New(fault.Invalid, "it is a database, but not one of agent-discover 1 or 2 (there is no table %s)",
					table.name)
			}
			continue
		}
		if *table.rows(&o), err = readRows(ctx, db, table.name, known); err != nil {
			return o, notOriginal(err)
		}
	}
	return o, nil
}

// notOriginal turns an error of reading the database into a fault with advice.
func notOriginal(err error) error {
	switch {
	case codeOf(err) == sqlite3.SQLITE_NOTADB:
		return fault.Wrap(err, fault.Invalid, "it is not an SQLite database")
	case Damaged(err):
		return fault.Wrap(err, fault.Failed, "it is damaged, or was being written to; stop the program that uses it and try again")
	}
	return fault.Wrap(err, fault.Unavailable, "it could not be read")
}

// columnsOf returns the names of a table's columns. It returns none if the
// table does not exist or is a view.
func columnsOf(ctx context.Context, db *sql.DB, table string) ([]string, error) {
	rows, err := db.QueryContext(ctx, `SELECT info.name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS info
		WHERE tables.type = 'table' AND tables.name = ?`, table)
	if err != nil {
		return nil, fmt.Errorf("columns of %s: %w", table, err)
	}
	defer func() { _ = rows.Close() }()
	var columns []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, fmt.Errorf("columns of %s: %w", table, err)
		}
		columns = append(columns, name)
	}
	return columns, rows.Err()
}

// readRows checks a table for damage and reads its rows. The check is needed because a copy of a database that was
// being written to may be damaged without causing read errors.
func readRows(ctx context.Context, db *sql.DB, table string, columns []string) ([]setup.Row, error) {
	var verdict string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check('"+table+"')").Scan(&verdict); err != nil || verdict != "ok" {
		return nil, errors.Join(err, damage(table+": "+verdict))
	}
	quoted := make([]string, len(columns))
	for i, c := range columns {
		quoted[i] = "CAST(" + c + " AS TEXT)" // SQLite does not enforce the types of columns
	}
	rows, err := db.QueryContext(ctx, "SELECT "+strings.Join(quoted, ", ")+" FROM "+table+" ORDER BY rowid")
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", table, err)
	}
	defer func() { _ = rows.Close() }()
	var out []setup.Row
	for rows.Next() {
		row, err := readRow(rows, columns)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", table, err)
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

func readRow(rows *sql.Rows, columns []string) (setup.Row, error) {
	values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	if err := rows.Scan(into...); err != nil {
		return nil, err
	}
	row := make(setup.Row, len(columns))
	for i, v := range values {
		if v.Valid {
			row[columns[i]] = strings.ToValidUTF8(v.String, "\ufffd")
		}
	}
	return row, nil
}
