package editors_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

// checkFile checks that a file has the content want.
func checkFile(t *testing.T, file, want string) {
	t.Helper()
	if data, err := os.ReadFile(file); err != nil || string(data) != want {
		t.Errorf("%s contains %q, error %v; want %q", file, data, err, want)
	}
}

func TestEditorsAreRegisteredAndUndoneOverREST(t *testing.T) {
	s, file := hubtest.NewEditorScenario(t)
	s.Play(
		hubtest.Step{
			Name: "detected editors", Method: "GET", Path: "/api/editors", Status: 200,
			Want: []string{
				`"id":"cursor"`, `"state":"absent"`, `"detected":true`, `"auto_register":false`,
				`"entry":{"name":"discover","command":"{program}","args":["mcp"]`,
				`"surfaces":[{"surface":"meta","label":"Find and call",`,
			},
			Never: []string{`"id":"zed"`},
		},
		hubtest.Step{
			Name: "all editors", Method: "GET", Path: "/api/editors?all=true", Status: 200,
			Want: []string{`"id":"zed"`, `"id":"claude-desktop"`},
		},
		hubtest.Step{
			Name: "plan", Method: "POST", Path: "/api/editors/plan", Body: `{"action":"register","editors":["cursor"]}`,
			Status: 200, Want: []string{`"kind":"add"`, `\"discover\"`}, Never: []string{`"kind":"remove"`},
		},
	)
	checkFile(t, file, hubtest.EditorConfig)
	s.Play(
		hubtest.Step{
			Name: "file that differs from the plan", Method: "POST", Path: "/api/editors/register",
			Body: `{"editors":["cursor"],"expect":{"{file}":"0000"}}`, Status: 200, Want: []string{`"status":"refused"`},
		},
	)
	checkFile(t, file, hubtest.EditorConfig)
	s.Play(
		hubtest.Step{
			Name: "register", Method: "POST", Path: "/api/editors/register", Body: `{"all":true}`, Status: 200,
			Want: []string{`"status":"done"`, `"editor":"cursor"`}, Events: []string{"editors"},
		},
		hubtest.Step{
			Name: "registered editor", Method: "GET", Path: "/api/editors", Status: 200,
			Want: []string{`"state":"registered"`, `"command":"{program}"`},
		},
		hubtest.Step{
			Name: "register again", Method: "POST", Path: "/api/editors/register", Body: `{"editors":["cursor"]}`, Status: 200,
			Want: []string{`"status":"nothing"`},
		},
		hubtest.Step{
			Name: "history of an editor", Method: "GET", Path: "/api/editors/history?editor=cursor", Status: 200,
			Want: []string{`"action":"register"`, `"exact":true`, `"entries":["discover"]`}, Keep: "changes.0.id",
		},
	)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	added := strings.Replace(hubtest.EditorConfig, "// mine\n", "// mine\n\t\"editor\": \"wrote\",\n", 1)
	hubtest.WriteFile(t, file, strings.Replace(string(data), "// mine\n", "// mine\n\t\"editor\": \"wrote\",\n", 1))
	s.Play(
		hubtest.Step{
			Name: "undo keeps later changes of the editor", Method: "POST", Path: "/api/editors/undo",
			Body: `{"changes":["{changes.0.id}"]}`, Status: 200, Want: []string{`"status":"done"`}, Events: []string{"editors"},
		},
	)
	checkFile(t, file, added)
}

func TestInvalidRequestsChangeNoEditor(t *testing.T) {
	s, file := hubtest.NewEditorScenario(t)
	s.Play(
		hubtest.Step{
			Name: "register without editors", Method: "POST", Path: "/api/editors/register", Body: `{}`, Status: 422,
			Want: []string{"no editors given"},
		},
		hubtest.Step{
			Name: "unknown editor", Method: "POST", Path: "/api/editors/register", Body: `{"editors":["nobody"]}`, Status: 404,
			Want: []string{"nobody"},
		},
		hubtest.Step{
			Name: "plan without an action", Method: "POST", Path: "/api/editors/plan", Body: `{"editors":["cursor"]}`, Status: 422,
			Want: []string{"action must be"},
		},
		hubtest.Step{Name: "undo without changes", Method: "POST", Path: "/api/editors/undo", Body: `{}`, Status: 422},
		hubtest.Step{Name: "unknown change", Method: "POST", Path: "/api/editors/undo", Body: `{"changes":["nothing"]}`, Status: 404},
		hubtest.Step{
			Name: "scan of a text and a bundle", Method: "POST", Path: "/api/editors/scan", Body: `{"text":"a","bundle":"/b"}`, Status: 422,
		},
		hubtest.Step{Name: "scan of nothing", Method: "POST", Path: "/api/editors/scan", Body: `{}`, Status: 422},
		hubtest.Step{Name: "export without an editor", Method: "GET", Path: "/api/editors/export", Status: 422},
		hubtest.Step{Name: "settings without auto_register", Method: "PUT", Path: "/api/editors/settings", Body: `{}`, Status: 422},
		hubtest.Step{Name: "malformed JSON", Method: "POST", Path: "/api/editors/plan", Body: `{`, Status: 422},
	)
	checkFile(t, file, hubtest.EditorConfig)
}

