package hub_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// withTasks runs a hub with an active server that has a tool to be called as a task.
func withTasks(t *testing.T) *hub.Hub {
	t.Helper()
	h, _ := runHub(t, hub.Options{})
	command := mcptest.Command(t, "-tasks")
	do(t, h, "POST", "/api/servers", map[string]any{"name": "one", "command": command[0], "args": command[1:]}, nil)
	do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	return h
}

func TestATaskIsOfTheSessionThatHasStartedIt(t *testing.T) {
	h := withTasks(t)
	entries := map[string]struct{ prefix, tool string }{"registry": {"one+", "one__job"}, "server:one": {"", "job"}}
	n := 0
	for surface, row := range entries {
		entry := server("one")
		entry.Surface = surface
		a, b := introduced(t, h, entry, `{}`), introduced(t, h, entry, `{}`)
		if got := arriveBy(t, h, entry).exchange("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}`); !strings.Contains(got, `"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}`) {
			t.Errorf("%s: %s", surface, got)
		}
		state := func(status string) string {
			return `{"taskId":"` + row.prefix + string(rune('0'+n)) + `","status":"` + status + `","createdAt":"2026-01-01T00:00:00Z","ttl":60000,"pollInterval":1}`
		}
		start := func(text, want string) (params string) {
			n++
			if got := a.exchange("tools/call", `{"name":"`+row.tool+`","arguments":{"text":"`+text+`"},"task":{"ttl":60000}}`); got != `"result":{"task":`+state(want)+`}` {
				t.Errorf("%s: %s", surface, got)
			}
			return `{"taskId":"` + row.prefix + string(rune('0'+n)) + `"}`
		}
		of := start("done", "working")
		if got := a.exchange("tasks/get", of); got != `"result":`+state("working") {
			t.Errorf("%s: %s", surface, got)
		}
		if got := a.await("notifications/tasks/status"); got != `{"jsonrpc":"2.0","method":"notifications/tasks/status","params":`+state("completed")+`}` {
			t.Errorf("%s: %s", surface, got)
		}
		if got, want := a.exchange("tasks/result", of), `"result":{"content":[{"type":"text","text":"done"}],"_meta":{"io.modelcontextprotocol/related-task":`+of+`}}`; got != want {
			t.Errorf("%s: %s", surface, got)
		}
		completed := state("completed")
		forever := start("forever", "working")
		if got, want := a.exchange("tasks/list", `{}`), `"result":{"tasks":[`+completed+`,`+state("working")+`]}`; got != want {
			t.Errorf("%s:\n got %s\nwant %s", surface, got, want)
		}
		for _, method := range []string{"tasks/get", "tasks/result", "tasks/cancel"} {
			if got := b.exchange(method, forever); !strings.Contains(got, `"error":{"code":-32602,"message":"Invalid params: this session has no such task"}`) {
				t.Errorf("%s of another session: %s", method, got)
			}
		}
		if got := b.exchange("tasks/list", `{}`); got != `"result":{"tasks":[]}` {
			t.Errorf("%s: another session has %s", surface, got)
		}
		if got := a.exchange("tasks/cancel", forever); got != `"result":`+state("cancelled") {
			t.Errorf("%s: %s", surface, got)
		}
		if got := a.await("notifications/tasks/status"); !strings.Contains(got, state("cancelled")) {
			t.Errorf("%s: %s", surface, got)
		}
		b.exchange("ping", `{}`)
		if len(b.notices) > 0 {
			t.Errorf("%s: another session got %s", surface, b.notices)
		}
	}
}

func TestAModernClientCallsAToolThatRequiresATask(t *testing.T) {
	h := withTasks(t)
	a := arrive(t, h)
	if got := a.modern("tools/call", `"name":"one__job","arguments":{"text":"done"}`); !strings.HasPrefix(got, `"result":{"content":[{"type":"text","text":"done"}],"resultType":"complete",`) {
		t.Errorf("got %s", got)
	}
	if got := a.modern("server/discover", ""); strings.Contains(got, "tasks") {
		t.Errorf("tasks of the older version are declared: %s", got)
	}
	a.write(`{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"name":"one__job","arguments":{"text":"forever"},` + modernMeta + `}}`)
	state := func() string { return a.modern("tools/call", `"name":"one__jobs"`) }
	for !strings.Contains(state(), "working") {
	}
	a.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"long"}}`)
	for strings.Contains(state(), "working") {
	}
	legacy := join(t, h, "agent")
	if got := legacy.exchange("tools/call", `{"name":"one__job"}`); !strings.Contains(got, "job must be called as a task") {
		t.Errorf("an older client: %s", got)
	}
}
