package importer_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

func TestServersComeInWithTheirCredentialsInTheKeychain(t *testing.T) {
	d := newDesk(t, false)
	file := d.write(".cursor/mcp.json", `{"mcpServers": {
		"files": {"command": "npx", "args": ["-y", "@x/files", "--token", "correct-horse"], "env": {"API_KEY": "battery-staple", "MODE": "fast"}},
		"off": {"command": "npx", "args": ["off"], "disabled": true},
		"docs": {"url": "https://h/mcp", "headers": {"Authorization": "Bearer correct-horse"}},
		"broken": {"args": []}}}`)
	before := d.read(file)
	dry, err := d.Import(t.Context(), importer.Request{TakeOut: true}, true)
	d.must(err)
	is(t, "it would be", sorted(arrivals(dry)), "docs imported headers.Authorization", "files imported env.API_KEY,args[3]", "off imported")
	if len(d.servers()) > 0 || d.read(file) != before || !dry.DryRun || len(dry.Taken) != 1 || len(dry.Taken[0].Entries) != 3 || dry.Taken[0].Change != "" {
		t.Errorf("a dry run left %v, %+v", d.servers(), dry.Taken)
	}

	report := d.bring(importer.Request{})
	is(t, "it is", sorted(arrivals(report)), "docs imported headers.Authorization", "files imported env.API_KEY,args[3]", "off imported")
	if len(report.Taken) > 0 || d.read(file) != before {
		t.Errorf("something was taken out: %+v", report.Taken)
	}
	files := d.server("files")
	if text := fmt.Sprint(files); strings.Contains(text, "horse") || strings.Contains(text, "staple") || files.Source != "editor:cursor" || !files.Approved || files.Enabled || files.Env["MODE"] != "fast" {
		t.Errorf("it is %s", text)
	}
	filled, err := d.vault.Fill(t.Context(), files.Name, upstream.LaunchOf(files))
	if err != nil || filled.Args[3] != "correct-horse" || filled.Env["API_KEY"] != "battery-staple" {
		t.Errorf("a start gets %v %v, %v", filled.Args, filled.Env, err)
	}
	if docs := d.server("docs"); docs.Transport != "streamable-http" || docs.URL != "https://h/mcp" || docs.Headers["Authorization"] == "" || strings.Contains(fmt.Sprint(docs), "horse") {
		t.Errorf("it is %+v", docs)
	}
	if off := d.server("off"); off.Enabled || off.KeepRunning {
		t.Errorf("it is %+v", off)
	}
	is(t, "again", arrivals(d.bring(importer.Request{})))
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

func TestOnlyWhatIsChosenComesIn(t *testing.T) {
	d := newDesk(t, false)
	d.add(registry.Server{Name: "taken", Command: "x"})
	d.write(".cursor/mcp.json", `{"mcpServers": {
		"a": {"command": "npx", "args": ["a"]}, "b": {"command": "npx", "args": ["b"]}, "c": {"command": "npx", "args": ["c"]},
		"d": {"command": "npx", "args": ["d"]}, "e": {"command": "npx", "args": ["e"]}, "f": {"command": "${input:x}"}, "g": {"command": "npx", "args": ["g"]}}}`)
	scan := d.scan()
	id := func(name string) string { return candidate(t, scan, name).ID }
	q := importer.Request{Choices: []importer.Choice{
		{ID: id("a"), Name: "renamed"}, {ID: id("a")}, {ID: id("b"), Name: "taken"}, {ID: id("c"), Name: "a__b"}, {ID: id("d"), Name: "discover"}, {ID: id("f")}, {ID: "none"}, {ID: id("g"), Name: "renamed"},
	}}
	want := []string{"renamed imported", "taken failed", "a__b failed", "discover failed", "f failed", "failed", "renamed failed"}
	dry, err := d.Import(t.Context(), q, true)
	d.must(err)
	is(t, "dry", arrivals(dry), want...)
	report := d.bring(q)
	is(t, "arrivals", arrivals(report), want...)
	is(t, "servers", d.servers(), "renamed", "taken")
	for _, a := range report.Servers[1:] {
		if a.Problem == "" || strings.Contains(a.Problem, "internal") {
			t.Errorf("%s has the problem %q", a.Name, a.Problem)
		}
	}
	is(t, "again", arrivals(d.bring(importer.Request{Choices: []importer.Choice{{ID: id("a")}}})), "renamed here")
}

func TestWithoutAKeychainCredentialsStayAndThatIsSaid(t *testing.T) {
	d := newDesk(t, true)
	d.write(".cursor/mcp.json", `{"mcpServers": {"a": {"command": "npx", "args": ["a"], "env": {"API_KEY": "battery-staple"}}}}`)
	report := d.bring(importer.Request{TakeOut: true})
	is(t, "arrivals", arrivals(report), "a imported")
	a := report.Servers[0]
	is(t, "kept", a.Kept, "env.API_KEY")
	if !strings.Contains(a.Problem, "plain text") || !strings.Contains(a.Problem, "secrets unlock") || !strings.Contains(a.Problem, "secrets migrate") || strings.Contains(a.Problem, "staple") {
		t.Errorf("its problem is %s", a.Problem)
	}
	if got := d.server("a").Env["API_KEY"]; got != "battery-staple" {
		t.Errorf("its key is %q", got)
	}
	if len(report.Taken) != 1 || report.Taken[0].Change == "" { // the registry has all of it
		t.Errorf("taken out: %+v", report.Taken)
	}
}

func TestEntriesLeaveAllEditorsInOneChangeAFile(t *testing.T) {
	d := newDesk(t, false)
	d.add(registry.Server{Name: "old", Command: "uvx", Args: []string{"old"}})
	cursor := d.write(".cursor/mcp.json", `{"mcpServers": {
		"a": {"command": "npx", "args": ["a"], "env": {"API_KEY": "battery-staple"}}, "old": {"command": "uvx", "args": ["old"]}, "bad": {"args": []}}}`)
	codex := d.write(".codex/config.toml", "# mine\n[mcp_servers.alpha]\ncommand = \"npx\"\nargs = [\"a\"]\n\n[mcp_servers.discover]\ncommand = \"/opt/agent-discover\"\nargs = [\"mcp\"]\n")
	claude := d.write(".claude.json", `{"mcpServers": {}, "projects": {"/p": {"mcpServers": {"a": {"command": "npx", "args": ["a"]}}}}}`)
	project := d.read(claude)

	report := d.bring(importer.Request{TakeOut: true})
	is(t, "arrivals", sorted(arrivals(report)), "a imported env.API_KEY", "old here")
	is(t, "changes", sorted(d.out), "codex config.toml [alpha]", "cursor mcp.json [a old]")
	for _, taken := range report.Taken {
		if taken.Change == "" || taken.Problem != "" {
			t.Errorf("taken out: %+v", taken)
		}
	}
	if text := d.read(cursor); strings.Contains(text, "staple") || !strings.Contains(text, `"bad"`) {
		t.Errorf("cursor has %s", text)
	}
	if text := d.read(codex); strings.Contains(text, "alpha") || !strings.Contains(text, "mcp_servers.discover") {
		t.Errorf("codex has %s", text)
	}
	if d.read(claude) != project {
		t.Errorf("a file beside was written: %s", d.read(claude))
	}
	if len(d.bring(importer.Request{TakeOut: true}).Taken) > 0 {
		t.Error("what is out was taken out again")
	}
}

func TestAnEntryStaysUntilTheServerHereDoesAllThatItDoes(t *testing.T) {
	d := newDesk(t, false)
	d.add(registry.Server{Name: "poor", Command: "npx", Args: []string{"poor"}})
	if _, err := d.Registry.Add(t.Context(), registry.Server{Name: "waits", Command: "npx", Args: []string{"waits"}}); err != nil {
		t.Fatal(err)
	}
	file := d.write(".cursor/mcp.json", `{"mcpServers": {"poor": {"command": "npx", "args": ["poor"], "env": {"API_KEY": "battery-staple"}}, "waits": {"command": "npx", "args": ["waits"]}}}`)
	before := d.read(file)
	report := d.bring(importer.Request{TakeOut: true})
	is(t, "arrivals", sorted(arrivals(report)), "poor here", "waits here")
	problems := []string{}
	for _, taken := range report.Taken {
		if taken.Change != "" {
			t.Errorf("taken out: %+v", taken)
		}
		problems = append(problems, taken.Problem)
	}
	is(t, "problems", sorted(problems), "it stays there: the server poor is here, but without API_KEY", "the server waits here waits for approval; nothing was taken out")
	if d.read(file) != before || len(d.out) > 0 {
		t.Errorf("the file is %s", d.read(file))
	}
}

func TestWorkingFoldersTellEntriesApartAndKeepThemWhereTheyAre(t *testing.T) {
	d := newDesk(t, false)
	file := d.write(".cursor/mcp.json", `{"mcpServers": {
		"a": {"command": "npx", "args": ["x"], "cwd": "/one"}, "b": {"command": "npx", "args": ["x"], "cwd": "/two"}, "c": {"command": "npx", "args": ["c"], "cwd": "`+filepath.ToSlash(d.home)+`"}}}`)
	is(t, "arrivals", sorted(arrivals(d.bring(importer.Request{}))), "a imported", "b imported", "c imported")
	report := d.bring(importer.Request{TakeOut: true})
	is(t, "taken out", d.out, "cursor mcp.json [c]")
	if len(report.Taken) != 3 || !strings.Contains(report.Taken[0].Problem, "but it starts in your home folder") || !strings.Contains(d.read(file), "/two") {
		t.Errorf("taken out: %+v", report.Taken)
	}
}

func TestAFailureKeepsNoOtherFileFromBeingChanged(t *testing.T) {
	d := newDesk(t, false)
	d.write(".cursor/mcp.json", `{"mcpServers": {"a": {"command": "npx", "args": ["a"]}}}`)
	d.write(".kiro/settings/mcp.json", `{"mcpServers": {"b": {"command": "npx", "args": ["b"]}}}`)
	d.TakeOut = nil
	report := d.bring(importer.Request{TakeOut: true})
	if len(report.Taken) != 2 || report.Taken[0].Problem == "" || report.Taken[1].Problem == "" || len(d.servers()) != 2 {
		t.Errorf("taken out: %+v", report.Taken)
	}
}

func TestHundredsOfServersComeIn(t *testing.T) {
	d := newDesk(t, false)
	for _, path := range []string{".cursor/mcp.json", ".kiro/settings/mcp.json", ".lmstudio/mcp.json"} {
		entries := map[string]any{}
		for n := range 150 {
			entries[fmt.Sprint("server-", n)] = map[string]any{"command": "npx", "args": []string{"-y", fmt.Sprint("@x/p", n)}, "env": map[string]string{"MODE": fmt.Sprint(n)}}
		}
		text, err := json.Marshal(map[string]any{"mcpServers": entries})
		d.must(err)
		d.write(path, string(text))
	}
	report := d.bring(importer.Request{TakeOut: true})
	if len(report.Servers) != 150 || len(d.servers()) != 150 || len(report.Taken) != 3 || len(d.scan().Candidates) > 0 {
		t.Errorf("%d came in, %d are here, %d files changed", len(report.Servers), len(d.servers()), len(report.Taken))
	}
	for _, a := range report.Servers {
		if a.Status != importer.Imported {
			t.Errorf("%+v", a)
		}
	}
}

func TestAPastedTextComesIn(t *testing.T) {
	d := newDesk(t, false)
	report := d.bring(importer.Request{Text: "claude mcp add github --env TOKEN=" + token + " -- npx -y @x/github"})
	is(t, "arrivals", arrivals(report), "github imported env.TOKEN")
	if s := d.server("github"); s.Source != "pasted" || s.Env["TOKEN"] != "${secret:TOKEN}" {
		t.Errorf("it is %+v", s)
	}
	if _, err := d.Import(t.Context(), importer.Request{Text: "x", Bundle: "/y"}, false); fault.KindOf(err) != fault.Invalid {
		t.Errorf("both: %v", err)
	}
}

func TestServersAreWrittenAsAnEditorSpellsThem(t *testing.T) {
	d := newDesk(t, false)
	d.add(registry.Server{Name: "files", Command: "npx", Args: []string{"-y", "@x/files", "--token", "correct-horse", "--password=battery-staple"}, Env: map[string]string{"API_KEY": "${secret:API_KEY}"}})
	d.add(registry.Server{Name: "docs", Transport: "streamable-http", URL: "https://me:pass-word@h/mcp?token=query-value", Headers: map[string]string{"Authorization": "Bearer " + token}})
	d.add(registry.Server{Name: "empty"})
	if _, err := d.Registry.Add(t.Context(), registry.Server{Name: "waits", Command: "x"}); err != nil {
		t.Fatal(err)
	}
	for editor, want := range map[string][]string{
		"cursor":         {`"mcpServers": {`, `"files": {`, `"url": "https://me:${URL_PASSWORD}@h/mcp?token=${URL_TOKEN}"`, `"API_KEY": "${secret:API_KEY}"`, `"${TOKEN}"`, `"--password=${PASSWORD}"`},
		"codex":          {"[mcp_servers.files]", "[mcp_servers.docs]", "http_headers"},
		"goose":          {"extensions:", "  files:", "cmd: npx", "uri: "},
		"claude-desktop": {`"files": {`},
	} {
		out, err := d.Export(t.Context(), editor, nil)
		d.must(err)
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
			t.Errorf("%s has them in another order:\n%s", editor, out.Text)
		}
		left := strings.Join(out.Left, "\n")
		for _, part := range []string{"empty: it has neither", "waits: it waits for approval", "files: args[3] holds a credential", "files: its secrets stand as references"} {
			if !strings.Contains(left, part) {
				t.Errorf("%s does not say %q: %s", editor, part, left)
			}
		}
		if editor == "claude-desktop" != strings.Contains(left, "docs: this editor") {
			t.Errorf("%s left %s", editor, left)
		}
		if !filepath.IsAbs(out.Path) {
			t.Errorf("%s goes to %s", editor, out.Path)
		}
	}
	one, err := d.Export(t.Context(), "cursor", []string{"files", "files"})
	if err != nil || strings.Contains(one.Text, "docs") || strings.Count(one.Text, `"files"`) != 1 {
		t.Errorf("one is %s, %v", one.Text, err)
	}
	if s := d.server("files"); s.Args[3] != "correct-horse" {
		t.Errorf("an export has changed the registry: %v", s.Args)
	}
	for _, args := range [][]string{{"nobody"}, {"cursor", "none"}} {
		if _, err := d.Export(t.Context(), args[0], args[1:]); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%v: %v", args, err)
		}
	}
}
