package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"
)

// Salvaged describes how much of one table Salvage has read.
type Salvaged struct {
	Table    string `json:"table"`
	Rows     int    `json:"rows"`
	Complete bool   `json:"complete"` // all rows could be read, and there is no sign that some are missing
}

// Salvage creates a database with the rows of a damaged one that can still be read. It does not change the damaged file.
// Unreadable rows are not an error. After an error, the new database is incomplete, and the caller must remove it.
func Salvage(ctx context.Context, damaged, into string) (_ []Salvaged, err error) {
	s, err := Open(ctx, into)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	found, err := openWreck(ctx, damaged, into+".reading")
	if err != nil {
		return nil, err
	}
	defer found.close()
	r := rescue{s}
	tables, err := r.tables(ctx)
	if err != nil {
		return nil, err
	}
	var all []Salvaged
	for _, table := range tables {
		complete, err := r.copyTable(ctx, found, table)
		if err != nil {
			return nil, err
		}
		var copied, usable int
		count := "SELECT count(*) FROM " + table
		if err := s.db.read.QueryRowContext(ctx, count).Scan(&copied); err != nil {
			return nil, err
		}
		if err := r.dropUnreadable(ctx, table); err != nil {
			return nil, err
		}
		if err := s.db.read.QueryRowContext(ctx, count).Scan(&usable); err != nil {
			return nil, err
		}
		all = append(all, Salvaged{Table: table, Rows: usable, Complete: complete && usable == copied})
	}
	// A server whose approvals are lost must count as new. Then the definitions that it lists next count as the first
	// definitions of the server, not as changes.
	if _, err = s.db.write.ExecContext(ctx, "DELETE FROM trust_servers WHERE server NOT IN (SELECT server FROM trust_items)"); err != nil {
		return nil, err
	}
	return all, r.copySequences(ctx, found)
}

// rescue copies the readable rows of a damaged database into another one.
type rescue struct{ into *Store }

// maxSequence is the greatest id that counts as undamaged. No row could be added to a table after a row with the
// greatest id that SQLite supports.
const maxSequence = 1 << 40

