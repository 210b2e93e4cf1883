package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// wreck is a damaged database from which as many rows as possible are read. Its views are opened copies of the file:
// the first has the expected schema and a corrected header, the second has only a corrected header, and the third is
// unchanged.
type wreck struct {
	views []*sql.DB
	files []string
}

// openTolerant opens a database so that SQLite skips damaged rows of the schema. The pragma writable_schema must be
// the first one, because the others read the schema.
func openTolerant(file string) (*sql.DB, error) {
	query := url.Values{"mode": {"rw"}, "_pragma": {"writable_schema(1)", busyTimeout(lockWait), "trusted_schema(0)", "cell_size_check(0)"}}
	uri := url.URL{Scheme: "file", OmitHost: true, Path: toSlash(file), RawQuery: query.Encode()}
	db, err := sql.Open("sqlite", uri.String())
	if err != nil {
		return nil, fmt.Errorf("open the damaged database: %w", err)
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// openWreck copies a damaged database to files whose names begin with scratch, and opens them.
func openWreck(ctx context.Context, damaged, scratch string) (_ *wreck, err error) {
	w := &wreck{}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	for i, kind := range []struct{ adopt, mend bool }{{true, true}, {false, true}, {false, false}} {
		file := fmt.Sprintf("%s%d", scratch, i)
		w.files = append(w.files, file)
		for _, suffix := range []string{"", "-wal"} {
			if err := copyFile(damaged+suffix, file+suffix); err != nil && !(suffix != "" && errors.Is(err, fs.ErrNotExist)) {
				return nil, fault.Wrap(err, fault.Unavailable, "could not copy the damaged database: %s", paths.Reason(err))
			}
		}
		if kind.mend {
			if err := mendHeader(file); err != nil {
				return nil, fault.Wrap(err, fault.Unavailable, "could not copy the damaged database: %s", paths.Reason(err))
			}
		}
		db, err := openTolerant(file)
		if err != nil {
			return nil, err
		}
		if kind.adopt {
			if adoptSchema(ctx, db) != nil || db.Close() != nil { // the other views remain
				_ = db.Close()
				continue
			}
			if db, err = openTolerant(file); err != nil { // open it again with the new schema
				return nil, err
			}
		}
		w.views = append(w.views, db)
	}
	return w, nil
}

// close closes the views and removes their files.
func (w *wreck) close() {
	for _, db := range w.views {
		_ = db.Close()
	}
	for _, file := range w.files {
		for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
			_ = os.Remove(file + suffix)
		}
	}
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// mendHeader corrects the fields of the header that prevent SQLite from reading anything: see
// https://www.sqlite.org/fileformat2.html#the_database_header. It extends an incomplete last page.
func mendHeader(file string) error {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	h := make([]byte, 100)
	info, err := f.Stat()
	if err == nil {
		_, err = f.ReadAt(h, 0)
	}
	if err != nil {
		_ = f.Close()
		if errors.Is(err, io.EOF) {
			return nil // shorter than a header; nothing can be read
		}
		return err
	}
	size := int64(binary.BigEndian.Uint16(h[16:]))
	if size == 1 {
		size = 1 << 16
	}
	if size < 512 || size&(size-1) != 0 {
		size = 4096 // the default of SQLite
		binary.BigEndian.PutUint16(h[16:], uint16(size))
	}
	pages := (info.Size() + size - 1) / size
	copy(h, "SQLite format 3\x00")
	for i, v := range []byte{64, 32, 32} { // these three fields have fixed values
		h[21+i] = v
	}
	if h[18] > 2 || h[18] == 0 || h[19] > 2 || h[19] == 0 {
		h[18], h[19] = 2, 2
	}
	h[20] = 0                                         // bytes reserved at the end of a page
	binary.BigEndian.PutUint32(h[28:], uint32(pages)) // size in pages
	binary.BigEndian.PutUint32(h[32:], 0)             // no free pages, so that a damaged list is not read
	binary.BigEndian.PutUint32(h[36:], 0)             // number of free pages
	binary.BigEndian.PutUint32(h[44:], 4)             // format of the schema
	binary.BigEndian.PutUint32(h[52:], 0)             // no automatic vacuum
	binary.BigEndian.PutUint32(h[56:], 1)             // UTF-8
	binary.BigEndian.PutUint32(h[64:], 0)             // no incremental vacuum
	copy(h[92:96], h[24:28])                          // makes SQLite trust the size in pages
	_, err = f.WriteAt(h, 0)
	return errors.Join(err, f.Truncate(pages*size), f.Close())
}

// adoptSchema replaces the stored statements of the hub's tables by the expected ones. It removes indexes, triggers
// and views, which are not needed to read rows. SQLite reads the new schema when the database is opened again.
func adoptSchema(ctx context.Context, db *sql.DB) error {
	version := newest()
	var stored int64
	if db.QueryRowContext(ctx, "SELECT max(version_id) FROM goose_db_version WHERE is_applied").Scan(&stored) == nil && stored > 0 &&
		stored < version {
		version = stored
	}
	want, err := expected(ctx, version)
	if err != nil {
		return err
	}
	for name, statement := range want.tables {
		// Recognize a table by either of its names, or by its statement.
		_, err := db.ExecContext(ctx, `UPDATE sqlite_schema SET type = 'table', name = ?1, tbl_name = ?1, sql = ?2
			WHERE rootpage > 0 AND (type = 'table' OR sql LIKE 'CREATE TABLE%')
			AND (name = ?1 OR tbl_name = ?1 AND sql LIKE 'CREATE TABLE%' OR sql = ?2)`, name, statement)
		if err != nil && !Damaged(err) {
			return err
		}
	}
	_, err = db.ExecContext(ctx,
		"DELETE FROM sqlite_schema WHERE type IN ('trigger', 'view') OR type = 'index' AND name NOT LIKE 'sqlite_autoindex%'")
	return err
}
