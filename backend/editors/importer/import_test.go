package importer_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

func TestCredentialsOfImportedServersAreInTheKeychain(t *testing.T) {
	f := newFixture(t, false)
	file := f.write(".cursor/mcp.json", `{"mcpServers": {
		"files": {"command": "npx", "args": ["-y", "@x/files", "--token", "correct-horse"], "env": {"API_KEY": "battery-staple", "MODE": "fast"}},
		"off": {"command": "npx", "args": ["off"], "disabled": true},
		"docs": {"url": "https://h/mcp", "headers": {"Authorization": "Bearer correct-horse"}},
		"broken": {"args": []}}}`)
	before := f.read(file)
	dry, err := f.Import(t.Context(), importer.Request{RemoveEntries: true}, true)
	f.must(err)
	equal(t, "dry run", sorted(results(dry)), "docs imported headers.Authorization", "files imported env.API_KEY,args[3]", "off imported")
	if len(f.servers()) > 0 || f.read(file) != before || !dry.DryRun || len(dry.Removed) != 1 || len(dry.Removed[0].Entries) != 3 ||
		dry.Removed[0].Change != "" {
		t.Errorf("a dry run left %v, %+v", f.servers(), dry.Removed)
	}

	report := f.run(importer.Request{})
	equal(t, "import", sorted(results(report)), "docs imported headers.Authorization", "files imported env.API_KEY,args[3]", "off imported")
	if len(report.Removed) > 0 || f.read(file) != before {
		t.Errorf("entries were removed: %+v", report.Removed)
	}
	files := f.server("files")
	if text := fmt.Sprint(files); strings.Contains(text, "horse") || strings.Contains(text, "staple") || files.Source != "editor:cursor" ||
		!files.Approved || files.AlwaysListed || files.Env["MODE"] != "fast" {
		t.Errorf("the server is %s", text)
	}
	filled, err := f.vault.Fill(t.Context(), files.Name, launch.Of(files))
	if err != nil || filled.Args[3] != "correct-horse" || filled.Env["API_KEY"] != "battery-staple" {
		t.Errorf("a start gets %v %v, %v", filled.Args, filled.Env, err)
	}
	if docs := f.server("docs"); docs.Transport != "streamable-http" || docs.URL != "https://h/mcp" ||
		docs.Headers["Authorization"] == "" || strings.Contains(fmt.Sprint(docs), "horse") {
		t.Errorf("it is %+v", docs)
	}
	equal(t, "second import", results(f.run(importer.Request{})))
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

func TestOnlyChosenServersAreImported(t *testing.T) {
	f := newFixture(t, false)
	f.add(registry.Server{Name: "taken", Command: "x"})
	f.write(".cursor/mcp.json", `{"mcpServers": {
		"a": {"command": "npx", "args": ["a"]}, "b": {"command": "npx", "args": ["b"]}, "c": {"command": "npx", "args": ["c"]},
		"d": {"command": "npx", "args": ["d"]}, "e": {"command": "npx", "args": ["e"]}, "f": {"command": "${input:x}"}, "g": {"command": "npx", "args": ["g"]}}}`)
	scan := f.scan()
	id := func(name string) string { return candidate(t, scan, name).ID }
	q := importer.Request{Choices: []importer.Choice{
		{ID: id("a"), Name: "renamed"},
		{ID: id("a")},
		{ID: id("b"), Name: "taken"},
		{ID: id("c"), Name: "a__b"},
		{ID: id("d"), Name: "discover"},
		{ID: id("f")},
		{ID: "none"},
		{ID: id("g"), Name: "renamed"},
	}}
	want := []string{"renamed imported", "taken failed", "a__b failed", "discover failed", "f failed", "failed", "renamed failed"}
	dry, err := f.Import(t.Context(), q, true)
	f.must(err)
	equal(t, "dry run", results(dry), want...)
	report := f.run(q)
	equal(t, "results", results(report), want...)
	equal(t, "servers", f.servers(), "renamed", "taken")
	for _, a := range report.Servers[1:] {
		if a.Problem == "" || strings.Contains(a.Problem, "internal") {
			t.Errorf("%s has the problem %q", a.Name, a.Problem)
		}
	}
	equal(t, "second import", results(f.run(importer.Request{Choices: []importer.Choice{{ID: id("a")}}})), "renamed here")
}

func TestServersThatAreSwitchedOffInTheEditorAreDisabled(t *testing.T) {
	f := newFixture(t, false)
	file := f.write(".cursor/mcp.json",
		`{"mcpServers": {"off": {"command": "npx", "args": ["off"], "disabled": true}, "on": {"command": "npx", "args": ["on"]}}}`)
	f.write(".codex/config.toml", "[mcp_servers.also_off]\ncommand = \"npx\"\nargs = [\"also\"]\nenabled = false\n"+
		"[mcp_servers.both]\ncommand = \"npx\"\nargs = [\"both\"]\nenabled = false\n")
	f.write(".gemini/settings.json", `{"mcpServers": {"both": {"command": "npx", "args": ["both"]}}}`)
	both := candidate(t, f.scan(), "both")
	if len(both.Sources) != 2 || both.Server.Disabled || len(both.Warnings) > 0 {
		t.Errorf("a server that one of two editors uses is %+v", both)
	}
	equal(t, "results", sorted(results(f.run(importer.Request{RemoveEntries: true}))),
		"also_off imported", "both imported", "off imported", "on imported")
	for name, disabled := range map[string]bool{"off": true, "also_off": true, "both": false, "on": false} {
		if s := f.server(name); s.Disabled != disabled || !s.Approved || s.AlwaysListed || s.KeepRunning {
			t.Errorf("%s is %+v", name, s)
		}
	}
	if strings.Contains(f.read(file), "off") {
		t.Errorf("an entry that was switched off stays: %s", f.read(file))
	}
}

func TestEntriesAreRemovedInOneChangePerFile(t *testing.T) {
	f := newFixture(t, false)
	f.add(registry.Server{Name: "old", Command: "uvx", Args: []string{"old"}})
	cursor := f.write(".cursor/mcp.json", `{"mcpServers": {
		"a": {"command": "npx", "args": ["a"], "env": {"API_KEY": "battery-staple"}}, "old": {"command": "uvx", "args": ["old"]}, "bad": {"args": []}}}`)
	codex := f.write(".codex/config.toml",
		"# mine\n[mcp_servers.alpha]\ncommand = \"npx\"\nargs = [\"a\"]\nenv = { API_KEY = \"battery-staple\" }\n\n"+
			"[mcp_servers.discover]\ncommand = \"/opt/agent-discover\"\nargs = [\"mcp\"]\n")
	claude := f.write(".claude.json",
		`{"mcpServers": {}, "projects": {"/p": {"mcpServers": {"a": {"command": "npx", "args": ["a"], "env": {"API_KEY": "battery-staple"}}}}}}`)
	project := f.read(claude)

	report := f.run(importer.Request{RemoveEntries: true})
	equal(t, "results", sorted(results(report)), "a imported env.API_KEY", "old here")
	equal(t, "changes", sorted(f.removed), "codex config.toml [alpha]", "cursor mcp.json [a old]")
	for _, taken := range report.Removed {
		if taken.Path != claude && (taken.Change == "" || taken.Problem != "") {
			t.Errorf("removals: %+v", taken)
		}
	}
	if text := f.read(cursor); strings.Contains(text, "staple") || !strings.Contains(text, `"bad"`) {
		t.Errorf("cursor has %s", text)
	}
	if text := f.read(codex); strings.Contains(text, "alpha") || !strings.Contains(text, "mcp_servers.discover") {
		t.Errorf("codex has %s", text)
	}
	if f.read(claude) != project {
		t.Errorf("a read-only file was written: %s", f.read(claude))
	}
	stays := importer.Removal{
		Editor: "claude-code", Path: claude, Entries: []string{"a"}, Servers: []string{"a"},
		Problem: "it belongs to the project /p; to remove it, run there: claude mcp remove --scope local a",
	}
	if again := f.run(importer.Request{RemoveEntries: true}).Removed; len(again) != 1 || !reflect.DeepEqual(again[0], stays) {
		t.Errorf("the second import removed %+v", again)
	}
}

func TestEntriesAreKeptUntilAServerReplacesThemCompletely(t *testing.T) {
	f := newFixture(t, false)
	f.add(registry.Server{Name: "poor", Command: "npx", Args: []string{"poor"}})
	if _, err := f.options.Registry.Add(t.Context(), registry.Server{
		Name: "waits", Command: "npx", Args: []string{"waits"},
	}); err != nil {
		t.Fatal(err)
	}
	file := f.write(".cursor/mcp.json",
		`{"mcpServers": {"poor": {"command": "npx", "args": ["poor"], "env": {"API_KEY": "battery-staple"}}, "waits": {"command": "npx", "args": ["waits"]}}}`)
	before := f.read(file)
	report := f.run(importer.Request{RemoveEntries: true})
	equal(t, "results", sorted(results(report)), "poor here", "waits here")
	problems := []string{}
	for _, taken := range report.Removed {
		if taken.Change != "" {
			t.Errorf("removals: %+v", taken)
		}
		problems = append(problems, taken.Problem)
	}
	equal(t, "problems", sorted(problems), "the entry was kept: the server poor exists, but without API_KEY",
		"the server waits waits for approval; the entry was kept")
	if f.read(file) != before || len(f.removed) > 0 {
		t.Errorf("the file is %s", f.read(file))
	}
}

func TestWorkingFoldersAndTimeLimitsAreImported(t *testing.T) {
	f := newFixture(t, false)
	file := f.write(".cursor/mcp.json", `{"mcpServers": {
		"a": {"command": "npx", "args": ["x"], "cwd": "/one"}, "b": {"command": "npx", "args": ["x"], "cwd": "~/two", "timeout": 90000},
		"c": {"command": "npx", "args": ["c"], "cwd": "`+filepath.ToSlash(f.home)+`"},
		"d": {"command": "npx", "args": ["d"], "cwd": "${env:SET_HERE}/d", "startup_timeout_sec": 120, "tool_timeout_sec": 2.5},
		"e": {"url": "https://h/mcp", "startup_timeout_ms": 30000, "timeout": "5m"}}}`)
	report := f.run(importer.Request{})
	equal(t, "results", sorted(results(report)), "a imported", "b imported", "c imported", "d imported", "e imported")
	for _, r := range report.Servers {
		if strings.Contains(strings.Join(r.Warnings, " "), "left out") {
			t.Errorf("notes of %s: %q", r.Name, r.Warnings)
		}
	}
	for name, want := range map[string]registry.Server{
		"a": {Dir: "/one"},
		"b": {Dir: "~/two", Timeouts: registry.Timeouts{Call: 90 * time.Second}},
		"c": {},
		"d": {Dir: "${env:SET_HERE}/d", Timeouts: registry.Timeouts{Start: 2 * time.Minute, Call: 2500 * time.Millisecond}},
		"e": {Timeouts: registry.Timeouts{Start: 30 * time.Second, Call: 5 * time.Minute}},
	} {
		if got := f.server(name); got.Dir != want.Dir || got.Timeouts != want.Timeouts {
			t.Errorf("%s starts in %q with %+v, want %q with %+v", name, got.Dir, got.Timeouts, want.Dir, want.Timeouts)
		}
	}
	f.run(importer.Request{RemoveEntries: true})
	if left := f.read(file); strings.Contains(left, "npx") || strings.Contains(left, "https://h") {
		t.Errorf("entries of imported servers stay: %s", left)
	}
}

func TestAnEntryStaysWhoseServerStartsElsewhere(t *testing.T) {
	f := newFixture(t, false)
	f.add(registry.Server{Name: "a", Command: "npx", Args: []string{"x"}})
	f.add(registry.Server{Name: "b", Command: "npx", Args: []string{"y"}, Dir: "/one"})
	f.write(".cursor/mcp.json", `{"mcpServers": {
		"a": {"command": "npx", "args": ["x"], "cwd": "/one"}, "b": {"command": "npx", "args": ["y"]},
		"c": {"command": "npx", "args": ["y"], "cwd": "/two"}}}`)
	report := f.run(importer.Request{RemoveEntries: true})
	equal(t, "results", sorted(results(report)), "a here", "b here", "c imported")
	equal(t, "removed", f.removed, "cursor mcp.json [c]")
	for n, want := range []string{"but it starts in your home folder", "but it starts in /one"} {
		if !strings.Contains(report.Removed[n].Problem, want) {
			t.Errorf("removals: %+v", report.Removed)
		}
	}
}

func TestExportsHaveTheFolderAndTheTimeLimits(t *testing.T) {
	f := newFixture(t, false)
	f.add(registry.Server{
		Name: "a", Command: "npx", Args: []string{"x"}, Dir: "${env:PLACE}/x",
		Timeouts: registry.Timeouts{Start: 1500 * time.Millisecond, Call: time.Minute},
	})
	for editor, want := range map[string][]string{
		"codex":       {`cwd = "${PLACE}/x"`, "startup_timeout_sec = 2", "tool_timeout_sec = 60", "cwd needs a value"},
		"gemini-cli":  {`"cwd": "${PLACE}/x"`, `"timeout": 60000`, "its start timeout is left out"},
		"cline":       {`"timeout": 60`},
		"vscode":      {`"cwd": "${env:PLACE}/x"`, "its start and call timeout is left out"},
		"opencode":    {`"cwd": "{env:PLACE}/x"`, `"timeout": 1500`, "its call timeout is left out"},
		"copilot-cli": {`"cwd": "${PLACE}/x"`, `"timeout": 60000`},
		"claude-code": {"a: this editor does not support a working folder"},
	} {
		out, err := f.Export(t.Context(), editor, nil)
		f.must(err)
		for _, part := range want {
			if !strings.Contains(out.Text+strings.Join(out.Left, "\n"), part) {
				t.Errorf("%s lacks %s:\n%s%q", editor, part, out.Text, out.Left)
			}
		}
	}
}

func TestTheHomeFolderHasOtherSpellings(t *testing.T) {
	f := newFixture(t, false)
	link := filepath.Join(t.TempDir(), "home")
	if runtime.GOOS == "windows" { // symbolic links need a privilege on Windows
		link = strings.ToUpper(filepath.ToSlash(f.home))
	} else {
		f.must(os.Symlink(f.home, link))
	}
	text, err := json.Marshal(map[string]any{
		"mcpServers": map[string]any{"a": map[string]any{"command": "npx", "args": []string{"a"}, "cwd": link}},
	})
	f.must(err)
	f.write(".cursor/mcp.json", string(text))
	report := f.run(importer.Request{RemoveEntries: true})
	equal(t, "removed", f.removed, "cursor mcp.json [a]")
	if len(report.Removed) != 1 || report.Removed[0].Problem != "" {
		t.Errorf("removals: %+v", report.Removed)
	}
}

func TestServersAreImportedWhenEntriesCannotBeRemoved(t *testing.T) {
	f := newFixture(t, false)
	f.write(".cursor/mcp.json", `{"mcpServers": {"a": {"command": "npx", "args": ["a"]}}}`)
	f.write(".kiro/settings/mcp.json", `{"mcpServers": {"b": {"command": "npx", "args": ["b"]}}}`)
	options := f.options
	options.RemoveEntries = nil
	f.Importer = importer.New(options)
	report := f.run(importer.Request{RemoveEntries: true})
	if len(report.Removed) != 2 || report.Removed[0].Problem == "" || report.Removed[1].Problem == "" || len(f.servers()) != 2 {
		t.Errorf("removals: %+v", report.Removed)
	}
}

func TestHundredsOfServersAreImported(t *testing.T) {
	f := newFixture(t, false)
	for _, path := range []string{".cursor/mcp.json", ".kiro/settings/mcp.json", ".lmstudio/mcp.json"} {
		entries := map[string]any{}
		for n := range 150 {
			entries[fmt.Sprint("server-", n)] = map[string]any{
				"command": "npx", "args": []string{"-y", fmt.Sprint("@x/p", n)}, "env": map[string]string{"MODE": fmt.Sprint(n)},
			}
		}
		text, err := json.Marshal(map[string]any{"mcpServers": entries})
		f.must(err)
		f.write(path, string(text))
	}
	report := f.run(importer.Request{RemoveEntries: true})
	if len(report.Servers) != 150 || len(f.servers()) != 150 || len(report.Removed) != 3 || len(f.scan().Candidates) > 0 {
		t.Errorf("%d results, %d servers, %d changed files", len(report.Servers), len(f.servers()), len(report.Removed))
	}
	for _, a := range report.Servers {
		if a.Status != importer.Imported {
			t.Errorf("%+v", a)
		}
	}
}

func TestServersInAPastedTextAreImported(t *testing.T) {
	f := newFixture(t, false)
	report := f.run(importer.Request{Text: "claude mcp add github --env TOKEN=" + token + " -- npx -y @x/github"})
	equal(t, "results", results(report), "github imported env.TOKEN")
	if s := f.server("github"); s.Source != "pasted" || s.Env["TOKEN"] != "${secret:TOKEN}" {
		t.Errorf("the server is %+v", s)
	}
	if _, err := f.Import(t.Context(), importer.Request{Text: "x", Bundle: "/y"}, false); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a text and a bundle: %v", err)
	}
}

