package setup_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
)

func TestServersAreImportedWithEverythingThatBelongsToThem(t *testing.T) {
	d := newFixture(t, "ask")
	file := d.closed("original.db", schemaServers, schemaRest, content)

	r := d.must(setup.ImportRequest{Path: file})

	want := []setup.ImportedServer{
		{Name: "memory", Status: setup.Imported, ImportCounts: setup.ImportCounts{Tools: 2, Secrets: 1, Presets: 2, Metrics: 1}},
		{Name: "remote", Status: setup.Imported, ImportCounts: setup.ImportCounts{Secrets: 1}},
	}
	if !reflect.DeepEqual(r.Servers, want) || len(r.Problems) > 0 || r.DryRun {
		t.Errorf("got  %+v\nwant %+v", r, want)
	}
	if want := (setup.ImportTotals{
		Imported: 2, ImportCounts: setup.ImportCounts{Tools: 2, Secrets: 2, Presets: 2, Metrics: 1},
	}); r.Totals != want {
		t.Errorf("totals %+v, want %+v", r.Totals, want)
	}
	memory, remote := d.server("memory"), d.server("remote")
	if !memory.AlwaysListed || !memory.Approved || !memory.Installed || memory.Source != "registry" ||
		memory.Package.Name != "server-memory" ||
		memory.Env["API_KEY"] != "${secret:API_KEY}" || strings.Join(memory.Args, " ") != "-y server-memory" ||
		memory.Health.Status != "unknown" {
		t.Errorf("memory is %+v", memory)
	}
	if remote.AlwaysListed || !remote.Approved || !remote.Installed || remote.URL != "https://mcp.example" ||
		remote.Transport != "streamable-http" {
		t.Errorf("remote is %+v", remote)
	}
	if d.processes.State("memory").Running {
		t.Error("an import started a server")
	}
	tools := d.catalog.Snapshot().Of("memory")
	if len(tools) != 2 || tools[0].Name != "read" || string(tools[0].InputSchema()) != `{"type":"object","required":["q"]}` {
		t.Errorf("tools: %+v", tools)
	}
	if !reflect.DeepEqual(d.vault.kept, map[string]string{"memory/TOKEN": "hunter2", "remote/AUTHORIZATION": "Bearer hunter2"}) {
		t.Errorf("secrets: %v", d.vault.kept)
	}
	at := time.Date(2026, 11, 20, 23, 28, 36, 0, time.UTC).UnixMilli()
	if got := strings.Join(d.rows(metricRows), "; "); got != fmt.Sprint("memory/read 7 2 1500000 ", at) {
		t.Errorf("metrics: %s", got)
	}
	if got := strings.Join(d.rows(presetRows), "; "); got != `memory/tool/read/mine {"q":"x"}; memory/prompt/ask/mine {}` {
		t.Errorf("presets: %s", got)
	}
}

func TestAnImportCanBeRepeated(t *testing.T) {
	d := newFixture(t, "ask")
	file := d.closed("original.db", schemaServers, schemaRest, content)
	d.vault.fail = fault.Wrap(errLocked, fault.Unavailable, "unlock it first")
	r := d.must(setup.ImportRequest{Path: file})
	if s := r.Servers[0]; s.Status != setup.Imported || s.Secrets != 0 || len(s.Problems) != 1 ||
		!strings.Contains(s.Problems[0], "could not import secret TOKEN: unlock it first") {
		t.Errorf("with a locked keychain: %+v", s)
	}
	d.vault.fail = nil
	d.vault.kept["remote/AUTHORIZATION"] = "newer"

	r = d.must(setup.ImportRequest{Path: file})

	if s := r.Servers[0]; s.Status != setup.Skipped || !strings.Contains(s.Reason, "exists already") ||
		s.ImportCounts != (setup.ImportCounts{Secrets: 1}) {
		t.Errorf("the second time: %+v", s)
	}
	if d.vault.kept["memory/TOKEN"] != "hunter2" || d.vault.kept["remote/AUTHORIZATION"] != "newer" {
		t.Errorf("the vault has %v", d.vault.kept)
	}
	r = d.must(setup.ImportRequest{Path: file})
	if want := (setup.ImportTotals{Skipped: 2}); r.Totals != want {
		t.Errorf("the third time: %+v", r.Totals)
	}
	if got := len(d.rows(metricRows)) + len(d.rows(presetRows)); got != 3 {
		t.Errorf("got %d rows of metrics and presets, want 3", got)
	}
}

