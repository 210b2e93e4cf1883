package surfaces_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestToolsAreListedInAFormThatTheClientAccepts(t *testing.T) {
	long := "rename_" + strings.Repeat("a", 60)
	const schema = `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"to":{"anyOf":[{"const":"up"},{"const":"down"}]},"size":{"$ref":"#/$defs/n"}},"oneOf":[{"required":["to"]},{"required":["size"]}],"$defs":{"n":{"type":["integer","null"]}},"additionalProperties":false}`
	definition := fmt.Sprintf(`{"name":%q,"x":9007199254740993,"inputSchema":%s,"annotations":{"readOnlyHint":true}}`, long, schema)
	s := hubtest.NewScenario(t, hub.Options{})
	s.Play(
		hubtest.Step{
			Name: "add server", Method: "POST", Path: "/api/servers", Body: s.Server("files", "-only", "-definition", definition, "-result",
				`{"content":[{"type":"text","text":"renamed"}]}`), Status: 201, Keep: "id",
		},
		hubtest.Step{Name: "activate server", Method: "POST", Path: "/api/servers/{id}/activate", Status: 200},
	)
	const short = "files__rename_aaaaaaaaaaaaaaaaaaaaaaaaaa"
	for client, row := range map[string]struct {
		schema string
		limit  int    // longest name, including the prefix
		prefix string // added to names by the client
	}{
		"gemini-cli-mcp-client-discover": {
			`{"type":"object","properties":{"to":{"type":"string","enum":["up","down"]},"size":{"type":"integer","nullable":true}},"description":"(alternatives: to, or size)"}`,
			63,
			"mcp_discover_",
		},
		"claude-code": {
			`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"to":{"anyOf":[{"const":"up"},{"const":"down"}]},"size":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":["integer","null"]}},"additionalProperties":false,"description":"(alternatives: to, or size)"}`,
			64,
			"mcp__discover__",
		},
		"somebody": {schema, 1000, ""},
	} {
		a := hubtest.Join(t, s.Hub, client)
		var list struct{ Tools []json.RawMessage }
		if err := json.Unmarshal(a.Ask("tools/list", `{}`), &list); err != nil || len(list.Tools) != 2 {
			t.Fatalf("%s: %v, %s", client, err, list.Tools)
		}
		var tool struct{ Name string }
		_ = json.Unmarshal(list.Tools[1], &tool)
		if want := fmt.Sprintf(`{"name":%q,"x":9007199254740993,"inputSchema":%s,"annotations":{"readOnlyHint":true}}`,
			tool.Name, row.schema); string(list.Tools[1]) != want {
			t.Errorf("the list for %s contains\n%s\nwant\n%s", client, list.Tools[1], want)
		}
		fullName := "files__" + long
		if len(row.prefix+tool.Name) > row.limit || (tool.Name == fullName) != (client == "somebody") ||
			!strings.HasPrefix(tool.Name, short) {
			t.Errorf("the list for %s contains the name %s", client, tool.Name)
		}
		for _, name := range []string{tool.Name, fullName} {
			if got := string(a.Ask("tools/call",
				fmt.Sprintf(`{"name":%q,"arguments":{"to":"up"}}`, name))); got != `{"content":[{"type":"text","text":"renamed"}]}` {
				t.Errorf("a call of %[2]s by %[1]s returned %[3]s", client, name, got)
			}
		}
		if got := a.Registry(fmt.Sprintf(`{"action":"proxy_call","call_as":"mcp__%s","arguments":{"size":1}}`,
			fullName)); got != "renamed" {
			t.Errorf("proxy_call by %s returned %s", client, got)
		}
		if found := a.Registry(`{"action":"find_tool","query":"` + long + `"}`); strings.Contains(found,
			"as "+fullName) != (client == "somebody") {
			t.Errorf("find_tool for %s returned %s", client, found)
		}
	}
}

func TestTheSurfaceOfAServerKeepsNamesAndAdaptsSchemas(t *testing.T) {
	const schema = `{"type":"object","properties":{"n":{"type":["integer","null"]}}}`
	s := hubtest.NewScenario(t, hub.Options{})
	s.Play(
		hubtest.Step{
			Name: "add server", Method: "POST", Path: "/api/servers",
			Body: s.Server("files", "-only", "-definition", `{"name":"count","inputSchema":`+schema+`}`), Status: 201, Keep: "id",
		},
		hubtest.Step{Name: "activate server", Method: "POST", Path: "/api/servers/{id}/activate", Status: 200},
	)
	for client, want := range map[string]string{
		"gemini-cli": `{"type":"object","properties":{"n":{"type":"integer","nullable":true}}}`, "": schema,
	} {
		a := hubtest.ArriveBy(t, s.Hub, companion.Entry{Surface: "server:files", Client: client})
		for era, tools := range map[string]string{"modern": a.Modern("tools/list", ""), "legacy": ""} {
			if era == "legacy" {
				a = hubtest.ArriveBy(t, s.Hub, companion.Entry{Surface: "server:files", Client: client})
				a.Ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`)
				tools = string(a.Ask("tools/list", `{}`))
			}
			if !strings.Contains(tools, `"name":"count"`) || !strings.Contains(tools, `"inputSchema":`+want) {
				t.Errorf("a client of the %s era and the editor %q lists %s", era, client, tools)
			}
		}
	}
}
