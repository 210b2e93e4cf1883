package importer_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

const token = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"

func TestServersOfEveryFormatAreFound(t *testing.T) {
	d := newDesk(t, false)
	d.write(".cursor/mcp.json", `{"mcpServers": {"files": {"command": "npx", "args": ["-y", "@x/files", "/tmp"]}}}`)
	d.write(".config/Code/User/mcp.json", `{ // mine
		"servers": {"docs": {"type": "http", "url": "https://docs.example/mcp", "headers": {"X-Key": "abcdefgh"}},}}`)
	d.write(".codex/config.toml", "model = \"o\"\n[mcp_servers.time]\ncommand = \"uvx\"\nargs = [\"mcp-server-time\"]\n")
	d.write(".config/goose/config.yaml", "extensions:\n  memory:\n    type: stdio\n    enabled: false\n    cmd: npx\n    args: [-y, '@x/memory']\n    envs: {A: b}\n")
	d.write(".config/opencode/opencode.json", `{"mcp": {"fetch": {"type": "local", "command": ["uvx", "mcp-server-fetch"], "environment": {"K": "{env:SET_HERE}"}}}}`)
	d.write(".claude.json", `{"mcpServers": {"discover": {"type": "stdio", "command": "/opt/agent-discover", "args": ["mcp"]}},
		"projects": {"/projects/a": {"mcpServers": {"ofproject": {"command": "npx", "args": ["-y", "@x/project"]}}}}}`)

	scan := d.scan()
	if len(scan.Problems) > 0 {
		t.Errorf("problems: %+v", scan.Problems)
	}
	got := names(scan)
	slices.Sort(got)
	is(t, "candidates", got, "docs vscode", "fetch opencode", "files cursor", "memory goose", "ofproject claude-code", "time codex")
	docs := candidate(t, scan, "docs")
	is(t, "its secrets", docs.Secrets, "headers.X-Key")
	if docs.Command != "https://docs.example/mcp" || !docs.Sources[0].CanTake || docs.Sources[0].Entry != "docs" {
		t.Errorf("docs is %+v", docs)
	}
	memory := candidate(t, scan, "memory")
	warned(t, memory, "switched off there")
	if !memory.Sources[0].Disabled || memory.Server.Env["A"] != "b" {
		t.Errorf("memory is %+v", memory)
	}
	warned(t, candidate(t, scan, "fetch"), "env.K has ${SET_HERE}")
	if p := candidate(t, scan, "ofproject"); p.Sources[0].CanTake {
		t.Error("the server of a project can be taken out")
	}
	is(t, "those of one editor", names(d.scan("codex")), "time codex")
	if _, err := d.Scan(t.Context(), []string{"nobody"}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an unknown editor: %v", err)
	}
}

func TestServersOfProjectsPluginsAndOldSettingsAreRead(t *testing.T) {
	d := newDesk(t, false)
	projects := map[string]any{}
	for n := range 300 {
		projects[fmt.Sprint("/projects/p", n)] = map[string]any{"history": strings.Repeat("x", 2000), "mcpServers": map[string]any{"p": map[string]any{"command": "npx", "args": []string{fmt.Sprint("p", n)}}}}
	}
	text, err := json.Marshal(map[string]any{"projects": projects})
	d.must(err)
	d.write(".claude.json", string(text))
	plugin := filepath.Dir(d.write(".claude/plugins/cache/market/tool/1.0.0/.mcp.json", `{"tool": {"command": "${CLAUDE_PLUGIN_ROOT}/bin/tool", "env": {"DATA": "${CLAUDE_PLUGIN_ROOT}/data"}}}`))
	d.write(".config/Code/User/settings.json", `{"editor.fontSize": 12, "mcp": {"servers": {"old": {"command": "npx", "args": ["old"]}}}}`)
	scan := d.scan()
	tool := candidate(t, scan, "tool")
	if tool.Server.Command != plugin+"/bin/tool" || tool.Server.Env["DATA"] != plugin+"/data" || tool.Sources[0].CanTake {
		t.Errorf("the plugin's is %+v", tool)
	}
	if old := candidate(t, scan, "old"); old.Sources[0].Editor != "vscode" || old.Sources[0].CanTake {
		t.Errorf("the old one is %+v", old)
	}
	if len(scan.Candidates) != 302 || len(scan.Problems) > 0 {
		t.Errorf("found are %d, %+v", len(scan.Candidates), scan.Problems)
	}
}

