package servers_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestToolsOfNewServersAreFoundInWhicheverWayTheyComeIn(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, hubtest.CleanChanges)})
	command := func(tool string) []string { return mcptest.Command(t, "-only", "-tool", tool+"=Look at a "+tool) }
	entry := func(tool string) map[string]any {
		c := command(tool)
		return map[string]any{"name": tool, "command": c[0], "args": c[1:]}
	}
	text := func(v any) string {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}

	hubtest.Do(t, s.Hub, http.MethodPost, "/api/servers", entry("lighthouse"), nil)
	file := hubtest.WriteFile(t, filepath.Join(t.TempDir(), "setup.json"), text(map[string]any{"servers": []any{entry("harbour")}}))
	hubtest.Do(t, s.Hub, http.MethodPost, "/api/sync", map[string]string{"file": file}, nil)
	pasted := text(map[string]any{"mcpServers": map[string]any{"windmill": entry("windmill")}})
	if status, body := s.SendAsPerson("POST", "/api/editors/import", text(map[string]string{"text": pasted})); status != 200 {
		t.Fatalf("import: %d %s", status, body)
	}
	proposed := entry("waterfall")
	proposed["action"] = "install"
	hubtest.RegistryCall(t, s.Hub, text(proposed))
	hubtest.ApproveAll(t, s.Hub)

	for _, tool := range []string{"lighthouse", "harbour", "windmill", "waterfall"} {
		programtest.Eventually(t, "the tool "+tool+" is found", func() bool {
			return strings.Contains(hubtest.RegistryCall(t, s.Hub, `{"action":"find_tool","query":"look at a `+tool+`"}`),
				"mcp__"+tool+"__"+tool)
		})
	}
}
