package eras_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// withTasks runs a hub with an always listed server that has a tool to be called as an MCP task.
func withTasks(t *testing.T) *hub.Hub {
	t.Helper()
	h, _ := hubtest.RunHub(t, hub.Options{})
	command := mcptest.Command(t, "-tasks")
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "one", "command": command[0], "args": command[1:]}, nil)
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	return h
}

func TestATaskIsOfTheSessionThatHasStartedIt(t *testing.T) {
	h := withTasks(t)
	entries := map[string]struct{ prefix, tool string }{"registry": {"one+", "one__job"}, "server:one": {"", "job"}}
	n := 0
	for surface, row := range entries {
		entry := hubtest.Server("one")
		entry.Surface = surface
		a, b := hubtest.Introduced(t, h, entry, `{}`), hubtest.Introduced(t, h, entry, `{}`)
		if got := hubtest.ArriveBy(t, h, entry).Exchange("initialize",
			`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}`); !strings.Contains(got,
			`"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}`) {
			t.Errorf("%s: %s", surface, got)
		}
		state := func(status string) string {
			return `{"taskId":"` + row.prefix + string(rune('0'+n)) + `","status":"` + status +
				`","createdAt":"2026-01-01T00:00:00Z","ttl":60000,"pollInterval":1}`
		}
		start := func(text, want string) (params string) {
			n++
			if got := a.Exchange("tools/call",
				`{"name":"`+row.tool+`","arguments":{"text":"`+text+
					`"},"task":{"ttl":60000}}`); got != `"result":{"task":`+state(want)+`}` {
				t.Errorf("%s: %s", surface, got)
			}
			return `{"taskId":"` + row.prefix + string(rune('0'+n)) + `"}`
		}
		of := start("done", "working")
		if got := a.Exchange("tasks/get", of); got != `"result":`+state("working") {
			t.Errorf("%s: %s", surface, got)
		}
		if got := a.Await("notifications/tasks/status"); got != `{"jsonrpc":"2.0","method":"notifications/tasks/status","params":`+
			state("completed")+`}` {
			t.Errorf("%s: %s", surface, got)
		}
		if got, want := a.Exchange("tasks/result", of),
			`"result":{"content":[{"type":"text","text":"done"}],"_meta":{"io.modelcontextprotocol/related-task":`+of+`}}`; got != want {
			t.Errorf("%s: %s", surface, got)
		}
		completed := state("completed")
		forever := start("forever", "working")
		if got, want := a.Exchange("tasks/list", `{}`), `"result":{"tasks":[`+completed+`,`+state("working")+`]}`; got != want {
			t.Errorf("%s:\n got %s\nwant %s", surface, got, want)
		}
		for _, method := range []string{"tasks/get", "tasks/result", "tasks/cancel"} {
			if got := b.Exchange(method, forever); !strings.Contains(got,
				`"error":{"code":-32602,"message":"Invalid params: this session has no such task"}`) {
				t.Errorf("%s of another session: %s", method, got)
			}
		}
		if got := b.Exchange("tasks/list", `{}`); got != `"result":{"tasks":[]}` {
			t.Errorf("%s: another session has %s", surface, got)
		}
		if got := a.Exchange("tasks/cancel", forever); got != `"result":`+state("cancelled") {
			t.Errorf("%s: %s", surface, got)
		}
		if got := a.Await("notifications/tasks/status"); !strings.Contains(got, state("cancelled")) {
			t.Errorf("%s: %s", surface, got)
		}
		b.Exchange("ping", `{}`)
		if len(b.Notices) > 0 {
			t.Errorf("%s: another session got %s", surface, b.Notices)
		}
	}
}

func TestAModernClientCallsAToolThatRequiresATask(t *testing.T) {
	h := withTasks(t)
	a := hubtest.Arrive(t, h)
	if got := a.Modern("tools/call", `"name":"one__job","arguments":{"text":"done"}`); !strings.HasPrefix(got,
		`"result":{"content":[{"type":"text","text":"done"}],"resultType":"complete",`) {
		t.Errorf("got %s", got)
	}
	if got := a.Modern("server/discover", ""); strings.Contains(got, "tasks") {
		t.Errorf("tasks of the older version are declared: %s", got)
	}
	a.Write(`{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"name":"one__job","arguments":{"text":"forever"},` +
		hubtest.ModernMeta + `}}`)
	state := func() string { return a.Modern("tools/call", `"name":"one__jobs"`) }
	for !strings.Contains(state(), "working") {
	}
	a.Write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"long"}}`)
	for strings.Contains(state(), "working") {
	}
	legacy := hubtest.Join(t, h, "agent")
	if got := legacy.Exchange("tools/call", `{"name":"one__job"}`); !strings.Contains(got, "job must be called as a task") {
		t.Errorf("an older client: %s", got)
	}
}
