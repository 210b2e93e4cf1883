//go:build linux

package cli_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// table is a table of a database.
type table struct {
	columns []string
	rows    []map[string]any
}

// readTables reads all tables of a database, without those that SQLite derives from others.
func readTables(t *testing.T, file string) map[string]table {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	names := query(t, db, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%\_fts%' ESCAPE '\'
		AND name <> 'goose_db_version'`)
	all := make(map[string]table)
	for _, n := range names.rows {
		name := n["name"].(string)
		all[name] = query(t, db, fmt.Sprintf("SELECT * FROM %q", name))
	}
	return all
}

func query(t *testing.T, db *sql.DB, statement string) table {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), statement)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var result table
	if result.columns, err = rows.Columns(); err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values := make([]any, len(result.columns))
		into := make([]any, len(values))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		row := make(map[string]any)
		for i, column := range result.columns {
			row[column] = values[i]
		}
		result.rows = append(result.rows, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return result
}

// texts returns the rows with some columns only, sorted.
func (t table) texts(columns []string) (texts []string) {
	for _, row := range t.rows {
		var text strings.Builder
		for _, column := range columns {
			fmt.Fprintf(&text, "%s=%v ", column, row[column])
		}
		texts = append(texts, text.String())
	}
	slices.Sort(texts)
	return texts
}