func TestServersOfEditorsAreImportedOverREST(t *testing.T) {
	s, file := hubtest.NewEditorScenario(t)
	s.Play(
		hubtest.Step{
			Name: "servers of an editor", Method: "GET", Path: "/api/editors/servers?editor=cursor", Status: 200,
			Want: []string{`"name":"files"`, `"path":"{file}"`, `"here":""`},
		},
		hubtest.Step{
			Name: "dry run", Method: "POST", Path: "/api/editors/import", Body: `{"dry_run":true}`, Status: 200,
			Want: []string{`"name":"files"`},
		},
		hubtest.Step{Name: "a dry run imports nothing", Method: "GET", Path: "/api/servers", Status: 200, Never: []string{"files"}},
		hubtest.Step{
			Name: "import by a program", Method: "POST", Path: "/api/editors/import", Body: `{"take_out":true}`, Status: 200,
			Want: []string{`"status":"imported"`, `"waiting":true`, `waits for approval; the entry was kept`},
		},
		hubtest.Step{
			Name: "it waits for approval", Method: "GET", Path: "/api/servers/1", Status: 200,
			Want: []string{`"name":"files"`, `"approved":false`},
		},
		hubtest.Step{Name: "remove it", Method: "DELETE", Path: "/api/servers/1", Status: 200},
		hubtest.Step{
			Name: "import by a person, and remove from the editor", Method: "POST", Path: "/api/editors/import", Person: true,
			Body: `{"take_out":true}`, Status: 200, Want: []string{`"status":"imported"`, `"entries":["files"]`, `"change":"`},
			Never: []string{`"waiting"`}, Events: []string{"editors"},
		},
		hubtest.Step{
			Name: "imported server", Method: "GET", Path: "/api/servers", Status: 200, Want: []string{`"name":"files"`, `"command":"npx"`},
		},
		hubtest.Step{
			Name: "export", Method: "GET", Path: "/api/editors/export?editor=vscode&servers=files",
			Status: 200, Want: []string{`\"servers\"`, `\"files\"`},
		},
		hubtest.Step{
			Name: "scan of a text", Method: "POST", Path: "/api/editors/scan", Body: `{"text":"npx -y @example/other"}`, Status: 200,
			Want: []string{`"candidates":[{`, `"questions":[]`},
		},
		hubtest.Step{
			Name: "history", Method: "GET", Path: "/api/editors/history", Status: 200, Want: []string{`"action":"take-out"`},
			Keep: "changes.0.id",
		},
		hubtest.Step{
			Name: "undo", Method: "POST", Path: "/api/editors/undo", Body: `{"changes":["{changes.0.id}"]}`, Status: 200,
			Want: []string{`"status":"done"`},
		},
		hubtest.Step{
			Name: "checkup", Method: "GET", Path: "/api/editors/checkup", Status: 200, Want: []string{`"editor":"cursor"`, `"servers":1`},
		},
	)
	checkFile(t, file, hubtest.EditorConfig)
}

