package hub_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
)

func TestEachClientIsShownWhatItsModelsTake(t *testing.T) {
	long := "rename_" + strings.Repeat("a", 60)
	const schema = `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"to":{"anyOf":[{"const":"up"},{"const":"down"}]},"size":{"$ref":"#/$defs/n"}},"oneOf":[{"required":["to"]},{"required":["size"]}],"$defs":{"n":{"type":["integer","null"]}},"additionalProperties":false}`
	definition := fmt.Sprintf(`{"name":%q,"x":9007199254740993,"inputSchema":%s,"annotations":{"readOnlyHint":true}}`, long, schema)
	s := newScenario(t, hub.Options{})
	s.play(
		step{name: "added", method: "POST", path: "/api/servers", body: s.server("files", "-only", "-definition", definition, "-result", `{"content":[{"type":"text","text":"renamed"}]}`), status: 201, keep: "id"},
		step{name: "activated", method: "POST", path: "/api/servers/{id}/activate", status: 200},
	)
	const short = "files__rename_aaaaaaaaaaaaaaaaaaaaaaaaaa"
	for client, row := range map[string]struct {
		schema string
		limit  int // of names, with what the client puts before them
		prefix string
	}{
		"gemini-cli-mcp-client-discover": {`{"type":"object","properties":{"to":{"type":"string","enum":["up","down"]},"size":{"type":"integer","nullable":true}},"description":"(alternatives: to, or size)"}`, 63, "mcp_discover_"},
		"claude-code":                    {`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"to":{"anyOf":[{"const":"up"},{"const":"down"}]},"size":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":["integer","null"]}},"additionalProperties":false,"description":"(alternatives: to, or size)"}`, 64, "mcp__discover__"},
		"somebody":                       {schema, 1000, ""},
	} {
		a := join(t, s.hub, client)
		var list struct{ Tools []json.RawMessage }
		if err := json.Unmarshal(a.ask("tools/list", `{}`), &list); err != nil || len(list.Tools) != 2 {
			t.Fatalf("%s: %v, %s", client, err, list.Tools)
		}
		var tool struct{ Name string }
		_ = json.Unmarshal(list.Tools[1], &tool)
		if want := fmt.Sprintf(`{"name":%q,"x":9007199254740993,"inputSchema":%s,"annotations":{"readOnlyHint":true}}`, tool.Name, row.schema); string(list.Tools[1]) != want {
			t.Errorf("%s is shown\n%s\nwant\n%s", client, list.Tools[1], want)
		}
		whole := "files__" + long
		if len(row.prefix+tool.Name) > row.limit || (tool.Name == whole) != (client == "somebody") || !strings.HasPrefix(tool.Name, short) {
			t.Errorf("%s is shown the name %s", client, tool.Name)
		}
		for _, name := range []string{tool.Name, whole} {
			if got := string(a.ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":{"to":"up"}}`, name))); got != `{"content":[{"type":"text","text":"renamed"}]}` {
				t.Errorf("%s calls %s and gets %s", client, name, got)
			}
		}
		if got := a.registry(fmt.Sprintf(`{"action":"proxy_call","call_as":"mcp__%s","arguments":{"size":1}}`, whole)); got != "renamed" {
			t.Errorf("%s calls by registry and gets %s", client, got)
		}
		if found := a.registry(`{"action":"find_tool","query":"` + long + `"}`); strings.Contains(found, "as "+whole) != (client == "somebody") {
			t.Errorf("%s is told to call %s", client, found)
		}
	}
}
