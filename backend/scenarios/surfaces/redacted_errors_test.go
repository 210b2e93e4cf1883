package surfaces_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/words"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestTextsAboutErrorsOfServersHaveNoSecrets(t *testing.T) {
	const secret = "Unknown tool: refused" // the message of the error
	h, _ := hubtest.RunHub(t, hub.Options{Folder: hubtest.NewDataFolder(t, "")})
	command := mcptest.Command(t, "-tool", "refused=Refuses every call")
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{
		"name": "one", "command": command[0], "args": command[1:], "env": map[string]string{"API_TOKEN": secret},
	}, nil)
	hubtest.Do(t, h, "POST", "/api/servers/1/refresh", nil, nil)
	meta := hubtest.Introduced(t, h, hubtest.Meta, "{}")
	original := hubtest.Introduced(t, h, companion.Entry{}, "{}")
	for road, got := range map[string]string{
		"execute_tool": meta.Exchange("tools/call", `{"name":"execute_tool","arguments":{"server":"one","tool":"refused","arguments":{}}}`),
		"proxy_call":   original.Registry(`{"action":"proxy_call","call_as":"mcp__one__refused"}`),
	} {
		if strings.Contains(got, secret) || !strings.Contains(got, "MCP error -32602: [redacted]") {
			t.Errorf("%s: %s", road, got)
		}
	}
	if got := meta.Exchange("tools/call", `{"name":"call_tool","arguments":{"call_as":"mcp__one__refused"}}`); !strings.Contains(got, secret) {
		t.Errorf("an error that is passed on has changed: %s", got)
	}
	const call, passedOn = `{"name":"one__refused","arguments":{}}`, `"error":{"code":-32602,"message":"Unknown tool: refused","data":{"made":"by mcptest"}}`
	if got := hubtest.Join(t, h, "editor").Exchange("tools/call", call); got != passedOn {
		t.Errorf("an editor gets %s, want %s", got, passedOn)
	}
	want := strings.Replace(passedOn, secret, "[redacted]", 1)
	if got := hubtest.Join(t, h, words.CommandLine).Exchange("tools/call", call); got != want {
		t.Errorf("the command line gets %s, want %s", got, want)
	}
	hubtest.Row{
		Name: "REST", Method: "POST", Path: "/api/servers/1/call", Body: `{"tool":"refused"}`, Status: 200,
		Want: []string{"MCP error -32602: [redacted]"}, Never: []string{secret},
	}.Send(t, h)
}
