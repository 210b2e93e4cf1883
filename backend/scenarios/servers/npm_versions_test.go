//go:build unix

package servers_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// TestANewVersionOfARealPackageChangesItsTools replaces the 2025 release of the memory server with the 2026 release
// behind the same command, as npx does when a new version is published. The tools keep their names and descriptions, and
// gain annotations and output schemas.
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
	h, _ := hubtest.RunHub(t, hub.Options{
		Folder: hubtest.NewDataFolder(t, hubtest.CleanChanges+"discovery: {approval: {rules: [{pattern: read_graph, ask: true}]}}\n"),
	})
	r := &hubtest.Remembering{Scenario: hubtest.Scenario{T: t, Hub: h, Events: hubtest.RecordEvents(t, h)}}
	r.OpenWindow()
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{
		"name": "memory", "command": node, "args": []string{filepath.Join(current, "dist", "index.js")},
		"env": map[string]string{"MEMORY_FILE_PATH": filepath.Join(t.TempDir(), "memory.json")},
	}, nil)
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	hubtest.CreateToolset(t, h, "graph", "memory.read_graph", "memory.create_entities")

	native, limited := hubtest.Introduced(t, h, companion.Entry{Surface: "native"}, "{}"), hubtest.Introduced(t, h,
		companion.Entry{Surface: "toolset:graph"}, "{}")
	searching := hubtest.Introduced(t, h, hubtest.Meta, "{}")
	const call = `{"name":"memory__read_graph","arguments":{}}`
	if got := r.Answered(limited, call, `{"action":"accept","remember":"always"}`); !strings.Contains(got, "entities") {
		t.Fatal(got)
	}
	accepted := limited.Exchange("tools/list", "{}")
	const find = `{"name":"search_tools","arguments":{"query":"read the entire knowledge graph","limit":1}}`
	details := `{` + hubtest.Calling("get_tool_details", `{"server":"memory","tool":"read_graph"}`) + `}`
	if got := searching.Exchange("tools/call", details); !strings.Contains(got, "or call_tool with call_as") ||
		strings.Contains(native.Exchange("tools/list", "{}"), "readOnlyHint") {
		t.Fatalf("the former version: %s", got)
	}

	mark := r.Events.Mark()
	use("@modelcontextprotocol", "server-memory")
	hubtest.Do(t, h, "POST", "/api/servers/1/restart", nil, nil)
	r.Events.Await(t, "the changes of the tools", mark, "tools", `{"tool":"read_graph","change":"updated","previousHash":"`)
	r.Events.Await(t, "the drift of the toolset", mark, "toolsets", "")
	native.Await("notifications/tools/list_changed")
	if got := native.Exchange("tools/list", "{}"); !strings.Contains(got, `"readOnlyHint":true`) {
		t.Errorf("a client of the server lists %s", got)
	}
	if got := searching.Exchange("tools/call", details); !strings.Contains(got, "or call_read_tool with call_as") {
		t.Errorf("get_tool_details: %s", got)
	}
	if got := searching.Exchange("tools/call", find); !strings.Contains(got, `\"tool\":\"read_graph\"`) {
		t.Errorf("search_tools: %s", got)
	}
	if got := limited.Exchange("tools/list", "{}"); got[strings.Index(got, "result"):] != accepted[strings.Index(accepted, "result"):] {
		t.Errorf("the toolset lists another definition than the accepted one: %s", got)
	}
	if got := limited.Exchange("tools/call", call); !strings.Contains(got, "memory.read_graph has changed") {
		t.Errorf("a call through the toolset: %s", got)
	}
	if got := r.Answered(native, call, `{"action":"decline"}`); !strings.Contains(got, "the user refused this call") {
		t.Errorf("an approval of the former version holds: %s", got)
	}

	r.Play(
		hubtest.Step{
			Name: "history", Method: "GET", Path: "/api/discovery/history?server=memory&tool=read_graph",
			Status: 200, Want: []string{`"change":"updated"`, `"change":"added"`},
		},
		hubtest.Step{
			Name: "drift", Method: "GET", Path: "/api/toolsets/graph", Status: 200, Want: []string{`"state":"drifted"`, `readOnlyHint`},
			Keep: "tools.0.drift.hash",
		},
		hubtest.Step{
			Name: "pin", Method: "POST", Path: "/api/toolsets/graph/pin",
			Body: `{"tools":[{"server":"memory","tool":"read_graph","hash":"{tools.0.drift.hash}"}]}`, Person: true, Status: 200,
			Want: []string{`"tool":"read_graph","state":"ready"`, `"tool":"create_entities","state":"drifted"`},
		},
	)
	if got := r.Answered(limited, call, `{"action":"accept"}`); !strings.Contains(got, `"structuredContent"`) {
		t.Errorf("a call of the accepted version: %s", got)
	}
}
