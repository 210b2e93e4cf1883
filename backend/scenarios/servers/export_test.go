package servers_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

func TestAnExportIsImportedOverREST(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "log:\n  retention_days: 5\n")})
	s.Play(
		hubtest.Step{
			Name: "add a server", Method: "POST", Path: "/api/servers", Body: `{"name":"one","command":"true","tags":["mine"],"start":false}`,
			Status: 201,
		},
		hubtest.Step{
			Name: "a program exports no secrets", Method: "POST", Path: "/api/export", Body: `{"passphrase":"open sesame"}`, Status: 403,
			Want: []string{"agent-discover export --secrets FILE"},
		},
		hubtest.Step{
			Name: "export", Method: "POST", Path: "/api/export", Status: 200,
			Want: []string{`"format":"agent-discover-export"`, `"tags":["mine"]`, `retention_days: 5`}, Never: []string{`"sealed"`},
		},
	)
	var export json.RawMessage
	hubtest.Do(t, s.Hub, "POST", "/api/export", nil, &export)
	file := filepath.Join(t.TempDir(), "export.json")
	if err := os.WriteFile(file, export, 0o600); err != nil {
		t.Fatal(err)
	}
	body := func(fields map[string]any) string {
		fields["path"] = file
		return s.JSON(fields)
	}
	other := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "")})
	for _, row := range []hubtest.Row{
		{
			Name: "a dry run", Body: body(map[string]any{"dry_run": true}), Status: 200,
			Want: []string{`"action":"add"`, `"waiting_for_approval":true`, `"runs":{`, `"dry_run":true`},
		},
		{
			Name: "a changed file", Body: body(map[string]any{"hash": "another"}), Status: 409,
			Want: []string{"has changed since it was shown"},
		},
		{Name: "no such file", Body: `{"path":"/no/such/export.json"}`, Status: 404},
		{
			Name: "an unknown choice", Body: body(map[string]any{"conflicts": "merge"}), Status: 422,
			Want: []string{"use skip, rename or replace"},
		},
		{Name: "import", Body: body(map[string]any{}), Status: 200, Want: []string{`"action":"add"`, "only a person can import this"}},
		{
			Name: "once more", Body: body(map[string]any{}), Status: 200, Want: []string{`"action":"skip"`},
			Never: []string{`"action":"add"`},
		},
	} {
		row.Method, row.Path = "POST", "/api/export/import"
		row.Send(t, other.Hub)
	}
	hubtest.Row{
		Name: "the server", Method: "GET", Path: "/api/servers/1", Status: 200, Want: []string{`"tags":["mine"]`, `"approved":false`},
	}.Send(t, other.Hub)
}

func TestAFolderIsSynchronizedOverREST(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "log:\n  retention_days: 5\n")})
	other := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "")})
	folder := s.JSON(map[string]any{"path": filepath.Join(t.TempDir(), "shared")})
	for _, row := range []struct {
		at *hubtest.Scenario
		hubtest.Row
	}{
		{s, hubtest.Row{Name: "no folder", Method: "GET", Path: "/api/sync/folder", Status: 404, Want: []string{"sync init FOLDER"}}},
		{s, hubtest.Row{Name: "no folder to synchronize with", Method: "POST", Path: "/api/sync/folder", Status: 404}},
		{s, hubtest.Row{Name: "a relative path", Method: "PUT", Path: "/api/sync/folder", Body: `{"path":"shared"}`, Status: 422}},
		{s, hubtest.Row{Name: "begin", Method: "PUT", Path: "/api/sync/folder", Body: folder, Status: 200, Want: []string{`"machine":"`}}},
		{s, hubtest.Row{Name: "the folder", Method: "GET", Path: "/api/sync/folder", Status: 200, Want: []string{`shared"`}}},
		{s, hubtest.Row{
			Name: "a dry run", Method: "POST", Path: "/api/sync/folder", Body: `{"dry_run":true}`, Status: 200,
			Want: []string{`"kind":"settings","name":"log.retention_days","action":"write","new":true`, `"dry_run":true`},
		}},
		{s, hubtest.Row{Name: "synchronize", Method: "POST", Path: "/api/sync/folder", Status: 200, Want: []string{`"action":"write"`}}},
		{other, hubtest.Row{Name: "the other machine", Method: "PUT", Path: "/api/sync/folder", Body: folder, Status: 200}},
		{other, hubtest.Row{
			Name: "a program changes nothing", Method: "POST", Path: "/api/sync/folder", Status: 200,
			Want: []string{`"action":"take"`, `"waiting":true`},
		}},
		{other, hubtest.Row{
			Name: "no conflict", Method: "POST", Path: "/api/sync/folder", Body: `{"mine":["notes"]}`, Status: 404,
			Want: []string{"there is no conflict"},
		}},
		{other, hubtest.Row{Name: "stop", Method: "DELETE", Path: "/api/sync/folder", Status: 200}},
		{other, hubtest.Row{Name: "stop again", Method: "DELETE", Path: "/api/sync/folder", Status: 404}},
	} {
		row.Send(t, row.at.Hub)
	}
}