func TestWhatDoesTheSameIsOneCandidate(t *testing.T) {
	d := newDesk(t, false)
	npx := filepath.ToSlash(filepath.Join(d.bin, "npx"))
	entry := func(name, command string, args ...string) string {
		text, _ := json.Marshal(map[string]any{"mcpServers": map[string]any{name: map[string]any{"command": command, "args": args}}})
		return string(text)
	}
	d.write(".cursor/mcp.json", entry("one", "npx", "-y", "@x/a"))
	d.write(".kiro/settings/mcp.json", entry("the-one", npx, "--yes", "@x/a"))
	d.write(".claude.json", entry("the-one", "cmd", "/c", "npx", "-y", "@x/a"))
	d.write(".lmstudio/mcp.json", entry("one", "npx", "-y", "@x/a@latest"))
	d.write(".junie/mcp/mcp.json", entry("far", "/elsewhere/npx", "-y", "@x/a"))

	scan := d.scan()
	same := candidate(t, scan, "the-one")
	if len(same.Sources) != 3 || len(scan.Candidates) != 3 {
		t.Errorf("found are %q", names(scan))
	}
	again := d.scan("kiro")
	if len(again.Candidates) != 1 || again.Candidates[0].ID != same.ID || len(again.Candidates[0].Sources) != 3 {
		t.Errorf("of one editor it is %+v", again.Candidates)
	}
	warned(t, candidate(t, scan, "far"), "/elsewhere/npx is not on this machine")
}

func TestVariablesDecideWhetherTwoAreOne(t *testing.T) {
	d := newDesk(t, false)
	entry := func(env string) string {
		return `{"mcpServers": {"a": {"command": "npx", "args": ["-y", "@x/a"], "env": ` + env + `}}}`
	}
	d.write(".claude.json", entry(`{}`))
	d.write(".cursor/mcp.json", entry(`{"TOKEN": "work-token", "MODE": "fast"}`))
	d.write(".kiro/settings/mcp.json", entry(`{"TOKEN": "work-token"}`))
	d.write(".lmstudio/mcp.json", entry(`{"TOKEN": "home-token"}`))

	scan := d.scan()
	if len(scan.Candidates) != 2 {
		t.Fatalf("found are %q", names(scan))
	}
	work, home := candidate(t, scan, "a"), candidate(t, scan, "a-2")
	if len(work.Sources) != 3 || work.Server.Env["MODE"] != "fast" || len(home.Sources) != 1 || home.Server.Env["TOKEN"] != "home-token" || work.ID == home.ID {
		t.Errorf("found are %q", names(scan))
	}
	warned(t, work, "another value of TOKEN")
	warned(t, home, "another value of TOKEN")
	if text := fmt.Sprint(work.Warnings, home.Warnings); strings.Contains(text, "-token") {
		t.Errorf("a warning tells a value: %s", text)
	}
}

