package importer

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// line formats an entry as one line, in the notation of the expected results.
func line(e textEntry) string {
	s := e.Server
	text := e.Name + ":"
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		text += " " + name + "=" + s.Env[name]
	}
	if s.URL != "" {
		text += " " + s.Transport + " " + s.URL
	} else {
		text += " " + strings.Join(append([]string{s.Command}, s.Args...), "|")
	}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		text += " [" + name + ": " + s.Headers[name] + "]"
	}
	if s.Dir != "" {
		text += " in " + s.Dir
	}
	if s.Disabled {
		text += " (off)"
	}
	if e.Problem != "" {
		text += " !"
	}
	return text
}

func TestTextsOfEveryClientAreParsed(t *testing.T) {
	for what, row := range map[string]struct {
		text string
		want []string
	}{
		"a whole configuration": {
			`{"mcpServers": {"b": {"command": "npx", "args": ["-y", "b"], "env": {"K": "v", "N": 5, "O": true}}, "a": {"command": "uvx", "args": ["a"], "disabled": true}}}`,
			[]string{"a: uvx|a (off)", "b: K=v N=5 O=true npx|-y|b"},
		},
		"comments and trailing commas": {
			"// mine\n{ \"servers\": { /* x */ \"one\": {\"type\": \"stdio\", \"command\": \"x\", \"args\": [\"y\",],}, }, \"inputs\": " +
				"[], }\n// the end", []string{"one: x|y"},
		},
		"with a byte order mark": {"\ufeff" + `{"servers":{"one":{"command":"x"}}}`, []string{"one: x"}},
		"a fragment": {
			`"name": {"command": "x", "args": ["1"]},` + "\n" + `"other": {"url": "https://h/mcp"}`, []string{
				"name: x|1", "other: streamable-http https://h/mcp",
			},
		},
		"a fragment with a key": {`"mcpServers": {"name": {"command": "x"}}`, []string{"name: x"}},
		"one entry":             {`{"command": "x y z"}`, []string{": x|y|z"}},
		"one entry with a name": {
			`{"name": "n", "type": "http", "url": "https://h/mcp", "headers": {"A": "b"}}`,
			[]string{"n: streamable-http https://h/mcp [A: b]"},
		},
		"a list":                {`[{"name": "n", "command": "x"}, {"command": "y"}, 7, {"other": 1}]`, []string{"n: x", ": y"}},
		"entries without a key": {`{"a": {"command": "x"}, "theme": {"dark": true}}`, []string{"a: x"}},
		"in a settings file":    {`{"editor.fontSize": 12, "mcp": {"inputs": [], "servers": {"a": {"command": "x"}}}}`, []string{"a: x"}},
		"under a literal key":   {`{"amp.mcpServers": {"a": {"command": "x"}}}`, []string{"a: x"}},
		"opencode": {
			`{"mcp": {"a": {"type": "local", "command": ["npx", "-y", "p"], "environment": {"K": "v"}, "enabled": false}, "b": {"type": "remote", "url": "https://h"}}}`,
			[]string{"a: K=v npx|-y|p (off)", "b: streamable-http https://h"},
		},
		"Zed": {
			`{"context_servers": {"a": {"source": "custom", "command": {"path": "x", "args": ["1"], "env": {"K": "v"}}}, "e": {"settings": {}}}}`,
			[]string{"a: K=v x|1", "e:  !"},
		},
		"Claude Code, whole": {
			`{"numStartups": 3, "mcpServers": {"a": {"command": "x"}}, "projects": {"/p": {"mcpServers": {"b": {"command": "y"}}}, "/q": {"history": []}}}`,
			[]string{"a: x", "b: y"},
		},
		"Gemini": {
			`{"mcpServers": {"a": {"httpUrl": "https://h/sse", "headers": {"X": "y"}}, "b": {"url": "https://h/sse"}}}`, []string{
				"a: streamable-http https://h/sse [X: y]", "b: sse https://h/sse",
			},
		},
		"Cascade": {`{"mcpServers": {"a": {"serverUrl": "https://h/mcp"}}}`, []string{"a: streamable-http https://h/mcp"}},
		"Copilot": {
			`{"servers": {"a": {"url": "https://h", "requestInit": {"headers": {"A": "b"}}}}}`,
			[]string{"a: streamable-http https://h [A: b]"},
		},
		"Augment":  {`[{"type": "stdio", "name": "n", "command": "x --flag", "arguments": "", "env": {}}]`, []string{"n: x|--flag"}},
		"a folder": {`{"mcpServers": {"a": {"command": "x", "cwd": "/w"}}}`, []string{"a: x in /w"}},
		"an entry with an address of SSE": {
			`{"mcpServers": {"a": {"type": "url", "url": "https://h/sse?a=b"}, "b": {"type": "http", "url": "https://h/sse"}}}`,
			[]string{"a: sse https://h/sse?a=b", "b: streamable-http https://h/sse"},
		},
		"a command and an address, of which VS Code runs the command": {
			`{"mcpServers": {"a": {"command": "x", "url": "https://h"}, "b": {"command": ["x", "1"], "httpUrl": "https://h"},
				"c": {"type": "http", "command": "x", "url": "https://h"}, "d": {"type": "stdio", "command": "x", "url": "https://h"},
				"e": {"command": "", "url": "https://h"}, "f": {"type": "stdio", "url": "https://h"},
				"g": {"type": "remote", "command": "x", "url": "https://h"}}}`,
			[]string{
				"a: x", "b: x|1", "c: streamable-http https://h", "d: x", "e: streamable-http https://h", "f: streamable-http https://h",
				"g: streamable-http https://h",
			},
		},
		"unknown type": {`{"mcpServers": {"a": {"url": "https://h/x", "type": "websocket"}}}`, []string{"a:  https://h/x !"}},
		"a sse type":   {`{"mcpServers": {"a": {"url": "https://h/x", "type": "sse"}}}`, []string{"a: sse https://h/x"}},
		"no address": {
			`{"mcpServers": {"a": {"url": "ftp://h"}, "b": {"command": ""}, "c": {}}}`,
			[]string{"a: streamable-http ftp://h", "b:  !", "c:  !"},
		},
		"Windows": {`{"mcpServers": {"a": {"command": "C:\\Program Files\\x.exe"}}}`, []string{`a: C:\Program Files\x.exe`}},
		"Codex": {
			"model = \"o\"\n\n[mcp_servers.\"a.b\"]\ncommand = \"npx\"\nargs = [\"-y\", \"p\"]\nenabled = true\n" +
				"[mcp_servers.\"a.b\".env]\nK = \"v\"\n", []string{"a.b: K=v npx|-y|p"},
		},
		"a TOML table": {
			"# from the docs\n[mcp_servers.x]\nurl = \"https://h/mcp\"\nbearer_token_env_var = \"TOKEN\"\n" +
				"http_headers = { \"X-A\" = \"b\" }", []string{
				"x: streamable-http https://h/mcp [Authorization: Bearer ${TOKEN}] [X-A: b]",
			},
		},
		"TOML tables": {"[[mcp_servers]]\nname = \"n\"\ntransport = \"stdio\"\ncommand = \"x\"\nargs = [\"a\"]\n", []string{"n: x|a"}},
		"Goose": {
			"extensions:\n  a:\n    name: a\n    type: stdio\n    enabled: true\n    cmd: npx\n    args: [\"-y\", p]\n    envs:\n" +
				"      K: v\n  dev:\n    type: builtin\n  r:\n    type: streamable_http\n    uri: https://h\n", []string{
				"a: K=v npx|-y|p", "dev:  !", "r: streamable-http https://h",
			},
		},
		"Continue": {
			"name: mine\nmcpServers:\n  - name: n\n    command: npx\n    args:\n      - -y\n      - p\n", []string{"n: npx|-y|p"},
		},
		"a YAML list":  {"- name: n\n  command: npx\n  args: [a]\n- name: m\n  command: y\n", []string{"n: npx|a", "m: y"}},
		"a YAML entry": {"mine:\n  command: npx\n  args: [a]", []string{"mine: npx|a"}},
		"fenced":       {"```json\n{\"a\": {\"command\": \"x\"}}\n```", []string{"a: x"}},

		"a command line": {
			"npx -y @scope/server --flag 'two words' \"a\\\"b\"", []string{`: npx|-y|@scope/server|--flag|two words|a"b`},
		},
		"an empty word": {"''", []string{":  !"}},
		"a prompt":      {"$ TOKEN=abc env=1 uvx thing", []string{": TOKEN=abc env=1 uvx|thing"}},
		"over several lines": {
			"docker run -i --rm \\\n  -e TOKEN \\\n  mcp/github", []string{": docker|run|-i|--rm|-e|TOKEN|mcp/github"},
		},
		"several commands":  {"# two\nnpx -y a\n\nuvx b", []string{": npx|-y|a", ": uvx|b"}},
		"shell operators":   {"cd x && npx y", []string{": cd|x|&&|npx|y !"}},
		"a path of Windows": {`C:\tools\x.exe --dir "C:\my folder\" --last`, []string{`: C:\tools\x.exe|--dir|C:\my folder\|--last`}},
		"claude mcp add": {
			"claude mcp add github --env TOKEN=abc -- npx -y @x/github --flag", []string{"github: TOKEN=abc npx|-y|@x/github|--flag"},
		},
		"claude, variables": {"claude mcp add -s user -e A=1 B=2 name npx -y p", []string{"name: A=1 B=2 npx|-y|p"}},
		"claude, remote": {
			`claude mcp add --transport http --scope user api https://h/mcp --header "Authorization: Bearer abc"`, []string{
				"api: streamable-http https://h/mcp [Authorization: Bearer abc]",
			},
		},
		"claude, sse":   {"claude mcp add --transport=sse api https://h/x", []string{"api: sse https://h/x"}},
		"claude, JSON":  {`claude mcp add-json -s user w '{"type":"stdio","command":"x","args":["a b"]}'`, []string{"w: x|a b"}},
		"codex mcp add": {"codex mcp add name --env K=V -- x y", []string{"name: K=V x|y"}},
		"codex, remote": {
			"codex mcp add name --url https://h/mcp --bearer-token-env-var T", []string{
				"name: streamable-http https://h/mcp [Authorization: Bearer ${T}]",
			},
		},
		"code":                 {`code --add-mcp '{"name":"n","command":"uvx","args":["p"]}'`, []string{"n: uvx|p"}},
		"code, quoted for cmd": {`code --add-mcp "{\"name\":\"n\",\"command\":\"uvx\"}"`, []string{"n: uvx"}},
		"an address":           {" https://h.example/mcp ", []string{": streamable-http https://h.example/mcp"}},
		"an address of SSE":    {"https://h.example/sse", []string{": sse https://h.example/sse"}},
	} {
		entries, err := parseText(row.text)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		var got []string
		for _, e := range entries {
			got = append(got, line(e))
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", what, got, row.want)
		}
	}
}

