package store

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
)

// copied creates a database with ten servers, copies it, changes it with the function in later, and overwrites the
// given tables. It returns the paths of the closed database and of the copy.
func copied(t *testing.T, later func(s *Store), overwritten ...string) (file, copy string) {
	t.Helper()
	s, file := openStore(t)
	fill(t, s, 10)
	must(t, Copy(t.Context(), file))
	later(s)
	must(t, s.Close())
	if len(overwritten) > 0 {
		overwriteTables(t, file, func(table string) bool { return slices.Contains(overwritten, table) })
	}
	return file, Copies(file)[0]
}

// supplemented salvages a database, adds rows of a copy, and returns the opened result.
func supplemented(t *testing.T, file, copy string, agree bool) (*Store, Supplement) {
	t.Helper()
	into := filepath.Join(t.TempDir(), "new.db")
	saved, err := Salvage(t.Context(), file, into)
	must(t, err)
	asked := 0
	out, err := AddFromCopy(t.Context(), into, copy, saved, func(Supplement) (bool, error) { asked++; return agree, nil })
	must(t, err)
	if want := min(len(out.Rows), 1); asked != want || out.Taken != (agree && want == 1) {
		t.Errorf("asked %d times about %+v", asked, out)
	}
	if left, _ := filepath.Glob(into + ".*"); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	must(t, Inspect(t.Context(), into))
	s, err := Open(t.Context(), into)
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s, out
}

// countRows returns the number of rows in each table.
func countRows(t *testing.T, s *Store, tables ...string) map[string]int {
	t.Helper()
	counts := make(map[string]int)
	for _, table := range tables {
		var n int
		must(t, s.db.read.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n))
		counts[table] = n
	}
	return counts
}

// approvals are the tables that AddFromCopy must leave empty: data that a person may have revoked since the copy was
// made, and logs.
var approvals = []string{"trust_servers", "trust_items", "tool_approvals", "client_tokens", "answers", "secret_links", "audit", "calls"}

func TestALostDatabaseIsRestoredFromItsCopyWithoutApprovals(t *testing.T) {
	file, copy := copied(t, func(*Store) {})
	must(t, os.WriteFile(file, []byte("garbage"), 0o600))
	s, out := supplemented(t, file, copy, true)
	servers, err := s.Servers.Servers(t.Context())
	if err != nil || len(servers) != 10 || len(out.Servers) != 10 || len(out.Waiting) != 10 {
		t.Fatalf("%d servers, %+v, %v", len(servers), out, err)
	}
	for _, server := range servers {
		if server.Approved || server.Source != registry.FromCopy || server.Sandbox != registry.Guard || len(server.Grants.Write) > 0 {
			t.Errorf("its approvals were taken: %+v", server)
		}
		if server.Health.Listed || server.Env["LEVEL"] != "3" || !server.AlwaysListed {
			t.Errorf("got %+v", server)
		}
	}
	for table, n := range countRows(t, s, approvals...) {
		if n > 0 {
			t.Errorf("%d rows of %s were taken", n, table)
		}
	}
	taken := []string{"slugs", "installs", "secrets", "presets", "toolsets", "equipped", "personas", "metrics", "clients", "learned"}
	for table, n := range countRows(t, s, taken...) {
		if n != 10 {
			t.Errorf("%s has %d rows", table, n)
		}
	}
	for _, one := range out.Rows {
		if want := map[bool]int{true: 10, false: 1}[one.Table != "learning_switch"]; one.Rows != want {
			t.Errorf("reported %+v", one)
		}
	}
	if len(out.Rows) != len(taken)+2 {
		t.Errorf("reported %+v", out.Rows)
	}
	if ids, err := s.Servers.MatchServers(t.Context(), "server"); err != nil || len(ids) != 10 {
		t.Errorf("a search finds %d servers, %v", len(ids), err)
	}
}

