package importer_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/editors/importer"
)

func TestPlaceholdersOfEditorsAreReported(t *testing.T) {
	f := newFixture(t, false)
	f.write(".cursor/mcp.json", `{"mcpServers": {
		"a": {"command": "npx", "args": ["--root", "${workspaceFolder}/x"], "env": {"SET_HERE": "${env:SET_HERE}", "GONE": "$GONE", "OTHER": "${SET_HERE}"}},
		"b": {"command": "./bin/tool", "cwd": "/opt/b"},
		"c": {"command": "npx", "args": ["c"], "env": {"RUN": "$(cat x)"}},
		"d": {"command": "npx", "args": ["d"], "env": {"PASSWORD": "pa$$WORD", "KEY_FILE": "/a/b.pem"}}}}`)
	scan := f.scan()
	a := candidate(t, scan, "a")
	warned(t, a, "variable GONE of your environment, which is not set", "args[1] has ${workspaceFolder}")
	if len(a.Server.Env) != 1 || a.Server.Env["OTHER"] != "${env:SET_HERE}" || a.Server.Args[1] != "${workspaceFolder}/x" {
		t.Errorf("the server is %+v", a.Server)
	}
	b := candidate(t, scan, "b")
	warned(t, b, "working folder is left out", "is not on this machine")
	if b.Server.Command != filepath.Join("/opt/b", "bin", "tool") {
		t.Errorf("the command is %s", b.Server.Command)
	}
	if b.Server.Dir != "/opt/b" {
		t.Errorf("the folder is %s", b.Server.Dir)
	}
	warned(t, candidate(t, scan, "c"), "env.RUN has a command that its editor runs")
	equal(t, "secrets", candidate(t, scan, "d").Secrets, "env.PASSWORD")
}

func TestReferencesAreTranslatedFromTheSpellingOfEveryEditor(t *testing.T) {
	f := newFixture(t, false)
	for given, want := range map[string]string{
		"${env:SET_HERE}": "${env:SET_HERE}", "${SET_HERE}": "${env:SET_HERE}", "{env:SET_HERE}": "${env:SET_HERE}", "$SET_HERE": "${env:SET_HERE}", "%SET_HERE%": "${env:SET_HERE}",
		"Bearer $SET_HERE": "Bearer ${env:SET_HERE}", "--key=$SET_HERE": "--key=${env:SET_HERE}", "a ${SET_HERE} b {env:SET_HERE}": "a ${env:SET_HERE} b ${env:SET_HERE}",
		"${SET_HERE:-x}": "${env:SET_HERE:-x}", "${NONE:-x y}": "${env:NONE:-x y}", "${env:NONE:-x}": "${env:NONE:-x}", "${env.SET_HERE}": "${env:SET_HERE}",
		"${userHome}/x": f.home + "/x", "a${pathSeparator}b${/}c": "a/b/c", "pa$$WORD": "pa$$WORD", "50%": "50%", "US$5": "US$5", "${secret:K}": "${secret:K}",
		"${input:api-key}": "${secret:api-key}", "${promptString:token}": "${secret:token}", "Bearer ${{ secrets.MY_KEY }}": "Bearer ${secret:MY_KEY}",
	} {
		text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"a": map[string]any{"command": "npx", "args": []string{given}}}})
		f.must(err)
		f.write(".cursor/mcp.json", string(text))
		if got := candidate(t, f.scan(), "a").Server.Args[0]; got != want {
			t.Errorf("%s becomes %s, want %s", given, got, want)
		}
	}
	f.write(".cursor/mcp.json", "{}")
	f.write(".codex/config.toml", "[mcp_servers.a]\nurl = \"https://h/mcp\"\nbearer_token_env_var = \"SET_HERE\"\n[mcp_servers.a.env_http_headers]\nX-Key = \"SET_HERE\"\n")
	if got := candidate(t, f.scan(), "a").Server.Headers; got["Authorization"] != "Bearer ${env:SET_HERE}" || got["X-Key"] != "${env:SET_HERE}" {
		t.Errorf("the headers are %v", got)
	}
}

