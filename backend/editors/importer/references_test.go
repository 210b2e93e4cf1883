package importer_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
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
	warned(t, a, "variable GONE of your environment, which is not set",
		"env.OTHER has a reference to SET_HERE, which its editor does not fill in", "env.SET_HERE takes", "args[1] has ${workspaceFolder}")
	if len(a.Server.Env) != 1 || a.Server.Env["OTHER"] != "${SET_HERE}" || a.Server.Args[1] != "${workspaceFolder}/x" {
		t.Errorf("the server is %+v", a.Server)
	}
	b := candidate(t, scan, "b")
	warned(t, b, "is not on this machine")
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
	for given, want := range map[string]string{ // Claude Code replaces ${NAME}
		"${env:SET_HERE}": "${env:SET_HERE}", "${SET_HERE}": "${env:SET_HERE}", "{env:SET_HERE}": "${env:SET_HERE}",
		"$SET_HERE": "${env:SET_HERE}", "%SET_HERE%": "${env:SET_HERE}", "Bearer $SET_HERE": "Bearer ${env:SET_HERE}",
		"--key=$SET_HERE": "--key=${env:SET_HERE}", "a ${SET_HERE} b {env:SET_HERE}": "a ${env:SET_HERE} b ${env:SET_HERE}",
		"${SET_HERE:-x}": "${env:SET_HERE:-x}", "${NONE:-x y}": "${env:NONE:-x y}", "${env:NONE:-x}": "${env:NONE:-x}",
		"${env.SET_HERE}": "${env:SET_HERE}", "${userHome}/x": f.home + "/x", "a${pathSeparator}b${/}c": "a/b/c", "pa$$WORD": "pa$$WORD",
		"50%": "50%", "US$5": "US$5", "${secret:K}": "${secret:K}", "${input:api-key}": "${secret:api-key}",
		"${promptString:token}": "${secret:token}", "Bearer ${{ secrets.MY_KEY }}": "Bearer ${secret:MY_KEY}",
	} {
		text, err := json.Marshal(map[string]any{
			"mcpServers": map[string]any{"a": map[string]any{"command": "npx", "args": []string{given}}},
		})
		f.must(err)
		f.write(".claude.json", string(text))
		if got := candidate(t, f.scan(), "a").Server.Args[0]; got != want {
			t.Errorf("%s becomes %s, want %s", given, got, want)
		}
	}
	f.write(".claude.json", "{}")
	f.write(".codex/config.toml",
		"[mcp_servers.a]\nurl = \"https://h/mcp\"\nbearer_token_env_var = \"SET_HERE\"\n[mcp_servers.a.env_http_headers]\n"+
			"X-Key = \"SET_HERE\"\n")
	if got := candidate(t, f.scan(), "a").Server.Headers; got["Authorization"] != "Bearer ${env:SET_HERE}" ||
		got["X-Key"] != "${env:SET_HERE}" {
		t.Errorf("the headers are %v", got)
	}
}

