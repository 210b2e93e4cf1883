package eras_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestTasksOfAModernServerPassToTheClientThatHasStartedThem(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	command := mcptest.Command(t, "-modern", "-tasks")
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "one", "command": command[0], "args": command[1:]}, nil)
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	for surface, row := range map[string]struct{ prefix, tool, uri string }{
		"registry": {"one+", "one__job", "one+note://1"}, "server:one": {"", "job", "note://1"},
	} {
		entry := hubtest.Server("one")
		entry.Surface = surface
		a, b := hubtest.ArriveBy(t, h, entry), hubtest.ArriveBy(t, h, entry)
		ask := func(c *hubtest.Agent, method, members string) string {
			return c.Exchange(method, "{"+members+","+hubtest.TasksMeta+"}")
		}
		expect := func(got string, wants ...string) {
			t.Helper()
			for _, want := range wants {
				if !strings.Contains(got, want) {
					t.Errorf("%s: got %s, want %s", surface, got, want)
				}
			}
		}
		if surface == "registry" {
			expect(ask(a, "server/discover", `"x":1`), `"extensions":{"io.modelcontextprotocol/tasks":{}}`)
		}
		start := func(text string) (members string) {
			got := ask(a, "tools/call", fmt.Sprintf(`"name":%q,"arguments":{"text":%q}`, row.tool, text))
			expect(got, `"resultType":"task","taskId":"`+row.prefix, `"ttlMs":60000`)
			_, rest, _ := strings.Cut(got, `"taskId":"`)
			id, _, _ := strings.Cut(rest, `"`)
			return `"taskId":"` + id + `"`
		}
		first, second := start("done"), start("forever")
		a.Write(`{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"taskIds":["` +
			strings.Split(first, `"`)[3] + `","` + row.prefix + `nothing"]},` + hubtest.TasksMeta + `}}`)
		expect(a.Await("notifications/subscriptions/acknowledged"), `"notifications":{"taskIds":["`+strings.Split(first, `"`)[3]+`"]}`)
		expect(ask(a, "tasks/get", first), first, `"status":"working"`, `"ttlMs":60000`, `"resultType":"complete"`)
		expect(a.Await("notifications/tasks"), first, `"status":"completed"`, `"uri":"`+row.uri+`"`,
			`"io.modelcontextprotocol/subscriptionId":"l"`)
		expect(ask(a, "tasks/get", first), `"status":"completed","createdAt"`, `"text":"done"`, `"uri":"`+row.uri+`"`)
		for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
			expect(ask(b, method, second), `"error":{"code":-32602,"message":"Invalid params: this session has no such task"}`)
		}
		expect(ask(a, "tasks/update", second+`,"inputResponses":{"q":{"action":"accept"}}`), `"resultType":"complete"`)
		expect(ask(a, "tasks/get", second), `{\"q\":{\"action\":\"accept\"}}`)
		third := start("forever")
		expect(ask(a, "tasks/cancel", third), `"resultType":"complete"`)
		expect(ask(a, "tasks/get", third), `"status":"cancelled"`)
		// A client that does not support tasks gets an error that says so.
		expect(a.Modern("tools/call", fmt.Sprintf(`"name":%q,"arguments":{"text":"x"}`, row.tool)),
			`"error":{"code":-32021`, `"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}`)
		for _, line := range b.Notices {
			t.Errorf("%s: another client got %s", surface, line)
		}
	}
}
