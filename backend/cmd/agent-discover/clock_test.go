//go:build linux

package main_test

import (
	"database/sql"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// TestNothingExpiresAtOnceWhenTheClockJumps makes everything that the hub has stored two years older, as if the clock had
// jumped ahead before the next start.
func TestNothingExpiresAtOnceWhenTheClockJumps(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("fake", mcptest.Command(t))
	c := h.Attach()
	c.Registry(`{"action":"find_tool","query":"give a text back"}`)
	c.Tool("fake__echo", `{"text":"x"}`)
	programtest.Eventually(t, "the call is learned", func() bool { return strings.Contains(h.Must("learned"), "fake__") })
	c.Close()
	h.Must("stop")

	db, err := sql.Open("sqlite", h.Folder.Database())
	if err != nil {
		t.Fatal(err)
	}
	const years = 2 * 365 * 24 * time.Hour
	for _, statement := range []string{"UPDATE learned SET last = last - ?", "UPDATE calls SET at = at - ?"} {
		if changed, err := db.Exec(statement, years.Milliseconds()); err != nil {
			t.Error(statement, err)
		} else if n, _ := changed.RowsAffected(); n == 0 {
			t.Errorf("%s changes nothing", statement)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(h.Folder.AuditHead())
	if err != nil {
		t.Fatal(err)
	}
	var head map[string]any
	if err := json.Unmarshal(text, &head); err != nil {
		t.Fatal(err)
	}
	head["trusted"] = time.Now().Add(-years)
	if text, err = json.Marshal(head); err != nil {
		t.Fatal(err)
	}
	h.Write(h.Folder.AuditHead(), string(text))

	for range 2 { // learned queries and records are deleted in the background, in a moment after the start
		h.Must("start")
		programtest.Contains(t, h.Must("learned"), "fake__echo")
		programtest.Contains(t, h.Must("logs"), "echo")
		h.Must("stop")
	}
	h.Must("start")
	programtest.Contains(t, h.Must("learned"), "fake__echo")
	programtest.Contains(t, h.Must("logs"), "echo")
}