func TestExportsKeepOrReportTheDefaultsOfVariables(t *testing.T) {
	f := newFixture(t, false)
	f.add(registry.Server{
		Name: "files", Command: "npx", Args: []string{"--port=${env:PORT:-8080}", "${env:EMPTY:-}"},
		Env: map[string]string{"KEY": "${env:THE_KEY:-" + token + "}", "LEVEL": "${env:LOG_LEVEL:-debug}"},
	})
	for editor, want := range map[string]struct{ text, left string }{
		"claude-code":    {`"--port=${PORT:-8080}"`, ""},
		"cursor":         {`"--port=${env:PORT}"`, `its default, "8080", was left out`},
		"claude-desktop": {`"--port=${PORT}"`, `its default, "8080", was left out`},
		"codex":          {`LEVEL = "${LOG_LEVEL}"`, `its default, "debug", was left out`},
	} {
		out, err := f.Export(t.Context(), editor, nil)
		f.must(err)
		left := strings.Join(out.Left, "\n")
		if !strings.Contains(out.Text, want.text) || !strings.Contains(left, want.left) ||
			(want.left == "") == strings.Contains(left, "no spelling") {
			t.Errorf("%s: %s\n%s", editor, out.Text, left)
		}
		if strings.Contains(out.Text+left, token) {
			t.Errorf("%s shows a credential: %s\n%s", editor, out.Text, left)
		}
	}
}

