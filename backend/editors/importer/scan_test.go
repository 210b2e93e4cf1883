package importer_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretmigration"
)

const token = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"

func TestServersOfEveryFormatAreFound(t *testing.T) {
	f := newFixture(t, false)
	f.write(".cursor/mcp.json", `{"mcpServers": {"files": {"command": "npx", "args": ["-y", "@x/files", "/tmp"]}}}`)
	f.write(".config/Code/User/mcp.json", `{ // mine
		"servers": {"docs": {"type": "http", "url": "https://docs.example/mcp", "headers": {"X-Key": "abcdefgh"}},}}`)
	f.write(".codex/config.toml", "model = \"o\"\n[mcp_servers.time]\ncommand = \"uvx\"\nargs = [\"mcp-server-time\"]\n")
	f.write(".config/goose/config.yaml",
		"extensions:\n  memory:\n    type: stdio\n    enabled: false\n    cmd: npx\n    args: [-y, '@x/memory']\n    envs: {A: b}\n")
	f.write(".config/opencode/opencode.json",
		`{"mcp": {"fetch": {"type": "local", "command": ["uvx", "mcp-server-fetch"], "environment": {"K": "{env:SET_HERE}"}}}}`)
	f.write(".claude.json", `{"mcpServers": {"discover": {"type": "stdio", "command": "/opt/agent-discover", "args": ["mcp"]}},
		"projects": {"/projects/a": {"mcpServers": {"ofproject": {"command": "npx", "args": ["-y", "@x/project"]}}}}}`)

	scan := f.scan()
	if len(scan.Problems) > 0 {
		t.Errorf("problems: %+v", scan.Problems)
	}
	got := names(scan)
	slices.Sort(got)
	equal(t, "candidates", got, "docs vscode", "fetch opencode", "files cursor", "memory goose", "ofproject claude-code", "time codex")
	docs := candidate(t, scan, "docs")
	equal(t, "secrets of docs", docs.Secrets, "headers.X-Key")
	if docs.Command != "https://docs.example/mcp" || !docs.Sources[0].Removable || docs.Sources[0].Entry != "docs" {
		t.Errorf("docs is %+v", docs)
	}
	memory := candidate(t, scan, "memory")
	warned(t, memory, "disabled in its configuration")
	if !memory.Sources[0].Disabled || memory.Server.Env["A"] != "b" {
		t.Errorf("memory is %+v", memory)
	}
	warned(t, candidate(t, scan, "fetch"), "env.K takes the variable SET_HERE of your environment")
	if p := candidate(t, scan, "ofproject"); p.Sources[0].Removable {
		t.Error("the entry of a project is removable")
	}
	equal(t, "candidates of one editor", names(f.scan("codex")), "time codex")
	if _, err := f.Scan(t.Context(), []string{"nobody"}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an unknown editor: %v", err)
	}
}

func TestServersOfProjectsPluginsAndOldSettingsAreRead(t *testing.T) {
	f := newFixture(t, false)
	projects := map[string]any{}
	for n := range 300 {
		projects[fmt.Sprint("/projects/p", n)] = map[string]any{
			"history":    strings.Repeat("x", 2000),
			"mcpServers": map[string]any{"p": map[string]any{"command": "npx", "args": []string{fmt.Sprint("p", n)}}},
		}
	}
	text, err := json.Marshal(map[string]any{"projects": projects})
	f.must(err)
	f.write(".claude.json", string(text))
	plugin := filepath.Dir(f.write(".claude/plugins/cache/market/tool/1.0.0/.mcp.json",
		`{"tool": {"command": "${CLAUDE_PLUGIN_ROOT}/bin/tool", "env": {"DATA": "${CLAUDE_PLUGIN_ROOT}/data"}}}`))
	f.write(".config/Code/User/settings.json", `{"editor.fontSize": 12, "mcp": {"servers": {"old": {"command": "npx", "args": ["old"]}}}}`)
	scan := f.scan()
	tool := candidate(t, scan, "tool")
	if tool.Server.Command != plugin+"/bin/tool" || tool.Server.Env["DATA"] != plugin+"/data" || tool.Sources[0].Removable {
		t.Errorf("the plugin's server is %+v", tool)
	}
	if old := candidate(t, scan, "old"); old.Sources[0].Editor != "vscode" || old.Sources[0].Removable {
		t.Errorf("the server in the old settings is %+v", old)
	}
	if len(scan.Candidates) != 302 || len(scan.Problems) > 0 {
		t.Errorf("%d candidates, problems %+v", len(scan.Candidates), scan.Problems)
	}
}