func TestTextsWithoutAServerAreRefused(t *testing.T) {
	for what, text := range map[string]string{
		"nothing": " \n ", "braces": "{}", "JSON without a server": `{"theme": "dark"}`, "half": `{"mcpServers": {"a": {"command": "x"`,
		"half of TOML": "[mcp_servers.x]\ncommand = \"hunter2", "bytes": "\xff\xfe", "a zero": "a\x00b", "an open quote": "npx 'hunter2",
		"comments": "# only\n", "too long": strings.Repeat("a", maxText+1), "too deep": strings.Repeat("[", 100_000),
		"too deep in YAML": "a: " + strings.Repeat("{a: ", 5000), "too many": strings.Repeat("npx a\n", maxEntries+1),
		"JSON that adds nothing": "code --add-mcp '{}'", "a name alone": "claude mcp add-json one",
	} {
		entries, err := parseText(text)
		if fault.KindOf(err) != fault.Invalid || len(entries) > 0 || strings.Contains(fault.MessageOf(err), "hunter2") {
			t.Errorf("%s: %v, %v", what, entries, err)
		}
	}
}

func TestIgnoredFieldsAreNoted(t *testing.T) {
	entries, err := parseText(`{"mcpServers": {"a": {"command": "x", "env": {"A": {"b": 1}, "C": null, "D": "e"}}}}`)
	if err != nil || len(entries) != 1 || len(entries[0].Notes) != 2 || line(entries[0]) != "a: D=e x" {
		t.Errorf("got %+v, %v", entries, err)
	}
}