func TestExportsAreSpelledAsTheEditorSpellsThem(t *testing.T) {
	f := newFixture(t, false)
	f.add(registry.Server{
		Name: "files", Command: "npx", Args: []string{"-y", "@x/files", "--token", "correct-horse", "--password=battery-staple"},
		Env: map[string]string{"API_KEY": "${secret:API_KEY}", "HOME_X": "${env:HOME_X}/x"},
	})
	f.add(registry.Server{
		Name: "docs", Transport: "streamable-http", URL: "https://me:pass-word@h/mcp?token=query-value",
		Headers: map[string]string{"Authorization": "Bearer ${secret:AUTHORIZATION}", "X-Key": token},
	})
	f.add(registry.Server{Name: "empty"})
	if _, err := f.options.Registry.Add(t.Context(), registry.Server{Name: "waits", Command: "x"}); err != nil {
		t.Fatal(err)
	}
	for editor, want := range map[string][]string{
		"cursor": {
			`"mcpServers": {`, `"files": {`, `"url": "https://me:${env:URL_PASSWORD}@h/mcp?token=${env:URL_TOKEN}"`,
			`"API_KEY": "${env:API_KEY}"`, `"${env:TOKEN}"`, `"--password=${env:PASSWORD}"`, `"HOME_X": "${env:HOME_X}/x"`,
		},
		"opencode":   {`"API_KEY": "{env:API_KEY}"`, `"{env:TOKEN}"`, `"HOME_X": "{env:HOME_X}/x"`},
		"gemini-cli": {`"API_KEY": "${API_KEY}"`, `"${TOKEN}"`, `"HOME_X": "${HOME_X}/x"`},
		"continue":   {"API_KEY: '${{ secrets.API_KEY }}'"},
		"codex": {
			"[mcp_servers.files]", "[mcp_servers.docs]", `env_vars = ["API_KEY"]`, `bearer_token_env_var = "AUTHORIZATION"`,
			`X-Key = "X_KEY"`,
		},
		"goose":          {"extensions:", "  files:", "cmd: npx", "uri: "},
		"claude-desktop": {`"files": {`},
	} {
		out, err := f.Export(t.Context(), editor, nil)
		f.must(err)
		for _, part := range want {
			if !strings.Contains(out.Text, part) {
				t.Errorf("%s lacks %s:\n%s", editor, part, out.Text)
			}
		}
		for _, secret := range []string{"correct-horse", "battery-staple", "pass-word", "query-value", token} {
			if strings.Contains(out.Text+strings.Join(out.Left, ""), secret) {
				t.Errorf("%s shows %s:\n%s %q", editor, secret, out.Text, out.Left)
			}
		}
		if strings.Contains(out.Text, "docs") && strings.Index(out.Text, "docs") > strings.Index(out.Text, "files") {
			t.Errorf("%s has another order:\n%s", editor, out.Text)
		}
		left := strings.Join(out.Left, "\n")
		for _, part := range []string{
			`empty: Server "empty" has no command configured`, `waits: server "waits" waits for a person's approval`, "files: args[3] ",
			"API_KEY",
		} {
			if !strings.Contains(left, part) {
				t.Errorf("%s does not say %q: %s", editor, part, left)
			}
		}
		if editor == "claude-desktop" != strings.Contains(left, "docs: this editor") {
			t.Errorf("%s left %s", editor, left)
		}
		if !filepath.IsAbs(out.Path) {
			t.Errorf("%s has the path %s", editor, out.Path)
		}
	}
	one, err := f.Export(t.Context(), "cursor", []string{"files", "files"})
	if err != nil || strings.Contains(one.Text, "docs") || strings.Count(one.Text, `"files"`) != 1 {
		t.Errorf("the export of one server is %s, %v", one.Text, err)
	}
	if s := f.server("files"); s.Args[3] != "correct-horse" {
		t.Errorf("the export changed the registry: %v", s.Args)
	}
	for _, args := range [][]string{{"nobody"}, {"cursor", "none"}} {
		if _, err := f.Export(t.Context(), args[0], args[1:]); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%v: %v", args, err)
		}
	}
}

