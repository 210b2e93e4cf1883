package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// fortyServers returns the file of a closed database with 40 servers.
func fortyServers(t *testing.T) string {
	t.Helper()
	s, file := openStore(t)
	for i := range 40 {
		if _, err := s.Servers.InsertServer(t.Context(), registry.Server{
			Name: fmt.Sprint("server ", i), Command: "npx", Args: []string{"-y", fmt.Sprint("package-", i)},
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

// changeBytes replaces the content of a file by the result of change.
func changeBytes(t *testing.T, file string, change func([]byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, change(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestServersAreSavedFromADatabaseWithADamagedHeaderOrEnd(t *testing.T) {
	for name, change := range map[string]func([]byte) []byte{
		"the last page is cut off":      func(b []byte) []byte { return b[:len(b)-4096] },
		"one percent is cut off":        func(b []byte) []byte { return b[:len(b)-len(b)/100] },
		"the header has one page more":  func(b []byte) []byte { binary.BigEndian.PutUint32(b[28:], uint32(len(b)/4096)+1); return b },
		"the header has another format": func(b []byte) []byte { b[47] = 7; return b },
		"a column has another name":     func(b []byte) []byte { return bytes.Replace(b, []byte("sandbox"), []byte("sandbow"), 1) },
		"a trigger is damaged": func(b []byte) []byte {
			return bytes.Replace(b, []byte("CREATE TRIGGER"), []byte("CRXATE TRIGGER"), 1)
		},
		"an index is damaged": func(b []byte) []byte { return bytes.Replace(b, []byte("CREATE INDEX"), []byte("CREATE INDEC"), 1) },
	} {
		t.Run(name, func(t *testing.T) {
			file := fortyServers(t)
			changeBytes(t, file, change)
			if err := Inspect(t.Context(), file); err == nil { // if Inspect finds no damage, the hub must work
				s, err := Open(t.Context(), file)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := s.Servers.Servers(t.Context()); err != nil || len(got) != 40 {
					t.Errorf("the damage is not found: %d servers, %v", len(got), err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			} else if !Damaged(err) || fault.KindOf(err) != fault.Failed {
				t.Errorf("Inspect returned %v", err)
			}
			s, _ := salvage(t, file)
			if got, err := s.Servers.Servers(t.Context()); err != nil || len(got) != 40 {
				t.Errorf("%d of 40 servers were saved, %v", len(got), err)
			}
		})
	}
}

// readable40 returns the number of servers that SQLite can read with the pragma writable_schema.
func readable40(t *testing.T, file string) int {
	t.Helper()
	uri := url.URL{Scheme: "file", OmitHost: true, Path: toSlash(file), RawQuery: "mode=ro&_pragma=writable_schema(1)"}
	db, err := sql.Open("sqlite", uri.String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.Query("SELECT name, command FROM servers NOT INDEXED")
	if err != nil {
		return 0
	}
	defer func() { _ = rows.Close() }()
	names := make(map[string]bool)
	for rows.Next() {
		var name, command string
		if rows.Scan(&name, &command) == nil {
			names[name] = true
		}
	}
	return len(names)
}

func TestWhatSQLiteReadsOfAFileWithFlippedBitsIsSaved(t *testing.T) {
	intact, err := os.ReadFile(fortyServers(t))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for seed := range uint64(25) {
		random := rand.New(rand.NewPCG(seed, 1))
		data := bytes.Clone(intact)
		for range 20 {
			data[random.IntN(len(data))] ^= 1 << random.IntN(8)
		}
		file := filepath.Join(t.TempDir(), "discover.db")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		want := readable40(t, file)
		s, _ := salvage(t, file)
		got, err := s.Servers.Servers(t.Context())
		if err != nil || len(got) < want-2 { // servers with damaged values are not salvaged
			t.Errorf("seed %d: %d servers were saved, SQLite reads %d, %v", seed, len(got), want, err)
		}
		seen += len(got)
		if s, err := Open(t.Context(), file); err == nil { // if the damage is not noticed, the hub must work
			if _, err := s.Servers.Servers(t.Context()); err != nil && Inspect(t.Context(), file) == nil {
				t.Errorf("seed %d: the damage is not found: %v", seed, err)
			}
			_ = s.Close()
		}
	}
	t.Logf("%d of %d servers were saved", seen, 25*40)
}

func TestADatabaseOfANewerVersionIsRefusedAndUnchanged(t *testing.T) {
	file := fortyServers(t)
	db, err := openRaw(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{
		"INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)", "ALTER TABLE servers ADD COLUMN future TEXT",
	} {
		if _, err := db.Exec(change); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), file)
	if err == nil {
		_ = s.Close()
	}
	for what, err := range map[string]error{"Open": err, "Inspect": Inspect(t.Context(), file)} {
		wantAdvice(t, what, err, "newer version of Agent Discover (schema 99, this program knows",
			"nothing was changed", "Install the newer version")
		if strings.Contains(fault.MessageOf(err), "backups") {
			t.Errorf("%s names copies that do not exist: %v", what, err)
		}
		if Damaged(err) {
			t.Errorf("%s counts it as damaged", what)
		}
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the file was changed: %v", err)
	}
}

func TestACancelledInspectionFindsNoDamage(t *testing.T) {
	for _, err := range []error{context.Canceled, fmt.Errorf("read servers: %w", context.DeadlineExceeded)} {
		if Damaged(unloadable(err)) {
			t.Errorf("%v counts as damage", err)
		}
	}
	if err := errors.New("invalid character 'x'"); !Damaged(unloadable(err)) {
		t.Errorf("%v does not count as damage", err)
	}
}
