package store

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
)

// damagedStore returns the path of a closed database with servers, secrets and many records, in which the chosen
// tables are overwritten.
func damagedStore(t *testing.T, chosen func(table string) bool) string {
	t.Helper()
	s, file := openStore(t)
	for i := range 50 {
		if _, err := s.Servers.InsertServer(t.Context(), registry.Server{
			Name: fmt.Sprint("server ", i), Command: "npx", Approved: true,
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Secrets.PutSecret(t.Context(), vault.Record{Server: "server 1", Name: "KEY", Kept: vault.InFile}); err != nil {
		t.Fatal(err)
	}
	var records []journal.Record
	for i := range 2000 {
		records = append(records, journal.Record{ID: int64(i + 1), Tool: "tool", Outcome: journal.OK})
	}
	if err := s.Calls.AppendRecords(t.Context(), records, nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if chosen != nil {
		overwriteTables(t, file, chosen)
	}
	return file
}

// salvage salvages a database, and returns the opened result and what was salvaged, by table.
func salvage(t *testing.T, file string) (*Store, map[string]Salvaged) {
	t.Helper()
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	into := filepath.Join(t.TempDir(), "new.db")
	all, err := Salvage(t.Context(), file, into)
	if err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the damaged file was changed: %v", err)
	}
	s, err := Open(t.Context(), into)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	byTable := make(map[string]Salvaged)
	for _, one := range all {
		byTable[one.Table] = one
	}
	return s, byTable
}

func TestIntactTablesOfADamagedDatabaseAreSaved(t *testing.T) {
	s, saved := salvage(t, damagedStore(t, func(table string) bool { return table == "calls" }))
	if got := saved["servers"]; got.Rows != 50 || !got.Complete {
		t.Errorf("servers: %+v", got)
	}
	if got := saved["calls"]; got.Rows != 0 || got.Complete {
		t.Errorf("calls: %+v", got)
	}
	servers, err := s.Servers.Servers(t.Context())
	if err != nil || len(servers) != 50 || !servers[7].Approved {
		t.Errorf("got %d servers, %v", len(servers), err)
	}
	if ids, err := s.Servers.MatchServers(t.Context(), "server"); err != nil || len(ids) != 50 {
		t.Errorf("a search finds %d servers, %v", len(ids), err)
	}
	if kept, err := s.Secrets.Secrets(t.Context(), "server 1"); err != nil || len(kept) != 1 || kept[0].Kept != vault.InFile {
		t.Errorf("the secrets are %v, %v", kept, err)
	}
}

func TestRowsBeforeAndAfterADamagedPageAreSaved(t *testing.T) {
	file := damagedStore(t, nil)
	db, err := openRaw(file)
	if err != nil {
		t.Fatal(err)
	}
	var page, size int64 // a leaf page in the middle of the table
	if err := db.QueryRow(`SELECT pageno, pgsize FROM dbstat WHERE name = 'calls' AND pagetype = 'leaf'
		ORDER BY path LIMIT 1 OFFSET 5`).Scan(&page, &size); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(bytes.Repeat([]byte{0xff}, int(size)), (page-1)*size); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	s, saved := salvage(t, file)
	if got := saved["calls"]; got.Complete || got.Rows < 1700 || got.Rows == 2000 {
		t.Errorf("calls: %+v", got)
	}
	records, err := s.Calls.Records(t.Context(), journal.Query{Limit: 1})
	if err != nil || len(records) != 1 || records[0].ID != 2000 {
		t.Errorf("the newest record is %v, %v", records, err)
	}
}

func TestServersWithDamagedValuesAreLeftOut(t *testing.T) {
	file := damagedStore(t, nil)
	db, err := openRaw(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{
		"UPDATE servers SET args = '[broken' WHERE name = 'server 3'",
		"INSERT INTO metrics VALUES ('server 4', 'tool', 1, 0, 1, 1, 'broken', 0)",
	} {
		if _, err := db.Exec(change); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s, _ := salvage(t, file)
	if servers, err := s.Servers.Servers(t.Context()); err != nil || len(servers) != 49 {
		t.Errorf("got %d servers, %v", len(servers), err)
	}
	if tallies, err := s.Calls.Tallies(t.Context()); err != nil || len(tallies) != 0 {
		t.Errorf("got %v, %v", tallies, err)
	}
}

func TestAFileThatIsNoDatabaseGivesAnEmptyOne(t *testing.T) {
	file := filepath.Join(t.TempDir(), "discover.db")
	if err := os.WriteFile(file, bytes.Repeat([]byte("garbage "), 2048), 0o600); err != nil {
		t.Fatal(err)
	}
	_, saved := salvage(t, file)
	for table, got := range saved {
		if got.Rows != 0 || got.Complete {
			t.Errorf("%s: %+v", table, got)
		}
	}
}