func TestWhatIsNotImportedIsNamed(t *testing.T) {
	f := newFixture(t, false)
	for field, want := range map[string]string{
		`"envFile": "${workspaceFolder}/.env"`:               "file of variables (envFile)",
		`"includeTools": ["hidden"], "excludeTools": ["b"]`:  "choice of tools (excludeTools, includeTools)",
		`"timeout": "soon"`:                                  "time limit (timeout)",
		`"alwaysAllow": ["hidden"]`:                          "approvals (alwaysAllow)",
		`"autoApprove": ["hidden"]`:                          "approvals (autoApprove)",
		`"disabledTools": ["hidden"]`:                        "choice of tools (disabledTools)",
		`"oauth": {"clientId": "hidden"}`:                    "sign-in (oauth)",
		`"cwd": "${workspaceFolder}"`:                        "working folder ${workspaceFolder} is left out",
		`"cwd": "./server"`:                                  "working folder ./server is left out",
		`"args": ["${workspaceFolder}/x"]`:                   "args[0] has ${workspaceFolder}",
		`"args": ["{file:~/hidden}"]`:                        "args[0] has ${file",
		`"args": ["$(cat hidden)"]`:                          "a command that its editor runs",
		`"args": ["${cmd: cat hidden}"]`:                     "a command that its editor runs",
		`"args": ["${env:NONE}"]`:                            "variable NONE of your environment, which is not set",
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
	f.write(".cursor/mcp.json",
		`{"mcpServers": {"a": {"type": "stdio", "command": "npx", "args": [], "env": {}, "headers": null, "disabled": false, "alwaysAllow": [], "envFile": "", "timeout": null, "trust": false}}}`)
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

func TestReferencesMeanTheVariablesOfTheirEntryFirst(t *testing.T) {
	entries := `{"mcpServers": {
		"via": {"command": "npx", "args": ["-y", "mcp-remote", "https://h/mcp", "--header", "Authorization:${AUTH_HEADER}"], "env": {"AUTH_HEADER": "Bearer tok_example"}},
		"set": {"command": "npx", "args": ["tool", "--key=${SET_HERE}", "$SET_HERE"], "env": {"SET_HERE": "mine", "OTHER": "a ${SET_HERE} b"}},
		"shelled": {"command": "/bin/sh", "args": ["-c", "exec tool \"$PROFILE_DIR\" ${LEVEL:-low} $$ ${0##*/} $(date) ${SET_HERE}"], "env": {"PROFILE_DIR": "/tmp/p", "LEVEL": "high", "SET_HERE": "x"}},
		"remote": {"url": "https://h/${PLACE}/mcp", "headers": {"Authorization": "Bearer ${SET_HERE}"}, "env": {"SET_HERE": "tok_example", "PLACE": "here"}}}}`
	for _, file := range []string{".claude.json", ".cursor/mcp.json", ".config/Claude/claude_desktop_config.json", "pasted"} {
		f := newFixture(t, false)
		scan := importer.Scan{}
		if file == "pasted" {
			var err error
			scan, err = f.ScanText(t.Context(), entries)
			f.must(err)
		} else {
			f.write(file, entries)
			scan = f.scan()
		}
		via := candidate(t, scan, "via")
		warned(t, via)
		if got := via.Server; got.Args[4] != "Authorization:${AUTH_HEADER}" || got.Env["AUTH_HEADER"] != "Bearer tok_example" {
			t.Errorf("%s: via is %+v", file, got)
		}
		equal(t, file+": secrets of via", via.Secrets, "env.AUTH_HEADER")
		set := candidate(t, scan, "set")
		warned(t, set)
		if got := set.Server; got.Args[1] != "--key=${SET_HERE}" || got.Args[2] != "$SET_HERE" ||
			got.Env["OTHER"] != "a ${env:SET_HERE} b" {
			t.Errorf("%s: set is %+v", file, got)
		}
		shelled := candidate(t, scan, "shelled")
		for _, warning := range shelled.Warnings {
			if !strings.Contains(warning, "is not on this machine") {
				t.Errorf("%s: shelled has the warning %q", file, warning)
			}
		}
		if got := shelled.Server.Args[1]; got != `exec tool "$PROFILE_DIR" ${LEVEL:-low} $$ ${0##*/} $(date) ${SET_HERE}` {
			t.Errorf("%s: the script is %s", file, got)
		}
		remote := candidate(t, scan, "remote")
		warned(t, remote)
		if got := remote.Server; got.URL != "https://h/here/mcp" || got.Headers["Authorization"] != "Bearer tok_example" || got.Env != nil {
			t.Errorf("%s: remote is %+v", file, got)
		}
		equal(t, file+": secrets of remote", remote.Secrets, "headers.Authorization")
	}
}

func TestReferencesToTheEnvironmentAreNamedWithTheirPlace(t *testing.T) {
	f := newFixture(t, false)
	for text, place := range map[string]string{
		`{"command": "npx", "args": ["a", "--key=${SET_HERE}"]}`:                                                                   "args[1]",
		`{"command": "npx", "args": ["mcp-remote@0.1.2", "--header", "A:${SET_HERE}"]}`:                                            "args[2]",
		`{"command": "sh", "args": ["-lc", "exec x ${SET_HERE:-y}"]}`:                                                              "args[1]",
		`{"command": "npx", "env": {"K": "$SET_HERE"}}`:                                                                            "env.K",
		`{"command": "npx", "env": {"SET_HERE": "${SET_HERE}"}}`:                                                                   "env.SET_HERE",
		`{"url": "https://h/mcp", "headers": {"X-Key": "${SET_HERE}"}}`:                                                            "headers.X-Key",
		`{"url": "https://h/mcp?a=${SET_HERE}"}`:                                                                                   "url",
		`claude mcp add a -- npx b --key=${SET_HERE}`:                                                                              "args[1]",
		`claude mcp add -t http a https://h/mcp -H "Authorization: Bearer ${SET_HERE}"`:                                            "headers.Authorization",
		`goose://extension?cmd=npx&arg=b&arg=%24%7BSET_HERE%7D&id=a`:                                                               "args[1]",
		`cursor://anysphere.cursor-deeplink/mcp/install?name=a&config=%7B%22url%22%3A%22https%3A%2F%2Fh%2F%24%7BSET_HERE%7D%22%7D`: "url",
	} {
		want := place + " takes the variable SET_HERE of your environment"
		scan, err := f.ScanText(t.Context(), text)
		f.must(err)
		if got := scan.Candidates[0].Warnings; !strings.Contains(fmt.Sprint(got), want) {
			t.Errorf("%s: the warnings are %q, want %q", text, got, want)
		}
		if p := f.parsed(text); !strings.Contains(fmt.Sprint(p.Notes), want) {
			t.Errorf("%s: the notes are %q, want %q", text, p.Notes, want)
		}
	}
}

func TestCredentialsOfAnEntryStayCredentialsInItsURL(t *testing.T) {
	f := newFixture(t, false)
	scan, err := f.ScanText(t.Context(),
		`{"mcpServers": {"a": {"url": "https://h/mcp?place=${API_TOKEN}", "env": {"API_TOKEN": "correct-horse"}}}}`)
	f.must(err)
	a := candidate(t, scan, "a")
	warned(t, a, "set the secret API_TOKEN of the server")
	if a.Server.URL != "https://h/mcp?place=${secret:API_TOKEN}" {
		t.Errorf("the URL is %s", a.Server.URL)
	}
	p := f.parsed(`{"url": "https://h/mcp?place=${API_TOKEN}", "env": {"API_TOKEN": "correct-horse"}}`)
	if p.URL != "https://h/mcp?place=${input:API_TOKEN}" || len(p.Missing) != 1 {
		t.Errorf("a form shows %+v", p)
	}
}

func TestServersImportedWithReferencesInOurSpellingAreRecognised(t *testing.T) {
	f := newFixture(t, false)
	f.add(registry.Server{
		Name: "via", Command: "npx", Args: []string{"-y", "mcp-remote", "https://h/mcp", "--header", "Authorization:${env:AUTH_HEADER}"},
		Env: map[string]string{"AUTH_HEADER": "Bearer tok_example", "OTHER": "${env:SET_HERE}"},
	})
	f.write(".cursor/mcp.json",
		`{"mcpServers": {"via": {"command": "npx", "args": ["-y", "mcp-remote", "https://h/mcp", "--header", "Authorization:${AUTH_HEADER}"], "env": {"AUTH_HEADER": "Bearer tok_example", "OTHER": "$SET_HERE"}}}}`)
	if c := candidate(t, f.scan(), "via"); c.Existing != "via" {
		t.Errorf("the candidate is %+v", c)
	}
}