func TestAServerFromACopyIsApprovedIfTheSalvagedApprovalsHaveItsLaunch(t *testing.T) {
	file, copy := copied(t, func(s *Store) {
		changed, err := s.Trust.TrustServers(t.Context())
		must(t, err)
		changed[1].Launch = "another"
		must(t, s.Trust.SaveTrust(t.Context(), changed[1], nil, nil))
		must(t, s.Trust.ForgetTrust(t.Context(), changed[2].Name))
	}, "servers")
	s, out := supplemented(t, file, copy, true)
	if !slices.Equal(out.Waiting, []string{"server-1", "server-2"}) || len(out.Servers) != 10 {
		t.Errorf("got %+v", out)
	}
	servers, err := s.Servers.Servers(t.Context())
	must(t, err)
	for _, server := range servers {
		waits := server.Name == "server-1" || server.Name == "server-2"
		if server.Approved == waits || (server.Source == registry.FromCopy) != waits || server.Sandbox != registry.Guard {
			t.Errorf("got %+v", server)
		}
	}
	got := countRows(t, s, "installs", "trust_servers", "tool_approvals")
	if want := map[string]int{"installs": 10, "trust_servers": 9, "tool_approvals": 10}; !reflect.DeepEqual(got, want) {
		t.Errorf("the salvaged rows are %v", got)
	}
}

func TestWhatWasDeletedAfterTheCopyStaysDeleted(t *testing.T) {
	ctx := t.Context()
	file, copy := copied(t, func(s *Store) {
		must(t, s.Servers.DeleteServer(ctx, 3))
		must(t, s.Secrets.DropSecrets(ctx, "server-3", ""))
		must(t, s.Secrets.RemoveDropped(ctx, "server-3", "KEY"))
		must(t, s.Toolsets.DeleteToolset(ctx, "set-3"))
		must(t, s.Credentials.DeleteCredential(ctx, "server-3"))
	}, "calls", "tool_approvals", "equipped")
	s, out := supplemented(t, file, copy, true)
	if !slices.Equal(out.Rows, []Supplied{{"equipped", 9}}) {
		t.Errorf("taken: %+v", out)
	}
	got := countRows(t, s, "servers", "secrets", "toolsets", "client_tokens", "tool_approvals", "equipped")
	want := map[string]int{"servers": 9, "secrets": 9, "toolsets": 9, "client_tokens": 9, "tool_approvals": 0, "equipped": 9}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the rows are %v", got)
	}
}

func TestOnlyMissingRowsAreTakenFromACopy(t *testing.T) {
	ctx := t.Context()
	file, copy := copied(t, func(s *Store) {
		servers, err := s.Servers.Servers(ctx)
		must(t, err)
		servers[0].Description = "changed"
		must(t, s.Servers.UpdateServer(ctx, servers[0]))
		must(t, s.Servers.DeleteServer(ctx, servers[1].ID))
		must(t, s.Trust.ForgetTrust(ctx, servers[1].Name))
		_, err = s.Servers.InsertServer(ctx, registry.Server{ID: 1, Name: "later", Approved: true, Source: "local"})
		must(t, err)
		must(t, s.Secrets.PutSecret(ctx, vault.Record{Server: "server-0", Name: "KEY", Kept: vault.InKeychain}))
	})
	db, err := openRaw(file)
	must(t, err)
	_, err = db.Exec("UPDATE servers SET args = '[' WHERE name IN ('server-5', 'server-6')") // so that they cannot be decoded
	must(t, err)
	must(t, db.Close())
	s, out := supplemented(t, file, copy, true)
	if !slices.Equal(out.Servers, []string{"server-1", "server-5", "server-6"}) {
		t.Errorf("taken: %+v", out)
	}
	servers, err := s.Servers.Servers(ctx)
	must(t, err)
	for _, server := range servers {
		taken := slices.Contains(out.Servers, server.Name)
		changed, waits := server.Name == "server-0", server.Name == "server-1"
		if (server.Description == "changed") != changed || waits && server.Approved || !taken && !server.Approved {
			t.Errorf("got %+v", server)
		}
	}
	if kept, err := s.Secrets.Secrets(ctx, "server-0"); err != nil || len(kept) != 1 || kept[0].Kept != vault.InKeychain {
		t.Errorf("the secrets are %v, %v", kept, err)
	}
}

func TestNothingIsTakenFromACopyWithoutConsent(t *testing.T) {
	file, copy := copied(t, func(*Store) {}, "servers", "toolsets")
	s, out := supplemented(t, file, copy, false)
	if len(out.Rows) != 2 || out.Taken {
		t.Errorf("got %+v", out)
	}
	got := countRows(t, s, "servers", "toolsets", "secrets")
	if want := map[string]int{"servers": 0, "toolsets": 0, "secrets": 10}; !reflect.DeepEqual(got, want) {
		t.Errorf("the rows are %v", got)
	}
}