func TestValuesOfAnotherTypeAreNoted(t *testing.T) {
	for text, want := range map[string]string{
		`{"mcpServers": {"a": {"command": "python3", "args": true}}}`:                        "a: python3 ! args is not a list",
		`{"mcpServers": {"a": {"command": "x", "args": [1, null, {}, "y"]}}}`:                "a: x|1|y; “args[1]” is not a string and is left out; “args[2]” is not a string and is left out",
		`{"mcpServers": {"a": {"command": "x", "env": "K=v"}}}`:                              "a: x; “env” is not a list and is left out",
		`{"mcpServers": {"a": {"command": "x", "env": {"NONE": null}}}}`:                     "a: x; “env.NONE” is not a string and is left out",
		`{"mcpServers": {"a": {"url": "https://h/x", "headers": {"K": ["v"]}}}}`:             "a: streamable-http https://h/x; “headers.K” is not a string and is left out",
		`{"mcpServers": {"a": {"command": ["npx", null, "p"]}}}`:                             "a: npx|p; “command[1]” is not a string and is left out",
		`{"mcpServers": {"s": "npx -y x"}}`:                                                  "s:  ! the entry is not an object",
		`{"mcpServers": {"s": null}}`:                                                        "s:  ! the entry is not an object",
		`{"servers": ["npx -y x"]}`:                                                          ":  ! the entry is not an object",
		`{"mcp": {"inputs": [], "enabled": true, "a": {"type": "local", "command": ["x"]}}}`: "a: x",
	} {
		entries, err := parseText(text)
		if err != nil || len(entries) != 1 {
			t.Errorf("%s: got %+v, %v", text, entries, err)
			continue
		}
		got := strings.Join(append([]string{line(entries[0])}, entries[0].Notes...), "; ")
		if problem := entries[0].Problem; problem != "" {
			got += " " + problem
		}
		if got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, got, want)
		}
	}
}