func TestNothingOfAScanShowsACredential(t *testing.T) {
	d := newDesk(t, false)
	d.write(".cursor/mcp.json", `{"mcpServers": {
		"a": {"command": "npx", "args": ["--token", "correct-horse", "--api-key=battery-staple", "`+token+`", "--url", "https://me:pass-word@h/x", "hidden-value"], "env": {"API_KEY": "hidden-value", "OTHER": "${TOKEN:-default-value}"}},
		"b": {"url": "https://h/mcp?token=query-value", "headers": {"Authorization": "Bearer bearer-value"}},
		"c": {"type": "odd hidden-type", "command": {"secret": "hidden-value"}},
		"d": {"command": "x", "env": {"T": "${input:x} hidden-value"}}}}`)
	d.write(".kiro/settings/mcp.json", `{"mcpServers": {"a": {"command": "hidden-value" "x"`)
	d.write(".codex/config.toml", "[mcp_servers.a]\ncommand = \"hidden-value\n")
	scan := d.scan()
	text, err := json.Marshal(scan)
	d.must(err)
	for _, secret := range []string{"correct-horse", "battery-staple", token, "pass-word", "hidden-value", "default-value", "query-value", "bearer-value"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("%s is in %s", secret, text)
		}
	}
	is(t, "secrets", candidate(t, scan, "a").Secrets, "env.API_KEY", "args[1]", "args[2]", "args[3]", "args[5]")
	is(t, "secrets", candidate(t, scan, "b").Secrets, "headers.Authorization", "url")
	if c := candidate(t, scan, "a"); !strings.HasPrefix(c.Command, "npx --token [redacted] --api-key=[redacted] [redacted] --url ") {
		t.Errorf("it reads %s", c.Command)
	}
	if c := candidate(t, scan, "d"); !strings.Contains(c.Problem, "asks you for env.T (input:x)") {
		t.Errorf("its problem is %q", c.Problem)
	}
	if len(scan.Problems) != 2 || scan.Problems[0].Editor == "" || scan.Problems[0].Path == "" {
		t.Errorf("problems: %+v", scan.Problems)
	}
}

func TestWhatOnlyAnEditorFillsInIsSaid(t *testing.T) {
	d := newDesk(t, false)
	d.write(".cursor/mcp.json", `{"mcpServers": {
		"a": {"command": "npx", "args": ["--root", "${workspaceFolder}/x"], "env": {"SET_HERE": "${env:SET_HERE}", "GONE": "$GONE", "OTHER": "${SET_HERE}"}},
		"b": {"command": "./bin/tool", "cwd": "/opt/b"},
		"c": {"command": "npx", "args": ["c"], "env": {"RUN": "$(cat x)"}},
		"d": {"command": "npx", "args": ["d"], "env": {"PASSWORD": "pa$$WORD", "KEY_FILE": "/a/b.pem"}}}}`)
	scan := d.scan()
	a := candidate(t, scan, "a")
	warned(t, a, "variable GONE from your environment, where it is not set", "args[1] has ${workspaceFolder}", "env.OTHER has ${SET_HERE}")
	if len(a.Server.Env) != 1 || a.Server.Args[1] != "${workspaceFolder}/x" {
		t.Errorf("it is %+v", a.Server)
	}
	b := candidate(t, scan, "b")
	warned(t, b, "working folder is left out", "is not on this machine")
	if b.Server.Command != filepath.Join("/opt/b", "bin", "tool") {
		t.Errorf("its command is %s", b.Server.Command)
	}
	if b.Server.Dir != "/opt/b" {
		t.Errorf("its folder is %s", b.Server.Dir)
	}
	warned(t, candidate(t, scan, "c"), "env.RUN has ${cat}")
	is(t, "secrets", candidate(t, scan, "d").Secrets, "env.PASSWORD")
}