func TestPastedConfigurationsAreParsedOverREST(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	s := hubtest.NewScenario(t, hub.Options{Folder: folder})
	pasted := func(text string) string { return s.JSON(map[string]string{"text": text}) }
	s.Play(
		hubtest.Step{
			Name: "JSON", Method: "POST", Path: "/api/servers/parse", Status: 200,
			Body: pasted(`{"mcpServers": {"notes": {"command": "npx", "args": ["-y", "notes"], "env": {"API_KEY": "battery-staple", "MODE": "fast"}}}}`),
			Want: []string{
				`"name":"notes"`, `"transport":"stdio"`, `"command":"npx"`, `"args":["-y","notes"]`, `"MODE":"fast"`, `"problem":""`,
				`"secrets":[{"where":"env.API_KEY","name":"API_KEY","value":"battery-staple"}]`,
			},
		},
		hubtest.Step{
			Name: "TOML", Method: "POST", Path: "/api/servers/parse", Status: 200,
			Body: pasted("[mcp_servers.time]\ncommand = \"uvx\"\nargs = [\"mcp-server-time\"]"),
			Want: []string{`"name":"time"`, `"args":["mcp-server-time"]`},
		},
		hubtest.Step{
			Name: "YAML", Method: "POST", Path: "/api/servers/parse", Status: 200,
			Body: pasted("mcpServers:\n  a:\n    url: https://a.example/sse"),
			Want: []string{`"name":"a"`, `"transport":"sse"`, `"url":"https://a.example/sse"`},
		},
		hubtest.Step{
			Name: "command line", Method: "POST", Path: "/api/servers/parse", Status: 200,
			Body: pasted("npx -y @x/server-git --token battery-staple"),
			Want: []string{`"name":"git"`, `"target":"npx -y @x/server-git --token [redacted]"`, `"where":"args[3]"`},
		},
		hubtest.Step{
			Name: "placeholder", Method: "POST", Path: "/api/servers/parse", Status: 200,
			Body: pasted(`{"a": {"command": "x", "env": {"KEY": "${input:key}"}}}`),
			Want: []string{`"missing":[{"where":"env.KEY","text":"${input:key}","secret":"","reference":""}]`, `"problem":""`},
		},
		hubtest.Step{
			Name: "truncated text", Method: "POST", Path: "/api/servers/parse", Status: 422,
			Body: pasted(`{"a": {"command": "battery-staple"`), Want: []string{`{"error":"line `}, Never: []string{"battery-staple"},
		},
		hubtest.Step{
			Name: "text without a server", Method: "POST", Path: "/api/servers/parse", Status: 422, Body: pasted(`{"theme": "dark"}`),
			Want: []string{"nothing in it has a command or a URL"},
		},
		hubtest.Step{
			Name: "body without a text", Method: "POST", Path: "/api/servers/parse", Status: 422, Body: `{}`,
			Want: []string{"text is required"},
		},
		hubtest.Step{
			Name: "text is a number", Method: "POST", Path: "/api/servers/parse", Status: 422, Body: `{"text":7}`,
			Want: []string{"wrong type"},
		},
		hubtest.Step{
			Name: "malformed JSON", Method: "POST", Path: "/api/servers/parse", Status: 422, Body: `{`, Want: []string{"Invalid JSON"},
		},
		hubtest.Step{
			Name: "check names", Method: "POST", Path: "/api/servers/names", Status: 200, Body: `{"names":["b","a","a","a__b"]}`,
			Want: []string{`{"problems":["","another server in this list has this name","another`},
		},
		hubtest.Step{
			Name: "no names", Method: "POST", Path: "/api/servers/names", Status: 200, Body: `{}`, Want: []string{`{"problems":[]}`},
		},
		hubtest.Step{Name: "no server was added", Method: "GET", Path: "/api/servers", Status: 200, Want: []string{"[]"}},
		hubtest.Step{Name: "no secret was stored", Method: "GET", Path: "/api/secrets", Status: 200, Never: []string{"API_KEY"}},
	)
	log, err := os.ReadFile(folder.Log())
	if err != nil || strings.Contains(string(log), "battery-staple") || strings.Contains(string(log), "mcp-server-time") {
		t.Errorf("error %v; the log must not contain the text:\n%s", err, log)
	}
}

func TestAutomaticRegistrationFollowsTheSettingsFile(t *testing.T) {
	folder := hubtest.NewDataFolder(t, "editors:\n  auto_register: true\n")
	s, _ := hubtest.EditorScenario(t, hub.Options{Folder: folder})
	s.Play(hubtest.Step{Name: "is on", Method: "GET", Path: "/api/editors", Status: 200, Want: []string{`"auto_register":true`}})
	if err := os.WriteFile(folder.Config(), []byte("editors:\n  auto_register: false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Play(
		hubtest.Step{Name: "read the file", Method: "POST", Path: "/api/config/reload", Status: 200, Want: []string{`"restart":[]`}},
		hubtest.Step{Name: "is off", Method: "GET", Path: "/api/editors", Status: 200, Want: []string{`"auto_register":false`}},
		hubtest.Step{
			Name: "turn it on", Method: "PUT", Path: "/api/editors/settings", Body: `{"auto_register":true}`, Status: 200,
		},
		hubtest.Step{Name: "is on again", Method: "GET", Path: "/api/editors", Status: 200, Want: []string{`"auto_register":true`}},
	)
}

func TestNewEditorsAreRegisteredAutomatically(t *testing.T) {
	s, _ := hubtest.NewEditorScenario(t)
	s.Play(
		hubtest.Step{
			Name: "turn automatic registration on", Method: "PUT", Path: "/api/editors/settings", Body: `{"auto_register":true}`,
			Status: 200, Want: []string{`{"auto_register":true}`},
		},
		hubtest.Step{
			Name: "the setting is stored", Method: "GET", Path: "/api/editors", Status: 200, Want: []string{`"auto_register":true`},
		},
		hubtest.Step{Name: "mark editors as reviewed", Method: "POST", Path: "/api/editors/reviewed", Body: `{}`, Status: 200},
	)
	mark := s.Events.Mark()
	file := filepath.Join(os.Getenv("HOME"), ".codeium", "windsurf", "mcp_config.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	for text := ""; !strings.Contains(text, `"discover"`) && !t.Failed(); {
		s.Events.Await(t, "a new editor", mark, "editors", "") // it may report an earlier change
		mark = s.Events.Mark()
		data, _ := os.ReadFile(file)
		text = string(data)
	}
	s.Play(hubtest.Step{Name: "history", Method: "GET", Path: "/api/editors/history", Status: 200, Want: []string{`"by":"automatic"`}})
}