func TestConfigurationsOfOtherProgramsAreNoServers(t *testing.T) {
	page := func(block string) string {
		return "Do this:\n\n```\n" + block + "\n```\n\nThen:\n\n```\n" + block + "\n```\n"
	}
	for what, text := range map[string]string{
		"settings":         "port: 3424\nsearch:\n  provider: local\n  model: \"\"\n  url: http://127.0.0.1:11434\n",
		"docker compose":   "services:\n  web:\n    image: nginx\n    command: nginx -g daemon\n    environment:\n      A: b\n",
		"an address":       "api:\n  url: https://h/x\nlevel: 3\n",
		"editor settings":  `{"fontSize": 12, "formatter": {"external": {"command": "prettier"}}}`,
		"pages of OpenAPI": page("servers:\n  - url: https://h/x\n    description: the live system\n"),
		"a page's address": page("search:\n  url: http://127.0.0.1:11434\n"),
	} {
		if entries, err := parseText(text); err == nil {
			t.Errorf("%s: got %+v", what, entries)
		}
	}
}

// TestTheDocumentationOfThisProductAddsOnlyServers reads the pages as --paste does. They show this product's settings, its
// own entry and the addresses of its hub beside examples of servers.
func TestTheDocumentationOfThisProductAddsOnlyServers(t *testing.T) {
	pages, err := filepath.Glob("../../../frontend/guide/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	for _, page := range append(pages, "../../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		entries, _ := parseText(string(text))
		for _, e := range entries {
			t.Logf("%s: %s", filepath.Base(page), line(e))
			if e.Name == "search" || strings.Contains(e.Server.URL, "11434") {
				t.Errorf("%s: a setting became the server %s", page, line(e))
			}
		}
	}
}

