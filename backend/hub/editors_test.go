package hub_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/hub"
)

// editorConfig is an editor's configuration file with a comment and a trailing comma.
const editorConfig = "{\n\t// mine\n\t\"mcpServers\": {\n\t\t\"files\": {\"command\": \"npx\", \"args\": [\"-y\", \"@example/files\"]},\n\t},\n}\n"

// newEditorScenario starts a hub in a home folder with one editor, and returns the
// editor's file.
func newEditorScenario(t *testing.T) (s *scenario, file string) {
	t.Helper()
	return editorScenario(t, hub.Options{})
}

func editorScenario(t *testing.T, o hub.Options) (s *scenario, file string) {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "APPDATA", "LOCALAPPDATA"} {
		t.Setenv(name, "")
	}
	setHomeTo(t, home)
	bin := t.TempDir()
	fakeProgram(t, bin, "npx")
	t.Setenv("PATH", bin)
	file = filepath.Join(home, ".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, file, editorConfig)
	program := fakeProgram(t, home, "agent-discover")
	o.Program = program
	s = newScenario(t, o)
	s.kept = append(s.kept, "{file}", strings.Trim(s.json(file), `"`), "{program}", strings.Trim(s.json(program), `"`))
	return s, file
}

// fakeProgram creates a program that does nothing.
func fakeProgram(t *testing.T, folder, name string) string {
	t.Helper()
	program := filepath.Join(folder, name)
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return program
}

// checkFile compares the content of a file.
func checkFile(t *testing.T, file, want string) {
	t.Helper()
	if data, err := os.ReadFile(file); err != nil || string(data) != want {
		t.Errorf("%s contains %q, error %v; want %q", file, data, err, want)
	}
}

func TestEditorsAreRegisteredAndUndoneOverREST(t *testing.T) {
	s, file := newEditorScenario(t)
	s.play(
		step{
			name: "detected editors", method: "GET", path: "/api/editors", status: 200,
			want:  []string{`"id":"cursor"`, `"state":"absent"`, `"detected":true`, `"auto_register":false`, `"entry":{"name":"discover","command":"{program}","args":["mcp"]`},
			never: []string{`"id":"zed"`},
		},
		step{name: "all editors", method: "GET", path: "/api/editors?all=true", status: 200, want: []string{`"id":"zed"`, `"id":"claude-desktop"`}},
		step{name: "plan", method: "POST", path: "/api/editors/plan", body: `{"action":"register","editors":["cursor"]}`, status: 200, want: []string{`"kind":"add"`, `\"discover\"`}, never: []string{`"kind":"remove"`}},
	)
	checkFile(t, file, editorConfig)
	s.play(
		step{name: "file that differs from the plan", method: "POST", path: "/api/editors/register", body: `{"editors":["cursor"],"expect":{"{file}":"0000"}}`, status: 200, want: []string{`"status":"refused"`}},
	)
	checkFile(t, file, editorConfig)
	s.play(
		step{
			name: "register", method: "POST", path: "/api/editors/register", body: `{"all":true}`, status: 200,
			want: []string{`"status":"done"`, `"editor":"cursor"`}, events: []string{"editors"},
		},
		step{name: "registered editor", method: "GET", path: "/api/editors", status: 200, want: []string{`"state":"registered"`, `"command":"{program}"`}},
		step{name: "register again", method: "POST", path: "/api/editors/register", body: `{"editors":["cursor"]}`, status: 200, want: []string{`"status":"nothing"`}},
		step{name: "history of an editor", method: "GET", path: "/api/editors/history?editor=cursor", status: 200, want: []string{`"action":"register"`, `"exact":true`, `"entries":["discover"]`}, keep: "changes.0.id"},
	)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	added := strings.Replace(editorConfig, "// mine\n", "// mine\n\t\"editor\": \"wrote\",\n", 1)
	writeFile(t, file, strings.Replace(string(data), "// mine\n", "// mine\n\t\"editor\": \"wrote\",\n", 1))
	s.play(
		step{name: "undo keeps later changes of the editor", method: "POST", path: "/api/editors/undo", body: `{"changes":["{changes.0.id}"]}`, status: 200, want: []string{`"status":"done"`}, events: []string{"editors"}},
	)
	checkFile(t, file, added)
}

