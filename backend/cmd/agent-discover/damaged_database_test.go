//go:build linux

package main_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	_ "modernc.org/sqlite" // locks the database as another program may

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestDamagedDatabaseIsUnchangedUntilRepair(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(*testing.T, string){
		"not a database": func(t *testing.T, file string) {
			if err := os.WriteFile(file, []byte(strings.Repeat("garbage ", 2048)), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"overwritten after the header": func(t *testing.T, file string) {
			f, err := os.OpenFile(file, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteAt([]byte(strings.Repeat("\xff", 100_000)), 200); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		},
		"truncated": func(t *testing.T, file string) {
			if err := os.Truncate(file, 5000); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := programtest.NewHome(t)
			s := h.Serve()
			h.Must("servers", "add", "lost", "--no-start", "--", "true")
			programtest.Signal(t, s.PID, syscall.SIGTERM)
			s.Exit()
			damage(t, h.Folder.Database())
			before, err := os.ReadFile(h.Folder.Database())
			if err != nil {
				t.Fatal(err)
			}

			out := h.Run("serve")

			if out.Code != 3 {
				t.Errorf("serve: exit code %d", out.Code)
			}
			programtest.Contains(t, out.Stderr, "damaged", "nothing was changed", "agent-discover doctor --repair")
			if after, err := os.ReadFile(h.Folder.Database()); err != nil || string(after) != string(before) {
				t.Errorf("the damaged file was changed: %v", err)
			}
			out = h.Run("doctor")
			if out.Code != 3 {
				t.Errorf("doctor: exit code %d", out.Code)
			}
			programtest.Contains(t, out.Stdout, "ERROR", "database", "doctor --repair")

			programtest.Contains(t, h.Must("doctor", "--repair"), "damaged-")
			aside, err := filepath.Glob(h.Folder.Database() + ".damaged-*")
			if err != nil || len(aside) == 0 {
				t.Fatalf("the damaged file was not renamed: %v", err)
			}
			if kept, err := os.ReadFile(aside[0]); err != nil || string(kept) != string(before) {
				t.Errorf("the renamed file differs from the damaged one: %v", err)
			}
			h.Serve()
			h.Add("fake", mcptest.Command(t))
			programtest.Contains(t, h.Must("servers", "list", "--json"), `"fake"`)
		})
	}
}

func TestRepairKeepsAnIntactDatabase(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	s := h.Serve()
	out := h.Run("doctor", "--repair")
	if out.Code == 0 {
		t.Errorf("the repair succeeded while a hub was running: %s", out.Stdout)
	}
	programtest.Contains(t, out.Stderr, "already runs")
	s.Kill()
	programtest.Contains(t, h.Must("doctor", "--repair"), "intact")
}

func TestRepairKeepsADatabaseInUse(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	s := h.Serve()
	h.Must("servers", "add", "kept", "--no-start", "--", "true")
	s.Kill()
	other, err := sql.Open("sqlite", h.Folder.Database()+"?_pragma=locking_mode(EXCLUSIVE)")
	if err != nil {
		t.Fatal(err)
	}
	other.SetMaxOpenConns(1)
	if _, err := other.Exec("UPDATE servers SET description = 'held'"); err != nil {
		t.Fatal(err)
	}
	out := h.Run("doctor", "--repair")
	if out.Code != 3 {
		t.Errorf("exit code %d: %s", out.Code, out.Stdout)
	}
	programtest.Contains(t, out.Stderr, "in use by another program")
	out = h.Run("doctor")
	programtest.Contains(t, out.Stdout, "ERROR", "cannot be checked", "in use by another program")
	if strings.Contains(out.Stdout, "--repair") {
		t.Errorf("doctor suggests a repair of a locked database: %s", out.Stdout)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	h.Serve()
	programtest.Contains(t, h.Must("servers", "list", "--json"), `"kept"`)
}

func TestServersOfADatabaseWithADamagedTableAreSaved(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	s := h.Serve()
	h.Add("kept", mcptest.Command(t))
	h.Must("call", "kept__echo", "text=hello")
	programtest.Signal(t, s.PID, syscall.SIGTERM)
	s.Exit()
	damageTable(t, h.Folder.Database(), "calls")

	out := h.Run("serve")
	if out.Code != 3 {
		t.Errorf("serve: exit code %d", out.Code)
	}
	programtest.Contains(t, out.Stderr, "is damaged", "stop the hub", "agent-discover doctor --repair")
	out = h.Run("doctor")
	programtest.Contains(t, out.Stdout, "is damaged", "doctor --repair")
	programtest.Contains(t, h.Must("doctor", "--repair"), "Saved from it: 1 server,", "log entries could not be read")
	h.Serve()
	programtest.Contains(t, h.Must("call", "kept__echo", "text=hello again"), "hello again")
	programtest.Contains(t, h.Must("logs"), "kept__echo")
}

// damageTable overwrites the first page of a table.
func damageTable(t *testing.T, file, table string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	var page, size int64
	err = db.QueryRow("SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema WHERE name = ?", table).Scan(&page,
		&size)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt([]byte(strings.Repeat("\xff", int(size))), (page-1)*size)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestDatabaseOfANewerVersionIsRefusedEverywhere(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	s := h.Serve()
	h.Must("servers", "add", "kept", "--no-start", "--", "true")
	programtest.Signal(t, s.PID, syscall.SIGTERM)
	s.Exit()
	db, err := sql.Open("sqlite", h.Folder.Database())
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(h.Folder.Database())
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"serve"}, {"start"}, {"doctor"}, {"doctor", "--repair"}} {
		out := h.Run(args...)
		if out.Code != 3 {
			t.Errorf("%v: exit code %d", args, out.Code)
		}
		programtest.Contains(t, out.Stdout+out.Stderr, "written by a newer version of Agent Discover (schema 99,", "nothing was changed")
	}
	c := h.Companion()
	programtest.Contains(t, string(c.Open(`{}`).Result), "written by a newer version")
	programtest.Contains(t, c.FailingTool("registry", `{"action":"status"}`), "written by a newer version")
	if after, err := os.ReadFile(h.Folder.Database()); err != nil || string(after) != string(before) {
		t.Errorf("the database was changed: %v", err)
	}
}