func TestAURLMayHaveReferencesInAnyPart(t *testing.T) {
	f := newFixture(t, false)
	for n, address := range []string{
		"http://127.0.0.1:${MCP_PORT:-9}/mcp", "${API_BASE_URL:-https://api.example.com}/mcp", "https://${HOST}/${PATH_OF_IT}",
		"https://h.example:80${N}/mcp", "http://127.0.0.1:{env:PORT}/mcp",
	} {
		entry := fmt.Sprintf(`{"mcpServers": {"u%d": {"type": "http", "url": %q}}}`, n, address)
		f.write(".cursor/mcp.json", entry)
		scan, err := f.Scan(t.Context(), []string{"cursor"})
		f.must(err)
		text, err := f.ScanText(t.Context(), entry)
		f.must(err)
		for way, candidates := range map[string][]importer.Candidate{"file": scan.Candidates, "text": text.Candidates} {
			if len(candidates) != 1 || candidates[0].Problem != "" {
				t.Errorf("%s in a %s: got %+v", address, way, candidates)
			}
		}
		if p := f.parsed(entry); p.Problem != "" {
			t.Errorf("%s in a form: %s", address, p.Problem)
		}
		report, err := f.Import(t.Context(), importer.Request{Text: entry}, false)
		f.must(err)
		if len(report.Servers) != 1 || report.Servers[0].Status != importer.Imported {
			t.Errorf("%s: got %+v", address, report.Servers)
		}
	}
	for _, address := range []string{"ftp://${HOST}/x", "http:///${X}", "javascript:${X}"} {
		entry := fmt.Sprintf(`{"mcpServers": {"bad": {"url": %q}}}`, address)
		f.write(".cursor/mcp.json", entry)
		scan, err := f.Scan(t.Context(), []string{"cursor"})
		f.must(err)
		if len(scan.Candidates) != 1 || !strings.Contains(scan.Candidates[0].Problem, "must start with http") {
			t.Errorf("%s in a file: got %+v", address, scan.Candidates)
		}
	}
}