func TestInvalidRequestsChangeNoEditor(t *testing.T) {
	s, file := newEditorScenario(t)
	s.play(
		step{name: "register without editors", method: "POST", path: "/api/editors/register", body: `{}`, status: 422, want: []string{"no editors given"}},
		step{name: "unknown editor", method: "POST", path: "/api/editors/register", body: `{"editors":["nobody"]}`, status: 404, want: []string{"nobody"}},
		step{name: "plan without an action", method: "POST", path: "/api/editors/plan", body: `{"editors":["cursor"]}`, status: 422, want: []string{"action must be"}},
		step{name: "undo without changes", method: "POST", path: "/api/editors/undo", body: `{}`, status: 422},
		step{name: "unknown change", method: "POST", path: "/api/editors/undo", body: `{"changes":["nothing"]}`, status: 404},
		step{name: "scan of a text and a bundle", method: "POST", path: "/api/editors/scan", body: `{"text":"a","bundle":"/b"}`, status: 422},
		step{name: "scan of nothing", method: "POST", path: "/api/editors/scan", body: `{}`, status: 422},
		step{name: "export without an editor", method: "GET", path: "/api/editors/export", status: 422},
		step{name: "settings without auto_register", method: "PUT", path: "/api/editors/settings", body: `{}`, status: 422},
		step{name: "malformed JSON", method: "POST", path: "/api/editors/plan", body: `{`, status: 422},
	)
	checkFile(t, file, editorConfig)
}

func TestServersOfEditorsAreImportedOverREST(t *testing.T) {
	s, file := newEditorScenario(t)
	s.play(
		step{name: "servers of an editor", method: "GET", path: "/api/editors/servers?editor=cursor", status: 200, want: []string{`"name":"files"`, `"path":"{file}"`, `"here":""`}},
		step{name: "dry run", method: "POST", path: "/api/editors/import", body: `{"dry_run":true}`, status: 200, want: []string{`"name":"files"`}},
		step{name: "a dry run imports nothing", method: "GET", path: "/api/servers", status: 200, never: []string{"files"}},
		step{name: "import by a program", method: "POST", path: "/api/editors/import", body: `{"take_out":true}`, status: 200, want: []string{`"status":"imported"`, `"waiting":true`, `waits for approval; the entry was kept`}},
		step{name: "it waits for approval", method: "GET", path: "/api/servers/1", status: 200, want: []string{`"name":"files"`, `"approved":false`}},
		step{name: "remove it", method: "DELETE", path: "/api/servers/1", status: 200},
		step{name: "import by a person, and remove from the editor", method: "POST", path: "/api/editors/import", person: true, body: `{"take_out":true}`, status: 200, want: []string{`"status":"imported"`, `"entries":["files"]`, `"change":"`}, never: []string{`"waiting"`}, events: []string{"editors"}},
		step{name: "imported server", method: "GET", path: "/api/servers", status: 200, want: []string{`"name":"files"`, `"command":"npx"`}},
		step{name: "export", method: "GET", path: "/api/editors/export?editor=vscode&servers=files", status: 200, want: []string{`\"servers\"`, `\"files\"`}},
		step{name: "scan of a text", method: "POST", path: "/api/editors/scan", body: `{"text":"npx -y @example/other"}`, status: 200, want: []string{`"candidates":[{`, `"questions":[]`}},
		step{name: "history", method: "GET", path: "/api/editors/history", status: 200, want: []string{`"action":"take-out"`}, keep: "changes.0.id"},
		step{name: "undo", method: "POST", path: "/api/editors/undo", body: `{"changes":["{changes.0.id}"]}`, status: 200, want: []string{`"status":"done"`}},
		step{name: "checkup", method: "GET", path: "/api/editors/checkup", status: 200, want: []string{`"editor":"cursor"`, `"servers":1`}},
	)
	checkFile(t, file, editorConfig)
}

