package servers_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// persona returns a folder with a persona.
func persona(t *testing.T, about, servers string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range map[string]string{"persona.yaml": about, "mcp.json": servers} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestAToolsetOfAPersonaNamesTheConfiguredServerWithTheSameCommand(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "")})
	command := mcptest.Command(t)
	hubtest.Do(t, s.Hub, "POST", "/api/servers", map[string]any{"name": "git", "command": command[0], "args": command[1:]}, nil)
	hubtest.Do(t, s.Hub, "POST", "/api/servers/1/refresh", nil, nil)
	folder := persona(t, "name: reviewer\ntoolsets: [{name: reading, tools: [pg.echo]}]\n", s.JSON(map[string]any{
		"mcpServers": map[string]any{"pg": map[string]any{"command": command[0], "args": command[1:]}},
	}))
	s.Play(
		hubtest.Step{
			Name: "activate", Method: "POST", Path: "/api/personas/activate", Body: s.JSON(map[string]string{"path": folder}), Status: 201,
			Want: []string{`"servers":[]`, `"toolsets":["reading"]`},
		},
		hubtest.Step{
			Name: "its toolset", Method: "GET", Path: "/api/toolsets", Status: 200,
			Want: []string{`"server":"git","tool":"echo"`}, Never: []string{`"pg"`, `"state":"waiting"`, `"state":"missing"`},
		},
	)
}

func TestADisabledServerOfAPersonaIsDisabled(t *testing.T) {
	folder := persona(t, "name: reviewer\nversion: 1.0\ntoolsets: [{name: reading, tools: [off.read]}]\n",
		`{"mcpServers": {"off": {"command": "true", "disabled": true}, "usual": {"command": "true"}}}`)
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "agents:\n  install: allow\n")})
	s.Play(hubtest.Step{
		Name: "activate", Method: "POST", Path: "/api/personas/activate", Body: s.JSON(map[string]string{"path": folder}), Status: 201,
		Want: []string{`"servers":[{"id":1,"name":"off"},{"id":2,"name":"usual"}]`, `"toolsets":["reading"]`},
	})
	for path, state := range map[string]string{"/api/servers/1": `"state":"disabled"`, "/api/servers/2": `"approved":true`} {
		hubtest.Row{Name: "server", Method: "GET", Path: path, Status: 200, Want: []string{state}}.Send(t, s.Hub)
	}
	s.Play(hubtest.Step{
		Name: "its toolset", Method: "GET", Path: "/api/toolsets", Status: 200,
		Want: []string{`"server":"off","tool":"read"`, `"state":"waiting"`},
	})
}
