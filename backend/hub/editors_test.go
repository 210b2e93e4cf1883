package hub_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/hub"
)

// writtenByHand is an editor's file as a person keeps it.
const writtenByHand = "{\n\t// mine\n\t\"mcpServers\": {\n\t\t\"files\": {\"command\": \"npx\", \"args\": [\"-y\", \"@example/files\"]},\n\t},\n}\n"

// withEditor gives the user of a test a home folder of their own with an editor in
// it, and a hub that the editor's entry is to start.
func withEditor(t *testing.T) (s *scenario, file string) {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "APPDATA", "LOCALAPPDATA"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", home)
	t.Setenv("PATH", t.TempDir())
	file = filepath.Join(home, ".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, file, writtenByHand)
	program := filepath.Join(home, "agent-discover")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s = newScenario(t, hub.Options{Program: program})
	s.kept = append(s.kept, "{file}", file, "{program}", program)
	return s, file
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func holds(t *testing.T, file, want string) {
	t.Helper()
	if data, err := os.ReadFile(file); err != nil || string(data) != want {
		t.Errorf("%s holds %q, %v; want %q", file, data, err, want)
	}
}

func TestEditorsAreRegisteredAndUndoneOverREST(t *testing.T) {
	s, file := withEditor(t)
	s.play(
		step{
			name: "found", method: "GET", path: "/api/editors", status: 200,
			want:  []string{`"id":"cursor"`, `"state":"absent"`, `"detected":true`, `"auto_register":false`, `"entry":{"name":"discover","command":"{program}","args":["mcp"]`},
			never: []string{`"id":"zed"`},
		},
		step{name: "all", method: "GET", path: "/api/editors?all=true", status: 200, want: []string{`"id":"zed"`, `"id":"claude-desktop"`}},
		step{name: "planned", method: "POST", path: "/api/editors/plan", body: `{"action":"register","editors":["cursor"]}`, status: 200, want: []string{`"kind":"add"`, `\"discover\"`}, never: []string{`"kind":"remove"`}},
	)
	holds(t, file, writtenByHand)
	s.play(
		step{name: "changed since it was shown", method: "POST", path: "/api/editors/register", body: `{"editors":["cursor"],"expect":{"{file}":"0000"}}`, status: 200, want: []string{`"status":"refused"`}},
	)
	holds(t, file, writtenByHand)
	s.play(
		step{
			name: "registered", method: "POST", path: "/api/editors/register", body: `{"all":true}`, status: 200,
			want: []string{`"status":"done"`, `"editor":"cursor"`}, events: []string{"editors"},
		},
		step{name: "seen", method: "GET", path: "/api/editors", status: 200, want: []string{`"state":"registered"`, `"command":"{program}"`}},
		step{name: "again", method: "POST", path: "/api/editors/register", body: `{"editors":["cursor"]}`, status: 200, want: []string{`"status":"nothing"`}},
		step{name: "history", method: "GET", path: "/api/editors/history?editor=cursor", status: 200, want: []string{`"action":"register"`, `"exact":true`, `"entries":["discover"]`}, keep: "changes.0.id"},
	)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	added := strings.Replace(writtenByHand, "// mine\n", "// mine\n\t\"editor\": \"wrote\",\n", 1)
	put(t, file, strings.Replace(string(data), "// mine\n", "// mine\n\t\"editor\": \"wrote\",\n", 1))
	s.play(
		step{name: "what the editor wrote since stays", method: "POST", path: "/api/editors/undo", body: `{"changes":["{changes.0.id}"]}`, status: 200, want: []string{`"status":"done"`}, events: []string{"editors"}},
	)
	holds(t, file, added)
}

func TestWhatIsAskedWronglyOfEditorsChangesNothing(t *testing.T) {
	s, file := withEditor(t)
	s.play(
		step{name: "no editor", method: "POST", path: "/api/editors/register", body: `{}`, status: 422, want: []string{"no editors given"}},
		step{name: "unknown", method: "POST", path: "/api/editors/register", body: `{"editors":["nobody"]}`, status: 404, want: []string{"nobody"}},
		step{name: "no action", method: "POST", path: "/api/editors/plan", body: `{"editors":["cursor"]}`, status: 422, want: []string{"action must be"}},
		step{name: "no change", method: "POST", path: "/api/editors/undo", body: `{}`, status: 422},
		step{name: "unknown change", method: "POST", path: "/api/editors/undo", body: `{"changes":["nothing"]}`, status: 404},
		step{name: "text and bundle", method: "POST", path: "/api/editors/scan", body: `{"text":"a","bundle":"/b"}`, status: 422},
		step{name: "neither", method: "POST", path: "/api/editors/scan", body: `{}`, status: 422},
		step{name: "export for nobody", method: "GET", path: "/api/editors/export", status: 422},
		step{name: "no wish", method: "PUT", path: "/api/editors/settings", body: `{}`, status: 422},
		step{name: "no JSON", method: "POST", path: "/api/editors/plan", body: `{`, status: 422},
	)
	holds(t, file, writtenByHand)
}

func TestServersOfEditorsComeInOverREST(t *testing.T) {
	s, file := withEditor(t)
	s.play(
		step{name: "there", method: "GET", path: "/api/editors/servers?editor=cursor", status: 200, want: []string{`"name":"files"`, `"path":"{file}"`, `"here":""`}},
		step{name: "dry", method: "POST", path: "/api/editors/import", body: `{"dry_run":true}`, status: 200, want: []string{`"name":"files"`}},
		step{name: "not yet", method: "GET", path: "/api/servers", status: 200, never: []string{"files"}},
		step{name: "in, and out of the editor", method: "POST", path: "/api/editors/import", body: `{"take_out":true}`, status: 200, want: []string{`"status":"imported"`, `"entries":["files"]`, `"change":"`}, events: []string{"editors"}},
		step{name: "here", method: "GET", path: "/api/servers", status: 200, want: []string{`"name":"files"`, `"command":"npx"`}},
		step{name: "export", method: "GET", path: "/api/editors/export?editor=vscode&servers=files", status: 200, want: []string{`\"servers\"`, `\"files\"`}},
		step{name: "a text", method: "POST", path: "/api/editors/scan", body: `{"text":"npx -y @example/other"}`, status: 200, want: []string{`"candidates":[{`, `"questions":[]`}},
		step{name: "history", method: "GET", path: "/api/editors/history", status: 200, want: []string{`"action":"take-out"`}, keep: "changes.0.id"},
		step{name: "back", method: "POST", path: "/api/editors/undo", body: `{"changes":["{changes.0.id}"]}`, status: 200, want: []string{`"status":"done"`}},
		step{name: "what it costs", method: "GET", path: "/api/editors/checkup", status: 200, want: []string{`"editor":"cursor"`, `"servers":1`}},
	)
	holds(t, file, writtenByHand)
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
			name: "a command line", method: "POST", path: "/api/servers/parse", status: 200, body: pasted("npx -y @x/server-git --token battery-staple"),
			want: []string{`"name":"git"`, `"target":"npx -y @x/server-git --token [redacted]"`, `"where":"args[3]"`},
		},
		step{
			name: "a placeholder", method: "POST", path: "/api/servers/parse", status: 200, body: pasted(`{"a": {"command": "x", "env": {"KEY": "${input:key}"}}}`),
			want: []string{`"missing":[{"where":"env.KEY","text":"${input:key}","secret":""}]`, `"problem":""`},
		},
		step{
			name: "half of a text", method: "POST", path: "/api/servers/parse", status: 422, body: pasted(`{"a": {"command": "battery-staple"`),
			want: []string{`{"error":"line `}, never: []string{"battery-staple"},
		},
		step{name: "no server", method: "POST", path: "/api/servers/parse", status: 422, body: pasted(`{"theme": "dark"}`), want: []string{"nothing in it has a command or a URL"}},
		step{name: "no text", method: "POST", path: "/api/servers/parse", status: 422, body: `{}`, want: []string{"text is required"}},
		step{name: "a text that is no string", method: "POST", path: "/api/servers/parse", status: 422, body: `{"text":7}`, want: []string{"wrong type"}},
		step{name: "no JSON", method: "POST", path: "/api/servers/parse", status: 422, body: `{`, want: []string{"Invalid JSON"}},
		step{name: "names", method: "POST", path: "/api/servers/names", status: 200, body: `{"names":["b","a","a","a__b"]}`, want: []string{`{"problems":["","another server in this list has this name","another`}},
		step{name: "no names", method: "POST", path: "/api/servers/names", status: 200, body: `{}`, want: []string{`{"problems":[]}`}},
		step{name: "nothing was added", method: "GET", path: "/api/servers", status: 200, want: []string{"[]"}},
		step{name: "nothing was kept", method: "GET", path: "/api/secrets", status: 200, never: []string{"API_KEY"}},
	)
	log, err := os.ReadFile(folder.Log())
	if err != nil || strings.Contains(string(log), "battery-staple") || strings.Contains(string(log), "mcp-server-time") {
		t.Errorf("the log holds a part of the text, or %v:\n%s", err, log)
	}
}

func TestNewEditorsGetOurEntryWhereThatIsWished(t *testing.T) {
	s, _ := withEditor(t)
	s.play(
		step{name: "wished", method: "PUT", path: "/api/editors/settings", body: `{"auto_register":true}`, status: 200, want: []string{`{"auto_register":true}`}},
		step{name: "kept", method: "GET", path: "/api/editors", status: 200, want: []string{`"auto_register":true`}},
		step{name: "seen", method: "POST", path: "/api/editors/reviewed", body: `{}`, status: 200},
	)
	mark := s.listen.mark()
	file := filepath.Join(os.Getenv("HOME"), ".codeium", "windsurf", "mcp_config.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	for text := ""; !strings.Contains(text, `"discover"`) && !t.Failed(); {
		s.listen.await(t, "a new editor", mark, "editors", "") // or what was said before it came
		mark = s.listen.mark()
		data, _ := os.ReadFile(file)
		text = string(data)
	}
	s.play(step{name: "automatic", method: "GET", path: "/api/editors/history", status: 200, want: []string{`"by":"automatic"`}})
}