func TestEntriesThatDoTheSameAreOneCandidate(t *testing.T) {
	f := newFixture(t, false)
	npx := filepath.ToSlash(filepath.Join(f.bin, "npx"))
	entry := func(name, command string, args ...string) string {
		text, _ := json.Marshal(map[string]any{"mcpServers": map[string]any{name: map[string]any{"command": command, "args": args}}})
		return string(text)
	}
	f.write(".cursor/mcp.json", entry("one", "npx", "-y", "@x/a"))
	f.write(".kiro/settings/mcp.json", entry("the-one", npx, "--yes", "@x/a"))
	f.write(".claude.json", entry("the-one", "cmd", "/c", "npx", "-y", "@x/a"))
	f.write(".lmstudio/mcp.json", entry("one", "npx", "-y", "@x/a@latest"))
	f.write(".codeium/windsurf/mcp_config.json", entry("the-one", "npx", "@x/a"))
	f.write(".warp/.mcp.json", entry("one", "npm", "exec", "-y", "--", "@x/a"))
	f.write(".junie/mcp/mcp.json", entry("far", filepath.VolumeName(f.bin)+"/elsewhere/npx", "-y", "@x/a"))

	scan := f.scan()
	same := candidate(t, scan, "the-one")
	if len(same.Sources) != 5 || len(scan.Candidates) != 3 {
		t.Errorf("candidates: %q", names(scan))
	}
	again := f.scan("kiro")
	if len(again.Candidates) != 1 || again.Candidates[0].ID != same.ID || len(again.Candidates[0].Sources) != 5 {
		t.Errorf("candidates of one editor: %+v", again.Candidates)
	}
	warned(t, candidate(t, scan, "far"), "/elsewhere/npx is not on this machine")
}

func TestEntriesWithDifferentVariablesAreNotMerged(t *testing.T) {
	f := newFixture(t, false)
	entry := func(env string) string {
		return `{"mcpServers": {"a": {"command": "npx", "args": ["-y", "@x/a"], "env": ` + env + `}}}`
	}
	f.write(".claude.json", entry(`{}`))
	f.write(".cursor/mcp.json", entry(`{"TOKEN": "work-token", "MODE": "fast"}`))
	f.write(".kiro/settings/mcp.json", entry(`{"TOKEN": "work-token"}`))
	f.write(".lmstudio/mcp.json", entry(`{"TOKEN": "home-token"}`))

	scan := f.scan()
	if len(scan.Candidates) != 3 {
		t.Fatalf("candidates: %q", names(scan))
	}
	warned(t, candidate(t, scan, "a"), "the same command with MODE, TOKEN, which this one lacks")
	work, home := candidate(t, scan, "a-2"), candidate(t, scan, "a-3")
	if len(work.Sources) != 2 || work.Server.Env["MODE"] != "fast" || len(home.Sources) != 1 || home.Server.Env["TOKEN"] != "home-token" ||
		work.ID == home.ID {
		t.Errorf("candidates: %q", names(scan))
	}
	warned(t, work, "another value of TOKEN")
	warned(t, home, "another value of TOKEN", "MODE, which this one lacks")
	if text := fmt.Sprint(work.Warnings, home.Warnings); strings.Contains(text, "-token") {
		t.Errorf("a warning shows a value: %s", text)
	}
}

func TestScansShowNoCredential(t *testing.T) {
	f := newFixture(t, false)
	f.write(".cursor/mcp.json", `{"mcpServers": {
		"a": {"command": "npx", "args": ["--token", "correct-horse", "--api-key=battery-staple", "`+token+
		`", "--url", "https://me:pass-word@h/x"], "env": {"API_KEY": "hidden-value"}},
		"b": {"url": "https://h/mcp?token=query-value", "headers": {"Authorization": "Bearer bearer-value"}},
		"c": {"type": "odd hidden-type", "command": {"secret": "hidden-value"}},
		"d": {"command": "x", "env": {"T": "${input:x}"}}}}`)
	f.write(".kiro/settings/mcp.json", `{"mcpServers": {"a": {"command": "hidden-value" "x"`)
	f.write(".codex/config.toml", "[mcp_servers.a]\ncommand = \"hidden-value\n")
	scan := f.scan()
	text, err := json.Marshal(scan)
	f.must(err)
	for _, secret := range []string{"correct-horse", "battery-staple", token, "pass-word", "hidden-value", "query-value", "bearer-value"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("%s is in %s", secret, text)
		}
	}
	equal(t, "secrets", candidate(t, scan, "a").Secrets, "env.API_KEY", "args[1]", "args[2]", "args[3]", "args[5]")
	equal(t, "secrets", candidate(t, scan, "b").Secrets, "headers.Authorization", "url")
	if c := candidate(t, scan, "a"); !strings.HasPrefix(c.Command, "npx --token [redacted] --api-key=[redacted] [redacted] --url ") {
		t.Errorf("the command is %s", c.Command)
	}
	warned(t, candidate(t, scan, "d"), "asks for env.T (x)", "the command x is not on this machine")
	if len(scan.Problems) != 2 || scan.Problems[0].Editor == "" || scan.Problems[0].Path == "" {
		t.Errorf("problems: %+v", scan.Problems)
	}
}

