//go:build smoke && windows

package smoke

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAUserOfWindowsInstallsCallsAndStops follows a new user: an editor starts the companion, which starts the hub
// in the background; the user adds a server, and the editor finds and calls its tools; the entry is added to an
// editor's file and removed again; the hub stops.
func TestAUserOfWindowsInstallsCallsAndStops(t *testing.T) {
	u := newUser(t)
	processes := u.processes()

	editor := u.attach()
	tools := editor.ask("tools/list", `{}`)
	contain(t, tools, `"find_tool"`)
	contain(t, u.must("status"), "1 client connected")

	contain(t, u.must("servers", "add", "memory", "--env", "MEMORY_FILE_PATH="+filepath.Join(u.folder, "memory & more.jsonl"), "--",
		u.node, u.server),
		"Added server memory: 9 tools")

	contain(t, editor.tool("registry", map[string]any{"action": "find_tool", "query": "create entities in the knowledge graph"}),
		"memory__create_entities")
	entity := map[string]any{"name": `Jörg & "Co" %PATH%`, "entityType": "person", "observations": []string{`likes C:\dir\`}}
	editor.tool("memory__create_entities", map[string]any{"entities": []any{entity}})
	contain(t, editor.tool("memory__read_graph", map[string]any{}), `Jörg & \"Co\" %PATH%`, `likes C:\\dir\\`)
	if _, err := os.Stat(filepath.Join(u.folder, "memory & more.jsonl")); err != nil {
		t.Errorf("the server got another environment: %v", err)
	}

	// Add the entry to an editor's file and remove it.
	file := filepath.Join(u.folder, ".cursor", "mcp.json")
	before := []byte("{\r\n  // by hand\r\n  \"mcpServers\": {}\r\n}\r\n")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, before, 0o644); err != nil {
		t.Fatal(err)
	}
	contain(t, u.must("editors", "register", "cursor", "--project", u.folder, "--yes"), "cursor: done")
	after := read(t, file)
	program, err := json.Marshal(u.program)
	if err != nil {
		t.Fatal(err)
	}
	contain(t, strings.ToLower(string(after)), strings.ToLower(string(program)), `["mcp", "--client", "cursor", "--surface", "meta"]`)
	contain(t, u.must("editors", "undo", "cursor", "--yes"), "cursor: done")
	if undone := read(t, file); !bytes.Equal(undone, before) {
		t.Errorf("undo left\n%s", undone)
	}

	u.must("stop")
	editor.close()
	u.awaitNone(processes)
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func contain(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Fatalf("expected %s in:\n%s", part, text)
		}
	}
}
