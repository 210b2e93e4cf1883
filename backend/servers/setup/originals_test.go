package setup_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // creates databases as the original product does

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
	"github.com/agent-discover/agent-discover/backend/store"
)

// The schema of a database of the original product, from which setup.Importer
// imports servers. schemaServers creates the tables that older versions have;
// version 1.4 has the tables and columns of schemaRest too.
const (
	schemaServers = `CREATE TABLE servers (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, description TEXT, source TEXT, command TEXT,
		args TEXT, env TEXT, tags TEXT, package_name TEXT, package_version TEXT, transport TEXT, repository TEXT, homepage TEXT,
		installed BOOLEAN, active BOOLEAN, created_at TEXT, updated_at TEXT);
		CREATE TABLE server_tools (id INTEGER PRIMARY KEY, server_id INTEGER, name TEXT, description TEXT, input_schema TEXT);`
	schemaRest = `ALTER TABLE servers ADD COLUMN latest_version TEXT; ALTER TABLE servers ADD COLUMN health_status TEXT;
		ALTER TABLE server_tools ADD COLUMN embedding TEXT;
		CREATE TABLE server_secrets (id INTEGER PRIMARY KEY, server_id INTEGER, key TEXT, value TEXT, masked BOOLEAN, created_at TEXT, updated_at TEXT);
		CREATE TABLE server_metrics (id INTEGER PRIMARY KEY, server_id INTEGER, tool_name TEXT, call_count INTEGER, error_count INTEGER,
			total_latency_ms INTEGER, last_called_at TEXT);
		CREATE TABLE test_presets (id INTEGER PRIMARY KEY, server_name TEXT, kind TEXT, target_name TEXT, preset_name TEXT, payload TEXT,
			created_at TEXT, updated_at TEXT);`
	content = `INSERT INTO servers (id, name, description, source, command, args, env, tags, package_name, transport, installed, active) VALUES
			(1, 'memory', 'remembers', 'registry', 'npx', '["-y","server-memory"]', '{"API_KEY":"sk-literal"}', '["m"]', 'server-memory', 'stdio', 1, 1),
			(2, 'remote', '', 'local', NULL, '[]', '{}', '[]', NULL, 'streamable-http', 0, 0);
		UPDATE servers SET homepage = 'https://mcp.example' WHERE id = 2;
		INSERT INTO server_tools (server_id, name, description, input_schema) VALUES
			(1, 'read', 'Reads.', '{"type":"object","required":["q"]}'), (1, 'write', '', '{}');
		INSERT INTO server_secrets (server_id, key, value) VALUES (1, 'TOKEN', 'hunter2'), (2, 'AUTHORIZATION', 'Bearer hunter2');
		INSERT INTO server_metrics (server_id, tool_name, call_count, error_count, total_latency_ms, last_called_at) VALUES
			(1, 'read', 7, 2, 1500, '2026-11-20 23:28:36'), (1, 'write', 0, 0, 0, NULL);
		INSERT INTO test_presets (server_name, kind, target_name, preset_name, payload) VALUES
			('memory', 'tool', 'read', 'mine', '{"q":"x"}'), ('memory', 'prompt', 'ask', 'mine', '{}');`
)

// original creates a database of the original product and returns it open.
func (d *fixture) original(name string, statements ...string) (file string, db *sql.DB) {
	d.t.Helper()
	file = filepath.Join(d.dir, name)
	db, err := sql.Open("sqlite", file)
	if err != nil {
		d.t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	d.t.Cleanup(func() { _ = db.Close() })
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			d.t.Fatal(err)
		}
	}
	return file, db
}

// closed creates a database of the original product and closes it.
func (d *fixture) closed(name string, statements ...string) string {
	d.t.Helper()
	file, db := d.original(name, statements...)
	if err := db.Close(); err != nil {
		d.t.Fatal(err)
	}
	return file
}

// metrics stores imported metrics in a journal, as the hub does.
type metrics struct{ *journal.Journal }

func (m metrics) AddMetric(ctx context.Context, of setup.Metric, dry bool) (bool, error) {
	return m.Add(ctx, journal.Tally{
		Server: of.Server, Tool: of.Tool, Calls: of.Calls, Errors: of.Errors, Latency: of.Latency, Last: of.LastAt,
	}, dry)
}

func (d *fixture) importer() *setup.Importer { return setup.NewImporter(d.importOptions()) }

func (d *fixture) importOptions() setup.ImportOptions {
	d.t.Helper()
	folder := filepath.Join(d.dir, "run")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		d.t.Fatal(err)
	}
	calls, err := journal.Open(d.t.Context(), journal.Options{Store: d.store.Calls, Bus: &events.Bus{}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		d.t.Fatal(err)
	}
	return setup.ImportOptions{
		Registry: d.servers, Intake: d.intake, Catalog: d.catalog, Secrets: d.vault, Metrics: metrics{calls}, Presets: d.store.Presets,
		Read: store.ReadOriginal, Folder: folder, Log: slog.New(slog.NewTextHandler(d.log, nil)),
	}
}

// imports runs an import. It checks that the import changes no file of the
// database, leaves no copy and shows no secret.
func (d *fixture) imports(q setup.ImportRequest) (setup.ImportReport, error) {
	d.t.Helper()
	before := folder(d.t, q.Path)
	r, err := d.importer().Import(d.t.Context(), q)
	if after := folder(d.t, q.Path); after != before {
		d.t.Errorf("the import changed the database:\nbefore %s\nafter  %s", before, after)
	}
	if left, err := os.ReadDir(filepath.Join(d.dir, "run")); err != nil || len(left) > 0 {
		d.t.Errorf("the import left a copy: %v, %v", left, err)
	}
	if text := fmt.Sprintf("%+v %v %s", r, err, d.log); strings.Contains(text, "hunter2") {
		d.t.Errorf("the import revealed a secret: %s", text)
	}
	return r, err
}

func (d *fixture) must(q setup.ImportRequest) setup.ImportReport {
	d.t.Helper()
	r, err := d.imports(q)
	if err != nil {
		d.t.Fatal(err)
	}
	return r
}

// folder returns a text with the names, times and contents of the files of a
// database.
func folder(t *testing.T, file string) string {
	t.Helper()
	names, err := filepath.Glob(file + "*")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		data, _ := os.ReadFile(name) // fails for a folder
		fmt.Fprintf(&all, "%s %v %x\n", filepath.Base(name), info.ModTime().UnixNano(), data)
	}
	return all.String()
}

// rows runs a query that selects one column from the hub's database, and returns the values
// of the column.
func (d *fixture) rows(query string) []string {
	d.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(d.dir, "discover.db"))
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.Query(query)
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var out []string
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			d.t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

const (
	metricRows = "SELECT server || '/' || tool || ' ' || calls || ' ' || errors || ' ' || latency || ' ' || last_at FROM metrics"
	presetRows = "SELECT server || '/' || kind || '/' || target || '/' || name || ' ' || payload FROM presets ORDER BY id"
)

// full creates a database with many pages.
func (d *fixture) full(name string) string {
	d.t.Helper()
	return d.closed(name, schemaServers, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 500)
		INSERT INTO servers (name, description) SELECT 'hunter2-' || i, hex(randomblob(200)) FROM n`)
}

// mix overwrites one page of a table with another, as happens in a copy that is
// made while a program writes. Reading such a table returns no error.
func mix(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const page, leaf = 4096, 0x0d
	var leaves [][]byte
	for at := page; at < len(data); at += page {
		if data[at] == leaf {
			leaves = append(leaves, data[at:at+page])
		}
	}
	copy(leaves[20], leaves[10])
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
