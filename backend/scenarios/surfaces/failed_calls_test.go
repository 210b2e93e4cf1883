package surfaces_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestFailedCallsSayWhichNamesMayBeMeant(t *testing.T) {
	h := annotated(t)
	meta := hubtest.Introduced(t, h, hubtest.Meta, "{}")
	original := hubtest.Introduced(t, h, companion.Entry{}, "{}")
	registry := func(arguments string) string {
		return original.Exchange("tools/call", `{"name":"registry","arguments":`+arguments+"}")
	}
	for road, row := range map[string]struct{ got, want string }{
		"execute_tool, server": {
			meta.Exchange("tools/call", `{"name":"execute_tool","arguments":{"server":"One","tool":"look","arguments":{}}}`),
			`"did_you_mean":["one"]`,
		},
		"execute_tool, tool": {
			meta.Exchange("tools/call", `{"name":"execute_tool","arguments":{"server":"one","tool":"lok","arguments":{}}}`),
			`"did_you_mean":["look"]`,
		},
		"search_tools": {
			meta.Exchange("tools/call", `{"name":"search_tools","arguments":{"server":"noe","query":"look"}}`), `"did_you_mean":["one"]`,
		},
		"get_tool_details": {
			meta.Exchange("tools/call", `{"name":"get_tool_details","arguments":{"server":"one","tool":"lok"}}`), `"did_you_mean":["look"]`,
		},
		"proxy_call, server": {registry(`{"action":"proxy_call","server":"noe","tool":"look"}`), `"did_you_mean":["one"]`},
		"proxy_call, tool":   {registry(`{"action":"proxy_call","server":"one","tool":"lok"}`), `"did_you_mean":["look"]`},
		"proxy_call, text":   {registry(`{"action":"proxy_call","server":"noe","tool":"look"}`), `; did you mean one?`},
		"activate":           {registry(`{"action":"activate","name":"noe"}`), `; did you mean one?`},
	} {
		if !strings.Contains(row.got, row.want) || !strings.Contains(row.got, `"isError":true`) {
			t.Errorf("%s: %s", road, row.got)
		}
	}
	hubtest.Row{
		Name: "REST, server", Method: "GET", Path: "/api/tools/resolve?server=noe&name=look", Status: 404,
		Want: []string{`"did_you_mean":["one"]`},
	}.Send(t, h)
	hubtest.Row{
		Name: "REST, tool", Method: "GET", Path: "/api/tools/resolve?name=one__lok", Status: 200,
		Want: []string{`"tool":"lok","known":false,"did_you_mean":["look"]`},
	}.Send(t, h)
	hubtest.Row{
		Name: "REST, known tool", Method: "GET", Path: "/api/tools/resolve?name=one__look", Status: 200,
		Want: []string{`"known":true`}, Never: []string{"did_you_mean"},
	}.Send(t, h)
}

func TestAFailedCallByRESTSaysHowTheArgumentsAreWrong(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{Folder: hubtest.NewDataFolder(t, "")})
	command := mcptest.Command(t)
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "one", "command": command[0], "args": command[1:]}, nil)
	hubtest.Do(t, h, "POST", "/api/servers/1/refresh", nil, nil)
	for _, row := range []hubtest.Row{
		{Name: "wrong", Body: `{"tool":"fail"}`, Want: []string{`"isError":true`, `"arguments_error":"text is required`}},
		{Name: "right", Body: `{"tool":"fail","args":{"text":"x"}}`, Want: []string{`"isError":true`}, Never: []string{"arguments_error"}},
		{Name: "accepted by the server", Body: `{"tool":"echo","args":{}}`, Never: []string{"arguments_error"}},
	} {
		row.Method, row.Path, row.Status = "POST", "/api/servers/1/call", 200
		row.Send(t, h)
	}
}
