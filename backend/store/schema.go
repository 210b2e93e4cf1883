package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"
)

// newest returns the version of the schema that this program knows.
func newest() int64 {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil || len(names) == 0 {
		return 0
	}
	name := strings.TrimPrefix(slices.Max(names), "migrations/")
	number, _, _ := strings.Cut(name, "_")
	version, _ := strconv.ParseInt(number, 10, 64) // migrations have valid names
	return version
}

// Newer is the error for a database whose schema is newer than this program.
type Newer struct{ Version int64 }

func (n Newer) Error() string { return fmt.Sprintf("schema %d is newer than %d", n.Version, newest()) }

// verify checks that this program can use a database file. The schema must not be newer than this program, and must
// contain all objects that the migrations up to its version create. Checking the objects takes some time; unless
// whole is set, it is only done before a migration. verify does not change the file. It returns the version of the
// schema, or 0 if the file does not exist or has no tables of this program. The error is a Newer, a damage, or an
// error of reading the file.
func verify(ctx context.Context, file string, whole bool) (version int64, err error) {
	if info, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return 0, nil
	}
	db, err := open(file, "ro", 1, busyTimeout(lockWait))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var versioned, ours int
	if err := db.QueryRowContext(ctx,
		`SELECT count(*) FILTER (WHERE name = 'goose_db_version'), count(*) FILTER (WHERE name IN ('servers', 'tools'))
		FROM sqlite_schema WHERE type = 'table'`).Scan(&versioned, &ours); err != nil {
		return 0, readable(err)
	}
	switch {
	case versioned == 0 && ours == 0:
		return 0, nil // no tables of this program yet
	case versioned == 0:
		return 0, damage("the version of the schema is missing")
	}
	if err := db.QueryRowContext(ctx,
		"SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied").Scan(&version); err != nil {
		return 0, readable(err)
	}
	if version > newest() {
		return version, Newer{version}
	}
	if !whole && version == newest() {
		return version, nil
	}
	found, err := describe(ctx, db)
	if err != nil {
		return version, readable(err)
	}
	want, err := expected(ctx, version)
	if err != nil {
		return version, err
	}
	for _, name := range slices.Sorted(maps.Keys(want.described)) {
		text, exists := found[name]
		// The hub also works without an index or a trigger.
		needed := strings.HasPrefix(name, "table ") || strings.HasPrefix(name, "column ")
		if (exists || needed) && text != want.described[name] {
			return version, damage("the schema has another " + name)
		}
	}
	return version, nil
}

// readable marks an error of a statement as damage if SQLite could not understand the statement, because the
// statement works on every intact database.
func readable(err error) error {
	if codeOf(err) == sqlite3.SQLITE_ERROR {
		return damage(err.Error())
	}
	return err
}

// schema describes the tables and other objects that the migrations up to some version create.
type schema struct {
	described map[string]string // descriptions by type and name, from describe
	tables    map[string]string // the statements that create tables, by name
}

// expected returns the schema of a version. It runs the migrations in a database in memory.
func expected(ctx context.Context, version int64) (schema, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return schema{}, err
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	provider, err := provide(db)
	if err != nil {
		return schema{}, err
	}
	if _, err := provider.UpTo(ctx, version); err != nil {
		return schema{}, fmt.Errorf("make the schema in memory: %w", err)
	}
	s := schema{tables: make(map[string]string)}
	if s.described, err = describe(ctx, db); err != nil {
		return schema{}, err
	}
	rows, err := db.QueryContext(ctx, "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL")
	if err != nil {
		return schema{}, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name, statement string
		if err := rows.Scan(&name, &statement); err != nil {
			return schema{}, err
		}
		s.tables[name] = statement
	}
	return s, rows.Err()
}

// describe returns descriptions of tables, columns, indexes, triggers and views, by type and name. White space in
// the SQL statements of the schema does not matter. Each column has its own description, so that the descriptions of
// a table with additional columns include those of the table without these columns.
func describe(ctx context.Context, db *sql.DB) (map[string]string, error) {
	const query = `
		SELECT 'table ' || name, 'exists' FROM sqlite_schema WHERE type = 'table'
		UNION ALL
		SELECT 'column ' || s.name || '.' || c.name, c.type || ' ' || c."notnull" || ' ' || coalesce(c.dflt_value, '') || ' ' || c.pk
			FROM sqlite_schema AS s, pragma_table_xinfo(s.name) AS c WHERE s.type = 'table' AND s.sql NOT LIKE 'CREATE VIRTUAL%'
		UNION ALL
		SELECT 'index ' || s.name, s.tbl_name || ' ' || (SELECT group_concat(coalesce(i.name, '?')) FROM pragma_index_info(s.name) AS i)
			FROM sqlite_schema AS s WHERE s.type = 'index'
		UNION ALL
		SELECT type || ' ' || name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view')`
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	found := make(map[string]string)
	for rows.Next() {
		var name string
		var text sql.NullString
		if err := rows.Scan(&name, &text); err != nil {
			return nil, err
		}
		found[name] = strings.Join(strings.Fields(text.String), " ")
	}
	return found, rows.Err()
}
