package servers_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestADisabledServerOfAPersonaWaitsForApproval(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"persona.yaml": "name: reviewer\nversion: 1.0\ntoolsets: [{name: reading, tools: [off.read]}]\n",
		"mcp.json":     `{"mcpServers": {"off": {"command": "true", "disabled": true}, "usual": {"command": "true"}}}`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "agents:\n  install: allow\n")})
	s.Play(hubtest.Step{
		Name: "activate", Method: "POST", Path: "/api/personas/activate", Body: s.JSON(map[string]string{"path": folder}), Status: 201,
		Want: []string{`"servers":[{"id":1,"name":"off"},{"id":2,"name":"usual"}]`, `"toolsets":["reading"]`},
	})
	for path, approved := range map[string]string{"/api/servers/1": `"approved":false`, "/api/servers/2": `"approved":true`} {
		hubtest.Row{Name: "server", Method: "GET", Path: path, Status: 200, Want: []string{approved}}.Send(t, s.Hub)
	}
	s.Play(hubtest.Step{
		Name: "its toolset", Method: "GET", Path: "/api/toolsets", Status: 200,
		Want: []string{`"server":"off","tool":"read"`, `"state":"waiting"`},
	})
}