func TestPastedConfigurationsAreParsedOverREST(t *testing.T) {
	folder := paths.Folder(t.TempDir())
	s := newScenario(t, hub.Options{Folder: folder})
	pasted := func(text string) string { return s.json(map[string]string{"text": text}) }
	s.play(
		step{
			name: "JSON", method: "POST", path: "/api/servers/parse", status: 200,
			body: pasted(`{"mcpServers": {"notes": {"command": "npx", "args": ["-y", "notes"], "env": {"API_KEY": "battery-staple", "MODE": "fast"}}}}`),
			want: []string{
				`"name":"notes"`, `"transport":"stdio"`, `"command":"npx"`, `"args":["-y","notes"]`, `"MODE":"fast"`, `"problem":""`,
				`"secrets":[{"where":"env.API_KEY","name":"API_KEY","value":"battery-staple"}]`,
			},
		},
		step{
			name: "TOML", method: "POST", path: "/api/servers/parse", status: 200, body: pasted("[mcp_servers.time]\ncommand = \"uvx\"\nargs = [\"mcp-server-time\"]"),
			want: []string{`"name":"time"`, `"args":["mcp-server-time"]`},
		},
		step{
			name: "YAML", method: "POST", path: "/api/servers/parse", status: 200, body: pasted("mcpServers:\n  a:\n    url: https://a.example/sse"),
			want: []string{`"name":"a"`, `"transport":"sse"`, `"url":"https://a.example/sse"`},
		},
		step{
			name: "command line", method: "POST", path: "/api/servers/parse", status: 200, body: pasted("npx -y @x/server-git --token battery-staple"),
			want: []string{`"name":"git"`, `"target":"npx -y @x/server-git --token [redacted]"`, `"where":"args[3]"`},
		},
		step{
			name: "placeholder", method: "POST", path: "/api/servers/parse", status: 200, body: pasted(`{"a": {"command": "x", "env": {"KEY": "${input:key}"}}}`),
			want: []string{`"missing":[{"where":"env.KEY","text":"${input:key}","secret":""}]`, `"problem":""`},
		},
		step{
			name: "truncated text", method: "POST", path: "/api/servers/parse", status: 422, body: pasted(`{"a": {"command": "battery-staple"`),
			want: []string{`{"error":"line `}, never: []string{"battery-staple"},
		},
		step{name: "text without a server", method: "POST", path: "/api/servers/parse", status: 422, body: pasted(`{"theme": "dark"}`), want: []string{"nothing in it has a command or a URL"}},
		step{name: "body without a text", method: "POST", path: "/api/servers/parse", status: 422, body: `{}`, want: []string{"text is required"}},
		step{name: "text is a number", method: "POST", path: "/api/servers/parse", status: 422, body: `{"text":7}`, want: []string{"wrong type"}},
		step{name: "malformed JSON", method: "POST", path: "/api/servers/parse", status: 422, body: `{`, want: []string{"Invalid JSON"}},
		step{name: "check names", method: "POST", path: "/api/servers/names", status: 200, body: `{"names":["b","a","a","a__b"]}`, want: []string{`{"problems":["","another server in this list has this name","another`}},
		step{name: "no names", method: "POST", path: "/api/servers/names", status: 200, body: `{}`, want: []string{`{"problems":[]}`}},
		step{name: "no server was added", method: "GET", path: "/api/servers", status: 200, want: []string{"[]"}},
		step{name: "no secret was stored", method: "GET", path: "/api/secrets", status: 200, never: []string{"API_KEY"}},
	)
	log, err := os.ReadFile(folder.Log())
	if err != nil || strings.Contains(string(log), "battery-staple") || strings.Contains(string(log), "mcp-server-time") {
		t.Errorf("error %v; the log must not contain the text:\n%s", err, log)
	}
}

func TestNewEditorsAreRegisteredAutomatically(t *testing.T) {
	s, _ := newEditorScenario(t)
	s.play(
		step{name: "turn automatic registration on", method: "PUT", path: "/api/editors/settings", body: `{"auto_register":true}`, status: 200, want: []string{`{"auto_register":true}`}},
		step{name: "the setting is stored", method: "GET", path: "/api/editors", status: 200, want: []string{`"auto_register":true`}},
		step{name: "mark editors as reviewed", method: "POST", path: "/api/editors/reviewed", body: `{}`, status: 200},
	)
	mark := s.events.mark()
	file := filepath.Join(os.Getenv("HOME"), ".codeium", "windsurf", "mcp_config.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	for text := ""; !strings.Contains(text, `"discover"`) && !t.Failed(); {
		s.events.await(t, "a new editor", mark, "editors", "") // or an earlier event
		mark = s.events.mark()
		data, _ := os.ReadFile(file)
		text = string(data)
	}
	s.play(step{name: "history", method: "GET", path: "/api/editors/history", status: 200, want: []string{`"by":"automatic"`}})
}