func TestToolsetsOfAgentsAndDeletedSecretsAreNotTakenAsTheyWere(t *testing.T) {
	ctx := t.Context()
	s, file := openStore(t)
	fill(t, s, 2)
	must(t, s.Toolsets.SaveToolset(ctx, toolset.Toolset{Name: "built", Approved: true, ProposedBy: "cursor"}))
	must(t, s.Secrets.DropSecrets(ctx, "server-1", "KEY"))
	must(t, Copy(ctx, file))
	must(t, s.Close())
	overwriteTables(t, file, func(table string) bool { return table == "toolsets" || table == "secrets" })
	got, _ := supplemented(t, file, Copies(file)[0], true)
	sets, _, err := got.Toolsets.Toolsets(ctx)
	must(t, err)
	for _, set := range sets {
		if set.Approved == (set.Name == "built") {
			t.Errorf("got %+v", set)
		}
	}
	if kept, err := got.Secrets.Secrets(ctx, ""); err != nil || len(kept) != 1 || kept[0].Server != "server-0" || len(sets) != 3 {
		t.Errorf("the secrets are %v, %v", kept, err)
	}
}

func TestACopyOfAnOlderSchemaIsTaken(t *testing.T) {
	ctx := t.Context()
	file := filepath.Join(t.TempDir(), "discover.db")
	db, err := openRaw(file)
	must(t, err)
	provider, err := provide(db)
	must(t, err)
	_, err = provider.UpTo(ctx, 1)
	must(t, err)
	_, err = db.Exec(`INSERT INTO servers (name, description, source, transport, command, args, env, tags,
		package_name, package_version, latest_version, repository, homepage, installed, enabled, keep_running, approved,
		health_status, health_checked, error_count, last_error, created_at, updated_at)
		VALUES ('old', '', 'local', 'stdio', 'true', '[]', '{}', '[]', '', '', '', '', '', 1, 1, 0, 1, '', 0, 0, '', 0, 0)`)
	must(t, err)
	must(t, db.Close())
	must(t, Copy(ctx, file))
	before, err := os.ReadFile(Copies(file)[0])
	must(t, err)
	must(t, os.WriteFile(file, []byte("garbage"), 0o600))
	s, _ := supplemented(t, file, Copies(file)[0], true)
	if servers, err := s.Servers.Servers(ctx); err != nil || len(servers) != 1 || servers[0].Name != "old" || servers[0].Approved {
		t.Errorf("got %+v, %v", servers, err)
	}
	if after, err := os.ReadFile(Copies(file)[0]); err != nil || string(after) != string(before) || len(Copies(file)) != 1 {
		t.Errorf("the copy was changed: %v", err)
	}
}

func TestTheNewestIntactCopyIsUsed(t *testing.T) {
	file := fortyServers(t)
	for range 3 {
		must(t, Copy(t.Context(), file))
	}
	all := Copies(file)
	must(t, os.WriteFile(all[2], []byte("garbage"), 0o600))
	usable, unusable := NewestUsable(t.Context(), file)
	if usable != all[1] || !slices.Equal(unusable, all[2:]) {
		t.Errorf("%s is used, %v not", usable, unusable)
	}
	if usable, _ := NewestUsable(context.Background(), filepath.Join(t.TempDir(), "other.db")); usable != "" {
		t.Errorf("%s is used for another database", usable)
	}
}

func TestIDsOfLostRowsAreNotGivenAgain(t *testing.T) {
	file := damagedStore(t, func(table string) bool { return table == "servers" || table == "calls" })
	s, _ := salvage(t, file)
	if id, err := s.Servers.InsertServer(t.Context(), registry.Server{Name: "next"}); err != nil || id != 51 {
		t.Errorf("the id is %d, %v", id, err)
	}
	if last, err := s.Calls.LastRecord(t.Context()); err != nil || last != 2000 {
		t.Errorf("the last record is %d, %v", last, err)
	}
	must(t, s.Calls.AppendRecords(t.Context(), []journal.Record{{ID: 2001}}, nil, nil))
}
