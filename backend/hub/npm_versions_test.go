//go:build unix

package hub_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// TestANewVersionOfARealPackageChangesItsTools replaces the memory server of 2025 by that of
// 2026 behind the same command, as npx does with a package that was published again. The
// names and descriptions of its tools stay; annotations and schemas of results are new.
func TestANewVersionOfARealPackageChangesItsTools(t *testing.T) {
	node, current := mcptest.Node(t), filepath.Join(t.TempDir(), "current")
	use := func(elem ...string) {
		t.Helper()
		_ = os.Remove(current)
		if err := os.Symlink(mcptest.Package(t, elem...), current); err != nil {
			t.Fatal(err)
		}
	}
	use("server-memory-2025")
	h, _ := runHub(t, hub.Options{Folder: newDataFolder(t, cleanChanges+"discovery: {approval: {rules: [{pattern: read_graph, ask: true}]}}\n")})
	r := &remembering{scenario: scenario{t: t, hub: h, events: recordEvents(t, h)}}
	r.openWindow()
	do(t, h, "POST", "/api/servers", map[string]any{
		"name": "memory", "command": node, "args": []string{filepath.Join(current, "dist", "index.js")}, "env": map[string]string{"MEMORY_FILE_PATH": filepath.Join(t.TempDir(), "memory.json")},
	}, nil)
	do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	createToolset(t, h, "graph", "memory.read_graph", "memory.create_entities")

	native, limited := introduced(t, h, companion.Entry{Surface: "native"}, "{}"), introduced(t, h, companion.Entry{Surface: "toolset:graph"}, "{}")
	searching := introduced(t, h, meta, "{}")
	const call = `{"name":"memory__read_graph","arguments":{}}`
	if got := r.answered(limited, call, `{"action":"accept","remember":"always"}`); !strings.Contains(got, "entities") {
		t.Fatal(got)
	}
	accepted := limited.exchange("tools/list", "{}")
	const find = `{"name":"search_tools","arguments":{"query":"read the entire knowledge graph","limit":1}}`
	details := `{` + calling("get_tool_details", `{"server":"memory","tool":"read_graph"}`) + `}`
	if got := searching.exchange("tools/call", details); !strings.Contains(got, "or call_tool with call_as") || strings.Contains(native.exchange("tools/list", "{}"), "readOnlyHint") {
		t.Fatalf("the former version: %s", got)
	}

	mark := r.events.mark()
	use("@modelcontextprotocol", "server-memory")
	do(t, h, "POST", "/api/servers/1/restart", nil, nil)
	r.events.await(t, "the changes of the tools", mark, "tools", `{"tool":"read_graph","change":"updated","previousHash":"`)
	r.events.await(t, "the drift of the toolset", mark, "toolsets", "")
	native.await("notifications/tools/list_changed")
	if got := native.exchange("tools/list", "{}"); !strings.Contains(got, `"readOnlyHint":true`) {
		t.Errorf("a client of the server lists %s", got)
	}
	if got := searching.exchange("tools/call", details); !strings.Contains(got, "or call_read_tool with call_as") {
		t.Errorf("get_tool_details: %s", got)
	}
	if got := searching.exchange("tools/call", find); !strings.Contains(got, `\"tool\":\"read_graph\"`) {
		t.Errorf("search_tools: %s", got)
	}
	if got := limited.exchange("tools/list", "{}"); got[strings.Index(got, "result"):] != accepted[strings.Index(accepted, "result"):] {
		t.Errorf("the toolset lists another definition than the accepted one: %s", got)
	}
	if got := limited.exchange("tools/call", call); !strings.Contains(got, "memory.read_graph has changed") {
		t.Errorf("a call through the toolset: %s", got)
	}
	if got := r.answered(native, call, `{"action":"decline"}`); !strings.Contains(got, "the user refused this call") {
		t.Errorf("an approval of the former version holds: %s", got)
	}

	r.play(
		step{name: "history", method: "GET", path: "/api/discovery/history?server=memory&tool=read_graph", status: 200, want: []string{`"change":"updated"`, `"change":"added"`}},
		step{name: "drift", method: "GET", path: "/api/toolsets/graph", status: 200, want: []string{`"state":"drifted"`, `readOnlyHint`}, keep: "tools.0.drift.hash"},
		step{
			name: "pin", method: "POST", path: "/api/toolsets/graph/pin", body: `{"tools":[{"server":"memory","tool":"read_graph","hash":"{tools.0.drift.hash}"}]}`, person: true, status: 200,
			want: []string{`"tool":"read_graph","state":"ready"`, `"tool":"create_entities","state":"drifted"`},
		},
	)
	if got := r.answered(limited, call, `{"action":"accept"}`); !strings.Contains(got, `"structuredContent"`) {
		t.Errorf("a call of the accepted version: %s", got)
	}
}