func TestSuggestedNamesComeFromWhatTheServerRuns(t *testing.T) {
	for text, want := range map[string]string{
		"npx -y @modelcontextprotocol/server-github@1.2 /tmp": "github", "uvx mcp-server-time --local": "time",
		"npx -y @upstash/context7-mcp": "context7", "docker run -i --rm -e TOKEN ghcr.io/github/github-mcp-server:latest": "github",
		"uv --directory /a/b run weather.py": "weather", "node /home/me/linear/dist/index.js": "linear", "python -m my_module": "my_module",
		"/usr/bin/thing.sh x": "thing", `C:\x\tool.exe`: "tool", "cmd /c npx -y thing": "thing",
		"uvx --from git+x serena start-mcp-server": "serena", "npx": "npx", "https://mcp.linear.app/mcp": "linear",
		"https://api.githubcopilot.com/mcp/": "githubcopilot", "http://127.0.0.1:3000/x": "127.0.0.1", "https://mcp.io": "mcp.io",
	} {
		entries, err := parseText(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := suggestName(entries[0].Server); got != want {
			t.Errorf("%s: suggested name %q, want %q", text, got, want)
		}
	}
	if got := suggestName(table.Server{}); got != "" {
		t.Errorf("an empty server has the suggested name %q", got)
	}
}

func FuzzParseText(f *testing.F) {
	for _, seed := range []string{
		`{"mcpServers":{"a":{"command":"x","args":["y"]}}}`, `"a": {"url": "https://h"}`, "[mcp_servers.a]\ncommand = \"x\"",
		"[[mcp_servers]]\nname = \"n\"", "extensions:\n  a: &a\n    cmd: x\n  b: *a\n", "- name: n\n  command: x",
		"claude mcp add -e A=b n -- x", "code --add-mcp '{\"name\":\"n\"}'", "npx -y 'a b' \\\n c", "```\nx\n```", "https://h/sse",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		entries, err := parseText(text)
		if err != nil && fault.KindOf(err) != fault.Invalid {
			t.Errorf("not a fault.Invalid: %v", err)
		}
		for _, e := range entries {
			if e.Problem == "" && e.Server.Command == "" && e.Server.URL == "" {
				t.Errorf("an entry without command, URL and problem: %s", fmt.Sprintf("%+v", e))
			}
			suggestName(e.Server)
		}
	})
}

func TestCommandLinesAreSplit(t *testing.T) {
	for line, want := range map[string][]string{
		`npx -y pkg`:                            {"npx", "-y", "pkg"},
		`a "b c" 'd "e"'`:                       {"a", "b c", `d "e"`},
		`a "say \"hi\""`:                        {"a", `say "hi"`},
		`a b\ c`:                                {"a", "b c"},
		`a "" ''`:                               {"a", "", ""},
		`--k="v w"`:                             {"--k=v w"},
		`C:\bin\a.exe -d C:\`:                   {`C:\bin\a.exe`, "-d", `C:\`},
		`"C:\Program Files\a.exe" "C:\my dir\"`: {`C:\Program Files\a.exe`, `C:\my dir\`},
		"  a \t b\n":                            {"a", "b"},
		"":                                      nil,
	} {
		if got, closed := split(line); !slices.Equal(got, want) || !closed {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
	if _, closed := split(`a "b`); closed {
		t.Error("an open quote counts as closed")
	}
}