func TestADryRunReportsAndChangesNothing(t *testing.T) {
	d := newFixture(t, "ask")
	file := d.closed("original.db", schemaServers, schemaRest, content)
	dry := d.must(setup.ImportRequest{Path: file, DryRun: true})
	if len(d.servers.List())+len(d.vault.kept)+len(d.catalog.Snapshot().Tools)+len(d.rows(metricRows))+len(d.rows(presetRows)) > 0 {
		t.Error("a dry run changed something")
	}
	wet := d.must(setup.ImportRequest{Path: file})
	for n := range dry.Servers {
		if runs := dry.Servers[n].Runs; runs == nil || runs.Command == "" && runs.URL == "" {
			t.Errorf("%s: the dry run does not say what would run", dry.Servers[n].Name)
		}
		dry.Servers[n].Runs = nil
	}
	if !dry.DryRun || dry.Totals != wet.Totals || !reflect.DeepEqual(dry.Servers, wet.Servers) {
		t.Errorf("dry %+v\nwet %+v", dry, wet)
	}
	if again := d.must(setup.ImportRequest{Path: file, DryRun: true}); again.Totals != (setup.ImportTotals{Skipped: 2}) {
		t.Errorf("dry run after the import: %+v", again.Totals)
	}
}

func TestExistingServersAreNotChanged(t *testing.T) {
	d := newFixture(t, "ask")
	file := d.closed("original.db", schemaServers, schemaRest, content)
	if _, err := d.intake.Add(t.Context(), intake.Arrival{Server: registry.Server{Name: "memory", Command: "mine"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.intake.Add(t.Context(), intake.Arrival{
		Server: registry.Server{Name: "remote", Command: "evil"}, Origin: intake.Agent,
	}); err != nil {
		t.Fatal(err)
	}
	r := d.must(setup.ImportRequest{Path: file})
	if s := r.Servers[0]; s.Status != setup.Skipped || !strings.Contains(s.Reason, "runs something else") || s.Tools != 0 ||
		s.Secrets != 1 {
		t.Errorf("memory: %+v", s)
	}
	if s := r.Servers[1]; s.Status != setup.Skipped || s.ImportCounts != (setup.ImportCounts{}) ||
		!strings.Contains(strings.Join(s.Problems, ""), "waits for approval") {
		t.Errorf("remote: %+v", s)
	}
	if d.server("memory").Command != "mine" || d.vault.kept["remote/AUTHORIZATION"] != "" || d.server("remote").Approved {
		t.Errorf("got %+v, %v", d.servers.List(), d.vault.kept)
	}
}

func TestNamesAreProposedForInvalidOnes(t *testing.T) {
	d := newFixture(t, "ask")
	file := d.closed("original.db", schemaServers, schemaRest, `INSERT INTO servers (id, name, command) VALUES
		(1, 'a__b', 'x'), (2, 'my server', 'x'), (3, 'mcp', 'x'), (4, '@scope/name', 'x'), (5, 'Ünï', 'x'), (6, '', 'x'), (7, 'my-server', 'x'), (8, 'end_', 'x'),
		(9, '`+strings.Repeat("long", 20)+`', 'x')`,
		`INSERT INTO server_secrets (server_id, key, value) VALUES (2, 'K', 'hunter2')`,
		`INSERT INTO test_presets (server_name, kind, target_name, preset_name, payload) VALUES ('my server', 'tool', 't', 'p', '{}')`)
	r := d.must(setup.ImportRequest{Path: file})
	proposed := map[string]string{
		"a__b": "a_b", "my server": "my-server-2", "mcp": "server-mcp", "@scope/name": "scope-name", "Ünï": "Uni", "": "server",
		"end_":                     "end",
		strings.Repeat("long", 20): strings.Repeat("long", 12),
	}
	for _, s := range r.Servers {
		want, invalid := proposed[s.Name]
		if invalid != (s.Status == setup.Failed) ||
			invalid && (s.Proposed != want || s.Reason == "" || registry.CheckName(s.Proposed) != nil) {
			t.Errorf("got %+v, want it to propose %q", s, want)
		}
	}
	if want := (setup.ImportTotals{Imported: 1, Failed: 8}); r.Totals != want {
		t.Errorf("totals %+v", r.Totals)
	}

	r = d.must(setup.ImportRequest{Path: file, Rename: map[string]string{"my server": "yours", "mcp": "yours", "a__b": "still bad"}})

	if s := r.Servers[1]; s.Status != setup.Imported || s.As != "yours" || s.Secrets != 1 || s.Presets != 1 ||
		d.vault.kept["yours/K"] != "hunter2" {
		t.Errorf("got %+v, %v", s, d.vault.kept)
	}
	if s := r.Servers[2]; s.Status != setup.Failed || !strings.Contains(s.Reason, "another server of the database") {
		t.Errorf("a second server under the name yours: %+v", s)
	}
	if s := r.Servers[0]; s.Status != setup.Failed || s.Proposed != "still-bad" {
		t.Errorf("got %+v", s)
	}
	if got := d.rows(presetRows); len(got) != 1 || !strings.HasPrefix(got[0], "yours/") {
		t.Errorf("presets %v", got)
	}
}

func TestInvalidRowsAreReportedAndSkipped(t *testing.T) {
	d := newFixture(t, "ask")
	file := d.closed("original.db", schemaServers, schemaRest,
		`INSERT INTO servers (id, name, command, args, env, tags, installed, active) VALUES
		(1, 'nulls', NULL, NULL, NULL, NULL, NULL, NULL), (2, 'Memory', 'x', '[]', '{}', '[]', 1, 1), (3, 'memory', 'y', '[]', '{}', '[]', 1, 0),
		(4, 'broken', 'rm', '["-r"', '{}', '[]', 1, 1), (5, 'variables', 'x', '[]', '{"TOKEN":{"hunter2":1}}', '[]', 1, 1), (6, x'41ff42', 'x', '[]', '{}', 'no', 1, 1)`,
		`INSERT INTO server_tools (server_id, name, description, input_schema) VALUES (1, NULL, NULL, NULL), (1, 't', NULL, NULL), (77, 'stray', '', '{}')`,
		`INSERT INTO server_secrets (server_id, key, value) VALUES (1, 'EMPTY', ''), (1, 'NONE', NULL), (1, 'NUMBER', 7), (77, 'STRAY', 'hunter2'), (NULL, 'STRAY', 'hunter2')`,
		`INSERT INTO server_metrics (server_id, tool_name, call_count, error_count, total_latency_ms) VALUES (1, NULL, 3, 0, 0), (1, 't', 'many', NULL, NULL), (1, 'u', 1, NULL, NULL)`,
		`INSERT INTO test_presets (server_name, kind, target_name, preset_name, payload) VALUES
			('nulls', 'tool', 't', 'broken', '{'), ('nulls', 'spoon', 't', 'p', '{}'), ('nulls', 'tool', 't', 'ok', '{}'), ('gone', 'tool', 't', 'p', '{}')`)

	r := d.must(setup.ImportRequest{Path: file})

	if want := (setup.ImportTotals{
		Imported: 3, Failed: 3, ImportCounts: setup.ImportCounts{Tools: 1, Secrets: 1, Presets: 1, Metrics: 1},
	}); r.Totals != want {
		t.Errorf("totals %+v, want %+v: %+v", r.Totals, want, r.Servers)
	}
	if s := r.Servers[0]; len(s.Problems) != 4 {
		t.Errorf("problems of nulls: %q", s.Problems)
	}
	for i, want := range map[int]string{3: "could not read its arguments", 4: "could not read its variables", 5: "Invalid name"} {
		if s := r.Servers[i]; s.Status != setup.Failed || !strings.Contains(s.Reason, want) {
			t.Errorf("got %+v, want %s", s, want)
		}
	}
	problems := strings.Join(r.Problems, "\n")
	for _, want := range []string{"could not import 1 tools", "could not import 2 secrets", "could not import 1 presets"} {
		if !strings.Contains(problems, want) {
			t.Errorf("problems do not contain %q: %s", want, problems)
		}
	}
	if d.server("Memory").Command != "x" || d.server("memory").Command != "y" || d.vault.kept["nulls/NUMBER"] != "7" {
		t.Errorf("got %+v, %v", d.servers.List(), d.vault.kept)
	}
}

func TestDatabasesOfOtherVersionsAreRead(t *testing.T) {
	d := newFixture(t, "ask")
	old := d.closed("old.db", schemaServers, `INSERT INTO servers (id, name, command, args, active) VALUES (1, 'old', 'x', '["a"]', 1)`,
		`INSERT INTO server_tools (server_id, name) VALUES (1, 't')`)
	r := d.must(setup.ImportRequest{Path: old})
	if s := d.server("old"); r.Totals != (setup.ImportTotals{Imported: 1, ImportCounts: setup.ImportCounts{Tools: 1}}) || !s.AlwaysListed ||
		s.Args[0] != "a" {
		t.Errorf("got %+v, %+v", r, s)
	}
	newer := d.closed("new.db", schemaServers, schemaRest,
		`ALTER TABLE servers ADD COLUMN url TEXT; ALTER TABLE servers ADD COLUMN headers TEXT;
		ALTER TABLE servers ADD COLUMN enabled INTEGER; ALTER TABLE servers ADD COLUMN quarantined INTEGER;
		ALTER TABLE servers DROP COLUMN active; ALTER TABLE servers DROP COLUMN installed; DROP TABLE test_presets;
		ALTER TABLE server_tools ADD COLUMN annotations TEXT; ALTER TABLE server_secrets ADD COLUMN backend TEXT;
		INSERT INTO servers (id, name, transport, url, headers, enabled, quarantined) VALUES
			(1, 'far', 'sse', 'https://mcp.example', '{"X-Team":"a"}', 1, 0), (2, 'aside', 'sse', 'https://mcp.example', '{}', 1, 1);
		INSERT INTO server_secrets (server_id, key, value, backend) VALUES (1, 'TOKEN', '', 'keyring');
		INSERT INTO server_tools (server_id, name, annotations) VALUES (1, 't', '{"readOnlyHint":true}')`)
	r = d.must(setup.ImportRequest{Path: newer})
	if s := d.server("far"); !s.AlwaysListed || s.URL != "https://mcp.example" || s.Headers["X-Team"] != "a" {
		t.Errorf("far is %+v", s)
	}
	if got := d.catalog.Snapshot().Of("far"); len(got) != 1 ||
		!strings.Contains(string(got[0].Definition), `"annotations":{"readOnlyHint":true}`) {
		t.Errorf("tools: %+v", got)
	}
	if problems := strings.Join(append(r.Servers[0].Problems, r.Servers[1].Problems...), "\n"); d.server("aside").AlwaysListed ||
		!strings.Contains(problems, "secret TOKEN has no value") || !strings.Contains(problems, "it is not always listed") {
		t.Errorf("got %s", problems)
	}
}

func TestADatabaseInUseIsReadAndNotChanged(t *testing.T) {
	for _, mode := range []string{"WAL", "DELETE"} {
		t.Run(mode, func(t *testing.T) {
			d := newFixture(t, "ask")
			file, db := d.original("original.db", "PRAGMA journal_mode="+mode, "PRAGMA wal_autocheckpoint=0", "PRAGMA cache_spill=1",
				"PRAGMA cache_size=1", schemaServers, schemaRest, content,
				`CREATE TABLE filler AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 500) SELECT randomblob(2000) AS b FROM n`)
			tx, err := db.BeginTx(context.Background(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = tx.Rollback() }()
			if _, err := tx.Exec(`UPDATE servers SET description = hex(randomblob(100000)); DELETE FROM servers WHERE id = 2; UPDATE server_secrets SET value = 'half written'`); err != nil {
				t.Fatal(err)
			}
			// Change so many other pages that the pages of the servers leave the cache.
			if _, err := tx.Exec(`UPDATE filler SET b = randomblob(2000)`); err != nil {
				t.Fatal(err)
			}
			written := map[string]string{"WAL": file + "-wal", "DELETE": file}[mode]
			if data, err := os.ReadFile(written); err != nil || !bytes.Contains(data, []byte("half written")) {
				t.Fatalf("the change is not in %s: %v", written, err)
			}

			r := d.must(setup.ImportRequest{Path: file})

			if r.Totals.Imported != 2 || d.vault.kept["memory/TOKEN"] != "hunter2" || d.server("memory").Description != "remembers" {
				t.Errorf("got %+v, %v", r.Totals, d.vault.kept)
			}
			if err := tx.Commit(); err != nil {
				t.Errorf("commit of the other program after the import: %v", err)
			}
		})
	}
}

func TestOtherFilesAreRejected(t *testing.T) {
	d := newFixture(t, "ask")
	foreign := d.closed("foreign.db", "CREATE TABLE servers (id INTEGER, name TEXT)")
	view := d.closed("view.db",
		"CREATE TABLE server_tools (server_id); CREATE TABLE x (id, name, command); CREATE VIEW servers AS SELECT * FROM x")
	damaged := d.full("damaged.db")
	f, err := os.OpenFile(damaged, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte(strings.Repeat("\xff", 50_000)), 20_000); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	mixed := d.full("mixed.db")
	mix(t, mixed)
	for file, want := range map[string]struct {
		kind fault.Kind
		says string
	}{
		"relative.db":                   {fault.Invalid, "absolute path"},
		filepath.Join(d.dir, "none.db"): {fault.NotFound, "there is no file"},
		d.dir:                           {fault.Invalid, "not a regular file"},
		d.write("empty.db", ""):         {fault.Invalid, "not one of agent-discover"},
		d.write("text.db", strings.Repeat("hunter2 is no database ", 100)): {fault.Invalid, "not an SQLite database"},
		foreign:                             {fault.Invalid, "not one of agent-discover"},
		view:                                {fault.Invalid, "not one of agent-discover"},
		damaged:                             {fault.Failed, "damaged"},
		mixed:                               {fault.Failed, "damaged"},
		filepath.Join(d.dir, "discover.db"): {fault.Invalid, "not one of agent-discover"},
	} {
		var err error
		if file == d.dir || strings.HasSuffix(file, "discover.db") {
			_, err = d.importer().Import(t.Context(), setup.ImportRequest{Path: file})
		} else {
			_, err = d.imports(setup.ImportRequest{Path: file})
		}
		if fault.KindOf(err) != want.kind || !strings.Contains(fault.MessageOf(err), want.says) {
			t.Errorf("%s: got %d %v, want %d %s", file, fault.KindOf(err), err, want.kind, want.says)
		}
	}
	if left := d.servers.List(); len(left) > 0 {
		t.Errorf("these servers were imported: %v", left)
	}
}

func TestRunRemovesTheCopiesOfKilledImports(t *testing.T) {
	d := newFixture(t, "ask")
	left := filepath.Join(d.dir, "run", "import-123")
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(left, "original.db"), []byte("hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.importer().Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("the copy still exists: %v", err)
	}
}

func TestCopiesAreNotAccessibleToOtherUsers(t *testing.T) {
	d := newFixture(t, "ask")
	file, _ := d.original("original.db", "PRAGMA journal_mode=WAL", schemaServers)
	options := d.importOptions()
	var seen []string
	options.Read = func(_ context.Context, copied string) (setup.Original, error) {
		for _, name := range []string{filepath.Dir(copied), copied, copied + "-wal"} {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			seen = append(seen, info.Mode().Perm().String())
		}
		return setup.Original{}, fault.New(fault.Failed, "enough")
	}
	_, err := setup.NewImporter(options).Import(t.Context(), setup.ImportRequest{Path: file})
	if got := strings.Join(seen, " "); got != "-rwx------ -rw------- -rw-------" && runtime.GOOS != "windows" {
		t.Errorf("the modes of folder and files are %s", got)
	}
	if left, _ := os.ReadDir(options.Folder); len(left) > 0 || fault.MessageOf(err) != "could not import "+file+": enough" {
		t.Errorf("the import left %v; error %v", left, err)
	}
}

func TestServersOfADatabaseThatNobodyHasSeenWaitForApproval(t *testing.T) {
	d := newFixture(t, "ask")
	file := d.closed("original.db", schemaServers, schemaRest, content)
	r := d.must(setup.ImportRequest{Path: file, Unseen: true})
	if r.Totals.Imported != 2 || r.Totals.Tools == 0 || len(r.Servers[0].Problems) > 0 {
		t.Errorf("got %+v", r)
	}
	for _, s := range r.Servers {
		if !s.Waiting || d.server(s.Name).Approved {
			t.Errorf("%s does not wait for approval", s.Name)
		}
	}
	if again := d.must(setup.ImportRequest{Path: file}); again.Totals.Skipped != 2 || again.Totals.Secrets > 0 {
		t.Errorf("a second import gave more to servers that nobody has approved: %+v", again)
	}
}

// The first import could store no secrets. The second one gives them to servers that still wait, because only these get
// them, and not before a person has approved them.
func TestSecretsAreImportedForServersThatWaitSinceAnEarlierImport(t *testing.T) {
	d := newFixture(t, "ask")
	file := d.closed("original.db", schemaServers, schemaRest, content)
	d.vault.fail = fault.Wrap(errLocked, fault.Unavailable, "unlock it first")
	if r := d.must(setup.ImportRequest{Path: file, Unseen: true}); r.Totals.Imported != 2 || !r.Servers[0].Waiting {
		t.Fatalf("the first time: %+v", r)
	}
	d.vault.fail = nil
	r := d.must(setup.ImportRequest{Path: file, Unseen: true})
	if s := r.Servers[0]; s.Status != setup.Skipped || s.Secrets != 1 || len(s.Problems) > 0 {
		t.Errorf("the second time: %+v", s)
	}
	if d.vault.kept["memory/TOKEN"] != "hunter2" || d.server("memory").Approved {
		t.Errorf("got %v, %+v", d.vault.kept, d.server("memory"))
	}
}