// copySequences copies the last id of each table. Otherwise a new row could get the id of a lost row, and rows that
// refer to the lost row would then refer to the new one.
func (r rescue) copySequences(ctx context.Context, from *wreck) error {
	for _, old := range from.views {
		last := make(map[string]int64)
		found, err := old.QueryContext(ctx, "SELECT name, seq FROM sqlite_sequence")
		if err != nil {
			continue
		}
		for found.Next() {
			var name string
			var id int64
			if found.Scan(&name, &id) == nil && id <= maxSequence {
				last[name] = max(last[name], id)
			}
		}
		_ = found.Close() // ignore an error: the other rows cannot be read
		for name, id := range last {
			if err := r.raiseSequence(ctx, name, id); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r rescue) raiseSequence(ctx context.Context, table string, id int64) error {
	return r.into.db.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO sqlite_sequence (name, seq) SELECT name, 0 FROM sqlite_schema
			WHERE name = ?1 AND sql LIKE '%AUTOINCREMENT%' AND name NOT IN (SELECT name FROM sqlite_sequence)`, table)
		if err == nil {
			_, err = tx.ExecContext(ctx, "UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1", table, id)
		}
		return err
	})
}

// tables returns the names of the tables to copy. It leaves out the tables of SQLite, of the migrations and of the
// full-text index. It also leaves out the tables of vectors, which the hub computes again, and the tables with the copy
// of the registry and with probes, which the hub fetches again.
func (r rescue) tables(ctx context.Context) ([]string, error) {
	found, err := r.into.db.read.QueryContext(ctx, `SELECT name FROM sqlite_schema WHERE type = 'table'
		AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name NOT LIKE 'goose\_%' ESCAPE '\'
		AND name NOT IN ('vectors', 'mirror', 'mirror_state', 'mirror_vectors', 'probes')
		AND name NOT LIKE 'servers\_fts%' ESCAPE '\' ORDER BY name`)
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

// copyTable copies the readable rows of a table from each view of the damaged file in turn, until all rows of the table
// have been read.
func (r rescue) copyTable(ctx context.Context, from *wreck, table string) (complete bool, err error) {
	columns, err := columnsOf(ctx, r.into.db.read.db, table)
	if err != nil {
		return false, explain(r.into.db.read.file, err)
	}
	for _, old := range from.views {
		known := storedColumns(ctx, old, table)
		c := copying{from: old, table: table, tries: maxTries}
		for i, name := range columns {
			stored := name
			switch {
			case slices.Contains(known, name):
			case len(known) == len(columns): // the name of the column is damaged
				stored = known[i]
			default:
				continue
			}
			c.columns, c.stored = append(c.columns, name), append(c.stored, `"`+strings.ReplaceAll(stored, `"`, `""`)+`"`)
		}
		if len(c.columns) == 0 {
			continue
		}
		if err := r.into.db.change(ctx, func(tx *sql.Tx) error {
			c.to = tx
			complete, err = c.all(ctx)
			return err
		}); err != nil || complete && sound(ctx, old, table) {
			return complete, err
		}
	}
	return false, nil
}

// sound reports whether a table seems intact: SQLite finds no damage in its pages, and no other table or index has the
// same root page. If it returns false, rows may be missing even if the table can be read to its end.
func sound(ctx context.Context, db *sql.DB, table string) bool {
	var verdict string
	var roots int
	return db.QueryRowContext(ctx, "PRAGMA quick_check("+table+")").Scan(&verdict) == nil && verdict == "ok" &&
		db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema WHERE rootpage =
			(SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?)`, table).Scan(&roots) == nil && roots == 1
}

// storedColumns returns the names of a table's columns in a damaged database, and none if they cannot be read. It
// does not query sqlite_schema, other parts of which may be damaged.
func storedColumns(ctx context.Context, db *sql.DB, table string) (columns []string) {
	found, err := db.QueryContext(ctx, "SELECT name FROM pragma_table_info(?)", table)
	if err != nil {
		return nil
	}
	defer func() { _ = found.Close() }()
	for found.Next() {
		var name string
		if found.Scan(&name) != nil {
			return nil
		}
		columns = append(columns, name)
	}
	return columns
}

// maxTries limits how many ranges of row ids between the damaged pages of one table are searched for readable rows.
const maxTries = 1000

// copying copies the rows of one table.
type copying struct {
	from    *sql.DB
	to      *sql.Tx
	table   string
	columns []string
	stored  []string // the names of the columns in the damaged schema, quoted
	tries   int
}

// all copies the rows, reading the table from both ends. If the table has row ids, all also copies rows between
// damaged pages. It reports whether it has read all rows. The error is one of writing, not of reading.
func (c *copying) all(ctx context.Context) (complete bool, err error) {
	if _, failed, err := c.rows(ctx, "", " ORDER BY 1 ASC", false); err != nil || failed == nil {
		return failed == nil, err
	}
	var none int64
	if err := c.from.QueryRowContext(ctx, "SELECT rowid FROM "+c.table+" LIMIT 0").Scan(&none); !errors.Is(err, sql.ErrNoRows) {
		_, _, err := c.rows(ctx, "", " ORDER BY 1 DESC", false)
		return false, err
	}
	return false, c.between(ctx, math.MinInt64, math.MaxInt64)
}

// between copies the rows with ids from low to high. It reads from both ends up to the first unreadable row, and then
// calls itself for each half of the remaining range.
func (c *copying) between(ctx context.Context, low, high int64) error {
	where := " WHERE rowid BETWEEN " + strconv.FormatInt(low, 10) + " AND " + strconv.FormatInt(high, 10)
	if c.tries--; low > high || c.tries < 0 {
		return nil
	}
	last, failed, err := c.rows(ctx, where, " ORDER BY rowid ASC", true)
	if err != nil || failed == nil {
		return err
	}
	first, failed, err := c.rows(ctx, where, " ORDER BY rowid DESC", true)
	if err != nil || failed == nil {
		return err
	}
	if last != nil {
		low = *last + 1
	}
	if first != nil {
		high = *first - 1
	}
	if low >= high {
		return nil
	}
	// Ids are usually small positive numbers; do not search the whole range of integers.
	low, high = max(low, 0), min(high, 1<<40)
	middle := low + (high-low)/2
	if err := c.between(ctx, low, middle); err != nil {
		return err
	}
	return c.between(ctx, middle+1, high)
}

// rows copies rows in the given order until a row cannot be read. If ids is true, last is the id of the last row that
// it has copied. failed is the error of reading, or nil. Rows that already exist, and rows that violate a constraint of
// the schema, are ignored.
func (c *copying) rows(ctx context.Context, where, order string, ids bool) (last *int64, failed, err error) {
	list := strings.Join(c.columns, ", ")
	insert, err := c.to.PrepareContext(ctx,
		"INSERT OR IGNORE INTO "+c.table+" ("+list+") VALUES (?"+strings.Repeat(", ?", len(c.columns)-1)+")")
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = insert.Close() }()
	list = strings.Join(c.stored, ", ")
	if ids {
		list = "rowid, " + list
	}
	found, err := c.from.QueryContext(ctx, "SELECT "+list+" FROM "+c.table+" NOT INDEXED"+where+order)
	if err != nil {
		return nil, err, nil
	}
	defer func() { _ = found.Close() }()
	var id int64
	values := make([]any, len(c.columns))
	var into []any
	if ids {
		into = append(into, &id)
	}
	for i := range values {
		into = append(into, &values[i])
	}
	for found.Next() {
		if err := found.Scan(into...); err != nil {
			return last, err, nil
		}
		if ids {
			last = new(int64)
			*last = id
		}
		if _, err := insert.ExecContext(ctx, values...); err != nil && codeOf(err) != sqlite3.SQLITE_CONSTRAINT &&
			codeOf(err) != sqlite3.SQLITE_MISMATCH {
			return last, nil, err
		}
	}
	return last, found.Err(), nil
}

// dropUnreadable deletes copied rows whose values are so damaged that the hub could not start: single rows of the
// table servers, or all rows of any other table.
func (r rescue) dropUnreadable(ctx context.Context, table string) error {
	if table == "servers" {
		return r.dropUnreadableServers(ctx)
	}
	read, ok := r.into.loaders()[table]
	if !ok || read(ctx) == nil {
		return nil
	}
	_, err := r.into.db.write.ExecContext(ctx, "DELETE FROM "+table)
	return err
}

func (r rescue) dropUnreadableServers(ctx context.Context) error {
	ids, err := r.serverIDs(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if r.serverReadable(ctx, id) {
			continue
		}
		if err := r.into.Servers.DeleteServer(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func (r rescue) serverIDs(ctx context.Context) (ids []int64, err error) {
	found, err := r.into.db.read.QueryContext(ctx, "SELECT id FROM servers")
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

func (r rescue) serverReadable(ctx context.Context, id int64) bool {
	found, err := r.into.db.read.QueryContext(ctx, "SELECT id, "+serverColumns+" FROM servers WHERE id = ?", id)
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