func TestConfiguredServersAreRecognized(t *testing.T) {
	f := newFixture(t, false)
	f.add(registry.Server{
		Name: "mine", Command: filepath.Join(f.bin, "npx"), Args: []string{"--yes", "@x/a"},
		Env: map[string]string{"TOKEN": "correct-horse", "MORE": "1"},
	})
	f.add(registry.Server{
		Name: "remote", Transport: "streamable-http", URL: "https://H.example/mcp",
		Headers: map[string]string{"authorization": "Bearer correct-horse"},
	})
	f.add(registry.Server{Name: "plain", Command: "uvx", Args: []string{"p"}})
	_, err := secretmigration.New(f.registry, f.vault).Migrate(t.Context(), nil, true)
	f.must(err)
	f.add(registry.Server{Name: "given", Command: "uvx", Args: []string{"given"}})
	f.add(registry.Server{Name: "both", Command: "uvx", Args: []string{"both"}, Env: map[string]string{"TOKEN": "of-the-past"}})
	f.must(f.vault.Set(t.Context(), "both", "TOKEN", "correct-horse")) // a secret overrides the variable of the same name
	f.add(registry.Server{Name: "bearer", Transport: "sse", URL: "https://b/sse"})
	f.must(f.vault.Set(t.Context(), "given", "TOKEN", "correct-horse"))
	f.must(f.vault.Set(t.Context(), "bearer", "API_KEY", "correct-horse"))
	f.write(".cursor/mcp.json", `{"mcpServers": {
		"u": {"command": "uvx", "args": ["given"], "env": {"TOKEN": "correct-horse"}},
		"v": {"command": "uvx", "args": ["given"], "env": {"TOKEN": "another-horse"}},
		"t": {"command": "uvx", "args": ["both"], "env": {"TOKEN": "correct-horse"}},
		"w": {"url": "https://b/sse", "headers": {"Authorization": "Bearer correct-horse"}},
		"x": {"command": "npx", "args": ["-y", "@x/a"], "env": {"TOKEN": "correct-horse"}},
		"mine": {"command": "npx", "args": ["-y", "@x/a"], "env": {"TOKEN": "another-horse"}},
		"y": {"url": "https://h.example/mcp", "headers": {"Authorization": "Bearer correct-horse"}},
		"z": {"command": "uvx", "args": ["p"], "env": {"MODE": "fast"}}}}`)
	scan := f.scan()
	var got []string
	for _, c := range scan.Candidates {
		got = append(got, c.Name+"="+c.Existing)
	}
	slices.Sort(got)
	equal(t, "existing servers", got, "bearer=bearer", "both=both", "given=given", "mine-2=", "mine=mine", "plain=plain",
		"remote=remote", "v=")
	warned(t, candidate(t, scan, "plain"), "the server plain has the same command, but without MODE")
	for _, name := range []string{"bearer", "remote"} {
		warned(t, candidate(t, scan, name))
	}
}

func TestALockedKeychainIsNotRead(t *testing.T) {
	f := newFixture(t, false)
	f.add(registry.Server{Name: "mine", Command: "npx", Args: []string{"a"}, Env: map[string]string{"TOKEN": "correct-horse"}})
	_, err := secretmigration.New(f.registry, f.vault).Migrate(t.Context(), nil, true)
	f.must(err)
	f.must(os.Remove(f.folder.Sealed("secrets"))) // from now on, no secret can be read
	path := f.write(".cursor/mcp.json", `{"mcpServers": {"a": {"command": "npx", "args": ["a"], "env": {"TOKEN": "correct-horse"}}}}`)
	before := f.read(path)
	c := candidate(t, f.scan(), "mine")
	if c.Existing != "mine" {
		t.Errorf("the candidate is %+v", c)
	}
	warned(t, c, "while the keychain is locked")
	report := f.run(importer.Request{RemoveEntries: true})
	equal(t, "results", results(report), "mine here")
	if len(report.Removed) != 1 || report.Removed[0].Change != "" || !strings.Contains(report.Removed[0].Problem, "cannot be read now") ||
		f.read(path) != before {
		t.Errorf("removals: %+v, %s", report.Removed, f.read(path))
	}
}