func TestAServerOfTheRegistryIsKnownAgain(t *testing.T) {
	d := newDesk(t, false)
	d.add(registry.Server{Name: "mine", Command: filepath.Join(d.bin, "npx"), Args: []string{"--yes", "@x/a"}, Env: map[string]string{"TOKEN": "correct-horse", "MORE": "1"}})
	d.add(registry.Server{Name: "remote", Transport: "streamable-http", URL: "https://H.example/mcp", Headers: map[string]string{"authorization": "Bearer correct-horse"}})
	d.add(registry.Server{Name: "plain", Command: "uvx", Args: []string{"p"}})
	_, err := d.Migrator.Migrate(t.Context(), nil, true)
	d.must(err)
	d.add(registry.Server{Name: "given", Command: "uvx", Args: []string{"given"}})
	d.add(registry.Server{Name: "both", Command: "uvx", Args: []string{"both"}, Env: map[string]string{"TOKEN": "of-the-past"}})
	d.must(d.vault.Set(t.Context(), "both", "TOKEN", "correct-horse")) // counts more
	d.add(registry.Server{Name: "bearer", Transport: "sse", URL: "https://b/sse"})
	d.must(d.vault.Set(t.Context(), "given", "TOKEN", "correct-horse"))
	d.must(d.vault.Set(t.Context(), "bearer", "API_KEY", "correct-horse"))
	d.write(".cursor/mcp.json", `{"mcpServers": {
		"u": {"command": "uvx", "args": ["given"], "env": {"TOKEN": "correct-horse"}},
		"v": {"command": "uvx", "args": ["given"], "env": {"TOKEN": "another-horse"}},
		"t": {"command": "uvx", "args": ["both"], "env": {"TOKEN": "correct-horse"}},
		"w": {"url": "https://b/sse", "headers": {"Authorization": "Bearer correct-horse"}},
		"x": {"command": "npx", "args": ["-y", "@x/a"], "env": {"TOKEN": "correct-horse"}},
		"mine": {"command": "npx", "args": ["-y", "@x/a"], "env": {"TOKEN": "another-horse"}},
		"y": {"url": "https://h.example/mcp", "headers": {"Authorization": "Bearer correct-horse"}},
		"z": {"command": "uvx", "args": ["p"], "env": {"MODE": "fast"}}}}`)
	scan := d.scan()
	var got []string
	for _, c := range scan.Candidates {
		got = append(got, c.Name+"="+c.Here)
	}
	slices.Sort(got)
	is(t, "they are here as", got, "bearer=bearer", "both=both", "given=given", "mine-2=", "mine=mine", "plain=plain", "remote=remote", "v=")
	warned(t, candidate(t, scan, "plain"), "here as plain, but without MODE")
	for _, name := range []string{"bearer", "remote"} {
		warned(t, candidate(t, scan, name))
	}
}

func TestALockedKeychainIsNotAsked(t *testing.T) {
	d := newDesk(t, false)
	d.add(registry.Server{Name: "mine", Command: "npx", Args: []string{"a"}, Env: map[string]string{"TOKEN": "correct-horse"}})
	_, err := d.Migrator.Migrate(t.Context(), nil, true)
	d.must(err)
	d.must(os.Remove(d.folder.Sealed("secrets"))) // nothing can be read from now on
	path := d.write(".cursor/mcp.json", `{"mcpServers": {"a": {"command": "npx", "args": ["a"], "env": {"TOKEN": "correct-horse"}}}}`)
	before := d.read(path)
	c := candidate(t, d.scan(), "mine")
	if c.Here != "mine" {
		t.Errorf("it is %+v", c)
	}
	warned(t, c, "while the keychain is locked")
	report := d.bring(importer.Request{TakeOut: true})
	is(t, "arrivals", arrivals(report), "mine here")
	if len(report.Taken) != 1 || report.Taken[0].Change != "" || !strings.Contains(report.Taken[0].Problem, "cannot be read just now") || d.read(path) != before {
		t.Errorf("taken out: %+v, %s", report.Taken, d.read(path))
	}
}

