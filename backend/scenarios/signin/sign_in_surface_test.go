package signin_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/oidctest"
)

// unsigned runs a hub with the server "notes", to which nobody has signed in.
func unsigned(t *testing.T) *hub.Hub {
	t.Helper()
	t.Setenv("AGENT_DISCOVER_KEYCHAIN", "off")
	r := oidctest.NewAccounts(t, oidctest.Start(t))
	h, _ := hubtest.RunHub(t, hub.Options{}, signInPassphrase)
	hubtest.Do(t, h, "POST", "/api/servers",
		map[string]any{"name": "notes", "transport": "streamable-http", "homepage": r.URL + "/mcp"}, nil)
	return h
}

func contains(t *testing.T, what, got string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			t.Errorf("%s: got %s, want %s", what, got, part)
		}
	}
}

func TestSurfaceOfOneServerAnswersBeforeTheFirstSignIn(t *testing.T) {
	h := unsigned(t)
	a := hubtest.ArriveBy(t, h, companion.Entry{Surface: "server:notes"})
	greeting := a.Ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}`)
	contains(t, "initialize", string(greeting), `"serverInfo":{"name":"notes","version":"`,
		`"tools":{"listChanged":true}`, "agent-discover auth login notes")
	a.Write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if got := a.Exchange("tools/list", "{}"); got != `"result":{"tools":[]}` {
		t.Errorf("tools: %s", got)
	}
	contains(t, "prompts", a.Exchange("prompts/list", "{}"), `{"prompts":[]}`)
	contains(t, "a call", a.Exchange("tools/call", `{"name":"whoami"}`), "agent-discover auth login notes")

	signIn(t, h, 1, "alice")
	a.AwaitText("notifications/prompts/list_changed")
	a.AwaitText("notifications/tools/list_changed")
	contains(t, "tools after the sign-in", a.Exchange("tools/list", "{}"), `"name":"whoami"`)
	contains(t, "prompts after the sign-in", a.Exchange("prompts/list", "{}"), `{"prompts":[]}`) // the server has none
	contains(t, "a call after the sign-in", a.Exchange("tools/call", `{"name":"whoami","arguments":{}}`), "you are alice")

	later := hubtest.ArriveBy(t, h, companion.Entry{Surface: "server:notes"})
	hubtest.Do(t, h, "POST", "/api/servers/1/auth/logout", nil, nil)
	later.Ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}`)
	contains(t, "tools after a sign-out", later.Exchange("tools/list", "{}"), `"name":"whoami"`)
}

func TestSurfaceOfOneServerAnswersModernClientsBeforeTheFirstSignIn(t *testing.T) {
	h := unsigned(t)
	a := hubtest.ArriveBy(t, h, companion.Entry{Surface: "server:notes"})
	contains(t, "discover", a.Modern("server/discover", ""), `"tools":{"listChanged":true}`, "agent-discover auth login notes", `"ttlMs":0`,
		`"name":"notes"`)
	contains(t, "tools", a.Modern("tools/list", ""), `"tools":[]`, `"ttlMs":0`)
	contains(t, "resources", a.Modern("resources/list", ""), `"resources":[]`)
	a.Write(`{"jsonrpc":"2.0","id":"listen","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` +
		hubtest.ModernMeta + `}}`)
	contains(t, "listen", a.AwaitText("notifications/subscriptions/acknowledged"), `"toolsListChanged":true`)
	signIn(t, h, 1, "alice")
	a.AwaitText("notifications/tools/list_changed")
	contains(t, "tools after the sign-in", a.Modern("tools/list", ""), `"name":"whoami"`)
	contains(t, "a call after the sign-in", a.Modern("tools/call", `"name":"whoami","arguments":{}`), "you are alice")
}