func TestWhatIsNotImportedIsNamed(t *testing.T) {
	f := newFixture(t, false)
	for field, want := range map[string]string{
		`"envFile": "${workspaceFolder}/.env"`:               "file of variables (envFile)",
		`"includeTools": ["hidden"], "excludeTools": ["b"]`:  "choice of tools (excludeTools, includeTools)",
		`"timeout": 60000`:                                   "time limit (timeout)",
		`"alwaysAllow": ["hidden"]`:                          "approvals (alwaysAllow)",
		`"autoApprove": ["hidden"]`:                          "approvals (autoApprove)",
		`"disabledTools": ["hidden"]`:                        "choice of tools (disabledTools)",
		`"oauth": {"clientId": "hidden"}`:                    "sign-in (oauth)",
		`"cwd": "${workspaceFolder}"`:                        "working folder",
		`"args": ["${workspaceFolder}/x"]`:                   "args[0] has ${workspaceFolder}",
		`"args": ["{file:~/hidden}"]`:                        "args[0] has ${file",
		`"args": ["$(cat hidden)"]`:                          "a command that its editor runs",
		`"args": ["${cmd: cat hidden}"]`:                     "a command that its editor runs",
		`"args": ["${NONE}"]`:                                "variable NONE of your environment, which is not set",
		`"env": {"NONE": "${NONE}"}`:                         "variable NONE of your environment, which is not set",
		`"env": {"K": "${input:k}"}`:                         "set the secret k of the server",
		`"somethingNew": {"hidden": 1}, "another": "hidden"`: "“another”, “somethingNew”",
	} {
		f.write(".cursor/mcp.json", `{"mcpServers": {"a": {"command": "npx", `+field+`}}}`)
		c := candidate(t, f.scan(), "a")
		warned(t, c, want)
		if strings.Contains(fmt.Sprint(c.Warnings), "hidden") {
			t.Errorf("%s: a warning shows a value: %q", field, c.Warnings)
		}
		if p := f.parsed(`{"a": {"command": "npx", ` + field + `}}`); len(p.Notes)+len(p.Missing) == 0 {
			t.Errorf("%s: a pasted text is not warned of", field)
		}
	}
	f.write(".cursor/mcp.json", `{"mcpServers": {"a": {"type": "stdio", "command": "npx", "args": [], "env": {}, "headers": null, "disabled": false, "alwaysAllow": [], "envFile": "", "timeout": null, "trust": false}}}`)
	f.write(".copilot/mcp-config.json", `{"mcpServers": {"b": {"command": "uvx", "tools": ["*"]}}}`)
	warned(t, candidate(t, f.scan(), "a"))
	warned(t, candidate(t, f.scan(), "b"))
}

func TestEntriesStayWhoseServersCannotRunThroughUs(t *testing.T) {
	f := newFixture(t, false)
	file := f.write(".cursor/mcp.json", `{"mcpServers": {
		"place": {"command": "npx", "args": ["1", "${workspaceFolder}"]}, "file": {"command": "npx", "args": ["2"], "envFile": ".env"},
		"gone": {"command": "npx", "args": ["3"], "env": {"GONE": "${env:GONE}"}}, "asked": {"command": "npx", "args": ["4"], "env": {"KEY": "${input:key}"}},
		"tools": {"command": "npx", "args": ["5"], "includeTools": ["a"]}, "absent": {"command": "no-such-program"},
		"good": {"command": "npx", "args": ["6", "${env:SET_HERE}"], "timeout": 5}}}`)
	dry, err := f.Import(t.Context(), importer.Request{RemoveEntries: true}, true)
	f.must(err)
	report := f.run(importer.Request{RemoveEntries: true})
	for what, got := range map[string]importer.Report{"dry run": dry, "import": report} {
		kept, removed := []string{}, []string{}
		for _, r := range got.Removed {
			if r.Problem == "" {
				removed = append(removed, r.Entries...)
			} else {
				kept = append(kept, r.Entries...)
			}
		}
		equal(t, "kept in "+what, sorted(kept), "absent", "asked", "file", "gone", "place", "tools")
		equal(t, "removed in "+what, removed, "good")
	}
	equal(t, "entries removed", f.removed, "cursor mcp.json [good]")
	if s := f.server("asked"); s.Env["KEY"] != "${secret:key}" {
		t.Errorf("the server is %+v", s)
	}
	f.must(f.vault.Set(t.Context(), "asked", "key", "battery-staple"))
	f.run(importer.Request{RemoveEntries: true})
	if text := f.read(file); strings.Contains(text, "asked") || !strings.Contains(text, "workspaceFolder") {
		t.Errorf("the file is %s", text)
	}
}