func TestNamesAreValidFreeAndNotOurs(t *testing.T) {
	d := newDesk(t, false)
	d.add(registry.Server{Name: "taken", Command: "x"})
	entries := map[string]any{}
	for n, name := range []string{"taken", "discover", "Discover ", "mcp", "a b/c", "___", "\x1b[31mred\x1b[0m", "über", "a__b_", strings.Repeat("long-", 100), "a b-c", "..", "x\u202ey"} {
		entries[name] = map[string]any{"command": "npx", "args": []string{"-y", fmt.Sprint("@x/server-p", n)}}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": entries})
	d.must(err)
	d.write(".cursor/mcp.json", string(text))
	scan := d.scan()
	seen := map[string]bool{"taken": true}
	for _, c := range scan.Candidates {
		if registry.CheckName(c.Name) != nil || strings.EqualFold(c.Name, "discover") || seen[c.Name] || len(c.Name) > 50 {
			t.Errorf("a name is %q", c.Name)
		}
		seen[c.Name] = true
		if strings.ContainsAny(fmt.Sprint(c.Sources[0].Entry, c.Command), "\x1b\u202e") {
			t.Errorf("shown is %q", c.Sources[0].Entry)
		}
	}
	if len(scan.Candidates) != len(entries) {
		t.Errorf("there are %d of %d", len(scan.Candidates), len(entries))
	}
	for _, want := range []string{"taken-2", "server-discover", "server-mcp", "p5", "a-b-c-2"} {
		if !seen[want] {
			t.Errorf("nothing is called %s: %q", want, names(scan))
		}
	}
}

func TestAFileThatCannotBeReadKeepsNothingElseBack(t *testing.T) {
	d := newDesk(t, false)
	d.write(".cursor/mcp.json", `{"mcpServers": {"a": {"command": "npx", "args": ["a"]}, "b": 7, "c": {"command": 7}}}`)
	d.write(".kiro/settings/mcp.json", `{"mcpServers": {"a": `+strings.Repeat("[", 100_000))
	d.must(os.MkdirAll(filepath.Join(d.home, ".lmstudio", "mcp.json"), 0o700))
	closed := d.write(".junie/mcp/mcp.json", `{}`)
	d.must(os.Chmod(closed, 0))
	d.write(".codex/config.toml", "")
	scan := d.scan()
	editors := []string{}
	for _, p := range scan.Problems {
		editors = append(editors, p.Editor)
	}
	want := []string{"kiro", "junie", "lm-studio"}
	if os.Geteuid() == 0 {
		want = []string{"kiro", "lm-studio"} // root reads all
	}
	slices.Sort(want)
	slices.Sort(editors)
	is(t, "problems", editors, want...)
	if c := candidate(t, scan, "a"); c.Problem != "" {
		t.Errorf("it has the problem %s", c.Problem)
	}
	for _, name := range []string{"b", "c"} {
		if c := candidate(t, scan, name); c.Problem == "" || c.Sources[0].CanTake {
			t.Errorf("%s has no problem: %+v", name, c)
		}
	}
}

func FuzzScanText(f *testing.F) {
	d := newDesk(f, false)
	d.add(registry.Server{Name: "taken", Command: "npx", Args: []string{"--token=${secret:a}", "x${secret:b}y${secret:c}"}, Env: map[string]string{"A": "${secret:a}"}})
	for _, seed := range []string{
		`{"mcpServers":{"taken":{"command":"npx","args":["--token=z","xoyoy"],"env":{"A":"b"}},"discover":{"command":"/opt/agent-discover","args":["mcp"]}}}`,
		`"a": {"command":"cmd","args":["/c","npx","--yes","b"],"cwd":"/x"}, "a ": {"url":"https://u:p@h/x?token=abcdefgh","headers":{"A":"Bearer ${input:x}"}}`,
		"[mcp_servers.a]\ncommand = \"${A:-b}/c\"\nenv = {K = \"$K\", L = \"{env:M}\"}", "claude mcp add -e A=b n -- ./x ~/y", "https://h/sse",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		scan, err := d.ScanText(t.Context(), text)
		if err != nil && fault.KindOf(err) != fault.Invalid {
			t.Errorf("the error is no fault.Invalid: %v", err)
		}
		seen := map[string]bool{}
		for _, c := range scan.Candidates {
			if c.Here == "" && (registry.CheckName(c.Name) != nil || seen[c.Name] || strings.EqualFold(c.Name, "discover")) {
				t.Errorf("a name is %q", c.Name)
			}
			seen[c.Name] = true
			if strings.ContainsFunc(fmt.Sprint(c.Command, c.Problem, c.Warnings, c.Sources[0].Entry), unicode.IsControl) {
				t.Errorf("a control character is shown: %q", c.Command)
			}
		}
	})
}

func TestAPastedTextIsScanned(t *testing.T) {
	d := newDesk(t, false)
	scan, err := d.ScanText(t.Context(), "npx -y @x/server-github --token "+token)
	d.must(err)
	c := candidate(t, scan, "github")
	is(t, "secrets", c.Secrets, "args[3]")
	if c.Command != "npx -y @x/server-github --token [redacted]" || c.Sources[0].CanTake || c.Sources[0].Editor != "" {
		t.Errorf("it is %+v", c)
	}
	scan, err = d.ScanText(t.Context(), `{"mcpServers": {"discover": {"command": "/opt/agent-discover", "args": ["mcp"]}, "a": {"command": "x"}, "b": {"command": "x"}}}`)
	d.must(err)
	is(t, "ours is not among them, and twins are one", names(scan), "a  ")
	if _, err = d.ScanText(t.Context(), "{}"); fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v", err)
	}
}