func TestProposedNamesAreValidAndFree(t *testing.T) {
	f := newFixture(t, false)
	f.add(registry.Server{Name: "taken", Command: "x"})
	entries := map[string]any{}
	for n, name := range []string{
		"taken", "discover", "Discover ", "mcp", "a b/c", "___", "\x1b[31mred\x1b[0m", "über", "a__b_", strings.Repeat("long-", 100),
		"a b-c", "..", "x\u202ey",
	} {
		entries[name] = map[string]any{"command": "npx", "args": []string{"-y", fmt.Sprint("@x/server-p", n)}}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": entries})
	f.must(err)
	f.write(".cursor/mcp.json", string(text))
	scan := f.scan()
	seen := map[string]bool{"taken": true}
	for _, c := range scan.Candidates {
		if registry.CheckName(c.Name) != nil || strings.EqualFold(c.Name, "discover") || seen[c.Name] || len(c.Name) > 50 {
			t.Errorf("invalid or taken name: %q", c.Name)
		}
		seen[c.Name] = true
		if strings.ContainsAny(fmt.Sprint(c.Sources[0].Entry, c.Command), "\x1b\u202e") {
			t.Errorf("the entry is shown as %q", c.Sources[0].Entry)
		}
	}
	if len(scan.Candidates) != len(entries) {
		t.Errorf("%d of %d candidates", len(scan.Candidates), len(entries))
	}
	for _, want := range []string{"taken-2", "server-discover", "server-mcp", "p5", "a-b-c-2"} {
		if !seen[want] {
			t.Errorf("no candidate is called %s: %q", want, names(scan))
		}
	}
}

func TestUnreadableFilesDoNotHideOtherFiles(t *testing.T) {
	f := newFixture(t, false)
	f.write(".cursor/mcp.json", `{"mcpServers": {"a": {"command": "npx", "args": ["a"]}, "b": 7, "c": {"command": 7}}}`)
	f.write(".kiro/settings/mcp.json", `{"mcpServers": {"a": `+strings.Repeat("[", 100_000))
	f.must(os.MkdirAll(filepath.Join(f.home, ".lmstudio", "mcp.json"), 0o700))
	closed := f.write(".junie/mcp/mcp.json", `{}`)
	f.must(os.Chmod(closed, 0))
	f.write(".codex/config.toml", "")
	scan := f.scan()
	editors := []string{}
	for _, p := range scan.Problems {
		editors = append(editors, p.Editor)
	}
	want := []string{"kiro", "junie", "lm-studio"}
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		want = []string{"kiro", "lm-studio"} // root can read every file, and so can the owner on Windows, where the mode has no effect
	}
	slices.Sort(want)
	slices.Sort(editors)
	equal(t, "problems", editors, want...)
	if c := candidate(t, scan, "a"); c.Problem != "" {
		t.Errorf("the problem is %s", c.Problem)
	}
	for _, name := range []string{"b", "c"} {
		if c := candidate(t, scan, name); c.Problem == "" || c.Sources[0].Removable {
			t.Errorf("%s has no problem: %+v", name, c)
		}
	}
}

func TestServersInAPastedTextAreFound(t *testing.T) {
	f := newFixture(t, false)
	scan, err := f.ScanText(t.Context(), "npx -y @x/server-github --token "+token)
	f.must(err)
	c := candidate(t, scan, "github")
	equal(t, "secrets", c.Secrets, "args[3]")
	if c.Command != "npx -y @x/server-github --token [redacted]" || c.Sources[0].Removable || c.Sources[0].Editor != "" {
		t.Errorf("the candidate is %+v", c)
	}
	scan, err = f.ScanText(t.Context(),
		`{"mcpServers": {"discover": {"command": "/opt/agent-discover", "args": ["mcp"]}, "a": {"command": "x"}, "b": {"command": "x"}}}`)
	f.must(err)
	equal(t, "merged, without the entry of Agent Discover", names(scan)[:1], "a  ")
	if _, err = f.ScanText(t.Context(), "{}"); fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v", err)
	}
}
