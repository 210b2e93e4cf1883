package servers_test

import (
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestAServerWithoutToolsIsKnownToHaveNoneAfterItHasListedThem(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{})
	command := mcptest.Command(t, "-only")
	s.Play(
		hubtest.Step{
			Name: "add server", Method: "POST", Path: "/api/servers", Status: 201, Keep: "id",
			Body: s.JSON(map[string]any{"name": "bare", "command": command[0], "args": command[1:], "start": false}),
			Want: []string{`"tools_known":false`, `"tool_count":0`},
		},
		hubtest.Step{Name: "start", Method: "POST", Path: "/api/servers/{id}/start", Status: 200},
		hubtest.Step{Name: "stop", Method: "POST", Path: "/api/servers/{id}/stop", Status: 200},
		hubtest.Step{
			Name: "a stopped server", Method: "GET", Path: "/api/servers/{id}", Status: 200,
			Want: []string{`"running":false`, `"tools_known":true`, `"tool_count":0`},
		},
	)
}