func TestAgentDiscoverIsNotAddedToItself(t *testing.T) {
	f := newFixture(t, false)
	f.intake.Ports = func() []int { return []int{40100} }
	f.options.Intake = intake.New(f.intake)
	f.Importer = importer.New(f.options)
	const own = `"a": {"command": "/opt/agent-discover", "args": ["mcp", "--client", "x"]}, "b": {"url": "http://localhost:40100/mcp"}`
	f.write(".cursor/mcp.json", `{"mcpServers": {`+own+`, "c": {"command": "npx"}}}`)
	scan, err := f.Scan(t.Context(), []string{"cursor"})
	f.must(err)
	if len(scan.Candidates) != 1 || scan.Candidates[0].Name != "c" {
		t.Errorf("the scan of an editor found %+v", scan.Candidates)
	}
	scan, err = f.ScanText(t.Context(), `{"mcpServers": {`+own+`}}`)
	f.must(err)
	if len(scan.Candidates) != 2 {
		t.Errorf("the scan of a text found %+v", scan.Candidates)
	}
	for _, c := range scan.Candidates {
		if !strings.Contains(c.Problem, "Agent Discover itself") {
			t.Errorf("%s: %q", c.Name, c.Problem)
		}
	}
	if servers, err := f.Parse(t.Context(), `{"mcpServers": {`+own+`}}`); fault.KindOf(err) != fault.Invalid {
		t.Errorf("the form shows %+v, %v", servers, err)
	}
}
