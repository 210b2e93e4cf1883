package servers_test

import (
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestChangedLimitsApplyWithoutARestart(t *testing.T) {
	folder := hubtest.NewDataFolder(t, "")
	h, _ := hubtest.RunHub(t, hub.Options{Folder: folder})
	command := mcptest.Command(t)
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "one", "command": command[0], "args": command[1:]}, nil)
	hubtest.Do(t, h, "POST", "/api/servers/1/refresh", nil, nil)
	hubtest.WriteSettings(t, folder, "port: 0\nlimits: {call_timeout: 40ms}\n")
	hubtest.Row{
		Name: "reload", Method: "POST", Path: "/api/config/reload", Status: 200, Want: []string{`"restart":[]`},
	}.Send(t, h)
	hubtest.Row{
		Name: "a call without an answer", Method: "POST", Path: "/api/servers/1/call", Body: `{"tool":"hold","args":{"key":"never"}}`,
		Status: 500, Want: []string{"within 40ms", `"code":"timeout"`},
	}.Send(t, h)
}
