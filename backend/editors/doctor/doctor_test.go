package doctor_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/editors/doctor"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/corrections"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
	"github.com/agent-discover/agent-discover/backend/store"
)

const entryTokens = 100

// fixture is a home folder with editors, and a doctor that examines it.
type fixture struct {
	t         *testing.T
	doctor    *doctor.Doctor
	registrar *registration.Registrar
	home      string
	bin       string
	program   string // the command of the Agent Discover entry
	tools     *catalog.Catalog
	servers   *registry.Registry
	listed    []string
	takenPort int // the configured port of the hub, which it does not have
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{t: t, home: t.TempDir(), bin: t.TempDir()}
	f.executable("npx")
	f.program = f.executable("agent-discover")
	folder, bus, log := paths.Folder(t.TempDir()), &events.Bus{}, slog.New(slog.DiscardHandler)
	db, err := store.Open(t.Context(), folder.Database())
	f.must(err)
	t.Cleanup(func() { _ = db.Close() })
	f.servers, err = registry.Open(t.Context(), db.Servers, bus)
	f.must(err)
	f.tools, err = catalog.Open(t.Context(), db.Tools, bus, log)
	f.must(err)
	vault := vault.New(vault.Options{Store: db.Secrets, Bus: bus, Folder: folder, NoKeychain: true, Work: 10})
	f.registrar = registration.New(registration.Options{
		Machine: f.machine(), Folder: folder.Backups("editors"), Bus: bus, Log: log,
		Entry: table.Server{Transport: "stdio", Command: f.program, Args: []string{"mcp"}},
	})
	processes := upstream.New(upstream.Options{
		Registry: f.servers, Catalog: f.tools, Bus: bus, Log: log, Children: filepath.Join(t.TempDir(), "children.json"),
	})
	manager := lifecycle.New(lifecycle.Options{Registry: f.servers, Catalog: f.tools, Vault: vault, Log: log, Processes: processes})
	lists, err := features.Open(t.Context(), db.Features, bus)
	f.must(err)
	f.doctor = doctor.New(doctor.Options{
		Machine: f.machine(), Editors: f.registrar, Servers: f.servers, Tools: f.tools,
		Importer: importer.New(importer.Options{
			Machine: f.machine(), Registry: f.servers,
			Intake: intake.New(intake.Options{
				Registry: f.servers, Vault: vault, Remove: manager.Remove, Ports: func() []int { return []int{40200, f.takenPort} },
			}),
			Vault: vault, RemoveEntries: f.registrar.TakeOut, Bundles: filepath.Join(string(folder), "bundles"),
		}),
		Corrections: corrections.Reader{Tools: f.tools, Features: lists, Running: processes}.Of,
		TakenPort:   func() int { return f.takenPort },
		ShownTokens: f.shownTokens, Listed: func() []string { return f.listed },
	})
	return f
}

func (f *fixture) machine() table.Machine {
	m := table.Here(func(name string) string {
		switch name {
		case "PATH":
			return f.bin
		case "HOME", "USERPROFILE":
			return f.home
		}
		return ""
	})
	if runtime.GOOS != "windows" {
		m.OS = "linux"
	}
	return m
}

func (f *fixture) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) executable(name string) string {
	path := filepath.Join(f.bin, name)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	f.must(os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700))
	return path
}

func (f *fixture) write(name, text string) string {
	f.t.Helper()
	path := filepath.Join(f.home, filepath.FromSlash(name))
	f.must(os.MkdirAll(filepath.Dir(path), 0o700))
	f.must(os.WriteFile(path, []byte(text), 0o600))
	return path
}

// server configures a server in Agent Discover and stores its tools.
func (f *fixture) server(name, pkg string, definitions ...string) {
	f.t.Helper()
	_, err := f.servers.Add(f.t.Context(), registry.Server{Name: name, Command: "npx", Args: []string{"-y", pkg}, Approved: true})
	f.must(err)
	raw := make([]json.RawMessage, len(definitions))
	for i, d := range definitions {
		raw[i] = json.RawMessage(d)
	}
	_, err = f.tools.Replace(f.t.Context(), name, raw)
	f.must(err)
}

func (f *fixture) run() doctor.Report {
	f.t.Helper()
	report, err := f.doctor.Run(f.t.Context())
	f.must(err)
	again, err := f.doctor.Run(f.t.Context())
	f.must(err)
	if !reflect.DeepEqual(report, again) {
		f.t.Errorf("two reports on the same state differ:\n%+v\nand\n%+v", report, again)
	}
	for _, found := range report.Findings {
		if found.Text == "" || strings.ContainsAny(found.Text+found.Advice, "\n\x1b") ||
			len(found.Editors) == 0 && found.Kind != doctor.Odd || found.Subject == "" {
			f.t.Errorf("finding %+v: want an editor, a subject, and one line of text without control characters", found)
		}
	}
	return report
}

// findings returns the findings of a kind, one line each.
func findings(report doctor.Report, kind string) string {
	var lines []string
	for _, f := range report.Findings {
		if f.Kind == kind {
			lines = append(lines, fmt.Sprintf("%s %s: %s %s", f.Level, strings.Join(f.Editors, ","), f.Text, f.Advice))
		}
	}
	return strings.Join(lines, "\n")
}

// shownTokens returns the tokens of the hub's own tools and of the tools that every session lists.
func (f *fixture) shownTokens(surface, _ string) int {
	if surface != "meta" && surface != "registry" {
		f.t.Errorf("the tokens of %q are asked for", surface)
	}
	sum := entryTokens
	for _, t := range f.tools.Snapshot().Tools {
		if slices.Contains(f.listed, t.Proxied()) {
			sum += t.Tokens
		}
	}
	return sum
}

// entry returns an entry of an editor that runs a package with npx.
func entry(name, pkg string) string {
	return fmt.Sprintf(`%q:{"command":"npx","args":["-y",%q]}`, name, pkg)
}

// discoverEntry returns the Agent Discover entry as JSON.
func (f *fixture) discoverEntry() string {
	return fmt.Sprintf(`"discover":{"command":%q,"args":["mcp"]}`, f.program)
}

func TestEntriesThatDoNotNameTheirEditorAreReported(t *testing.T) {
	f := newFixture(t)
	path := f.write(".cursor/mcp.json", `{"mcpServers":{`+f.discoverEntry()+`}}`)
	if got, want := findings(f.run(), doctor.Outdated), "note cursor: The Agent Discover entry in "+path+
		" does not say that it is for Cursor, or what Cursor is shown. Update it: `agent-discover editors register cursor`."; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	_, err := f.registrar.Apply(t.Context(), registration.Request{Action: registration.Register, Editors: []string{"cursor"}})
	f.must(err)
	if got := findings(f.run(), doctor.Outdated); got != "" {
		t.Errorf("after the update: %s", got)
	}
}

func TestEntriesWithTheAddressOfAPortThatTheHubDoesNotHaveAreReported(t *testing.T) {
	f := newFixture(t)
	path := f.write(".cursor/mcp.json", `{"mcpServers":{"hub":{"url":"http://localhost:40100/mcp","headers":{"Authorization":"Bearer x"}},
		"other":{"url":"http://127.0.0.1:40101/mcp"},"off":{"url":"http://127.0.0.1:40100/sse","disabled":true}}}`)
	gemini := f.write(".gemini/settings.json", `{"mcpServers":{"discover":{"httpUrl":"http://127.0.0.1:40100/mcp"},
		"now":{"httpUrl":"http://127.0.0.1:40200/mcp"}}}`)
	if got := findings(f.run(), doctor.Port); got != "" {
		t.Errorf("while the hub has its port: %s", got)
	}
	f.takenPort = 40100
	const tail = " connects to port 40100, which the hub does not have. "
	const advice = " Let it start the program instead, which checks the hub before it sends anything: `agent-discover editors register "
	want := "problem cursor: The entry hub in " + path + tail + "Cursor sends the token of the entry to any program that uses this port." +
		advice + "cursor`.\nproblem gemini-cli: The entry discover in " + gemini + tail +
		"Gemini CLI sends the token of the entry to any program that uses this port." + advice + "gemini-cli --replace`."
	if got := findings(f.run(), doctor.Port); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

const plain = `{"name":"open","description":"Opens a page.","inputSchema":{"type":"object","properties":{"url":{"type":"string"}}}}`

func TestCostsCoverTheServersOfAnEditorAndAgentDiscover(t *testing.T) {
	f := newFixture(t)
	f.server("play", "@x/play", plain, strings.Replace(plain, "open", "shut", 1))
	f.server("quiet", "@x/quiet", plain)
	each := tokens.Count(plain)
	f.must(f.countTokens())
	f.write(".cursor/mcp.json", `{"mcpServers":{`+entry("play", "@x/play")+`,`+entry("unknown",
		"@x/unknown")+`,"off":{"command":"npx","args":["-y","@x/quiet"],"disabled":true}}}`)
	f.write(".gemini/settings.json", `{"mcpServers":{`+f.discoverEntry()+`}}`)
	report := f.run()
	if report.Costs == nil {
		t.Fatal("the report has no costs")
	}
	costs := make(map[string]doctor.Cost)
	for _, c := range report.Costs {
		costs[c.Editor] = c
	}
	both := tokens.Count(plain) + tokens.Count(strings.Replace(plain, "open", "shut", 1))
	if got, want := costs["cursor"], (doctor.Cost{
		Editor: "cursor", Name: "Cursor", Servers: 2, Known: 1, Tools: 2, Today: both, Through: entryTokens, Directly: both + each,
		Saved: both + each - entryTokens, Share: tokens.Share(entryTokens),
	}); got != want {
		t.Errorf("costs of Cursor: %+v, want %+v", got, want)
	}
	if got, want := costs["gemini-cli"], (doctor.Cost{
		Editor: "gemini-cli", Name: "Gemini CLI", Today: entryTokens, Through: entryTokens, Directly: both + each,
		Saved: both + each - entryTokens, Share: tokens.Share(entryTokens),
	}); got != want {
		t.Errorf("costs of Gemini CLI: %+v, want %+v", got, want)
	}
	f.listed = []string{"quiet__open"}
	for _, c := range f.run().Costs {
		today := map[string]int{"cursor": both, "gemini-cli": entryTokens + each}
		if c.Through != entryTokens+each || c.Today != today[c.Editor] {
			t.Errorf("with a tool in every session's list, costs are %+v", c)
		}
	}
}

// countTokens counts the tokens of all tools, as the hub does in the background.
func (f *fixture) countTokens() error {
	ctx, done := contextUntil(f.t, func() bool {
		return !slices.ContainsFunc(f.tools.Snapshot().Tools, func(t *catalog.Tool) bool { return t.Tokens == 0 })
	})
	defer done()
	return f.tools.Run(ctx)
}

func TestServersThatSeveralEditorsStartAreReportedOnce(t *testing.T) {
	f := newFixture(t)
	f.write(".cursor/mcp.json", `{"mcpServers":{`+entry("play", "@x/play")+`}}`)
	f.write(".gemini/settings.json", `{"mcpServers":{`+entry("browser", "@x/play")+`,"far":{"httpUrl":"https://example.org/mcp"}}}`)
	f.write(".claude.json", `{"mcpServers":{`+entry("play", "@x/play")+
		`,"far":{"type":"http","url":"https://example.org/mcp"}},"projects":{"/p":{"mcpServers":{`+entry("other", "@x/other")+`}}}}`)
	f.write(".claude/settings.json", `{}`)
	report := f.run()
	const want = "warning claude-code,cursor,gemini-cli: Claude Code, Cursor and Gemini CLI each start their own process of play. " +
		"Run it once for all of them: `agent-discover editors import claude-code cursor gemini-cli --server play --take-out`."
	if got := findings(report, doctor.Duplicate); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if c := report.Costs[0]; c.Editor != "claude-code" || c.Servers != 2 {
		t.Errorf("costs of Claude Code: %+v, want the servers of the user without those of projects", c)
	}
}

func TestAServerThatAnEditorAlsoReachesThroughTheHubIsReported(t *testing.T) {
	f := newFixture(t)
	f.server("play", "@x/play", plain)
	f.write(".cursor/mcp.json", `{"mcpServers":{`+f.discoverEntry()+","+entry("playwright", "@x/play")+`}}`)
	f.write(".gemini/settings.json", `{"mcpServers":{`+entry("other", "@x/other")+`}}`)
	const want = "warning cursor: Cursor uses playwright directly and also reaches it through Agent Discover, so that its tools are " +
		"there twice. Remove it from the editor: `agent-discover editors import cursor --server play --take-out`."
	if got := findings(f.run(), doctor.Duplicate); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	f.write(".gemini/settings.json", `{"mcpServers":{`+f.discoverEntry()+","+entry("other", "@x/play")+`}}`)
	if got := findings(f.run(), doctor.Duplicate); !strings.HasPrefix(got, "warning cursor,gemini-cli: Cursor and Gemini CLI each use ") {
		t.Errorf("two editors: %s", got)
	}
	f.write(".gemini/settings.json", `{}`)
	f.write(".cursor/mcp.json", `{"mcpServers":{`+entry("playwright", "@x/play")+`}}`)
	if got := findings(f.run(), doctor.Duplicate); got != "" {
		t.Errorf("without the entry of Agent Discover: %s", got)
	}
	if _, err := f.servers.Add(t.Context(), registry.Server{
		Name: "far", Transport: "streamable-http", URL: "https://example.org/mcp", Approved: true,
	}); err != nil {
		t.Fatal(err)
	}
	f.write(".cursor/mcp.json", `{"mcpServers":{`+f.discoverEntry()+`,"far":{"url":"https://example.org/mcp"}}}`)
	if got := findings(f.run(), doctor.Duplicate); !strings.Contains(got, "Cursor uses far directly and also reaches it") {
		t.Errorf("a remote server: %s", got)
	}
}

func TestLimitsCoverDirectAndProxiedTools(t *testing.T) {
	f := newFixture(t)
	long := strings.Repeat("n", 50)
	definitions := []string{
		`{"name":"` + long + `"}`,
		`{"name":"odd","inputSchema":{"type":"object","properties":{"filter[id]":{"type":"string"},"n":{"const":1}}}}`, plain,
		`{"name":"usual","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"n":{"type":"integer","default":3}},"additionalProperties":false}}`,
	}
	for i := range 37 {
		definitions = append(definitions, strings.Replace(plain, "open", fmt.Sprint("open", i), 1))
	}
	f.server("much", "@x/much", definitions...)
	own := entry("much-and-more", "@x/much")
	f.write(".cursor/mcp.json", `{"mcpServers":{`+own+`}}`)
	f.write(".gemini/settings.json", `{"mcpServers":{`+own+`}}`)
	f.write(".claude.json", `{"mcpServers":{`+own+`}}`)
	f.write(".claude/settings.json", `{}`)
	report := f.run()
	advice := func(id string) string {
		return "Move it to Agent Discover: `agent-discover editors import " + id + " --server much --take-out`."
	}
	if got, want := findings(report, doctor.NameLimit),
		"warning claude-code: 1 tool of much-and-more has a name that is too long for Claude Code, which leaves it out: "+long+". "+
			advice("claude-code")+
			"\nwarning cursor: 1 tool of much-and-more has a name that is too long for Cursor, which leaves it out: "+long+". "+
			advice("cursor")+
			"\nwarning gemini-cli: 1 tool of much-and-more has a name that is too long for Gemini CLI, which leaves it out: "+long+". "+
			advice("gemini-cli"); got != want {
		t.Errorf("names of direct tools: got\n%s\nwant\n%s", got, want)
	}
	if got, want := findings(report, doctor.Schema),
		"warning claude-code: 1 tool of much-and-more in Claude Code has arguments that Claude models may refuse, together with all "+
			"other tools: odd. "+advice("claude-code")+
			"\nwarning gemini-cli: 1 tool of much-and-more in Gemini CLI has arguments that Gemini models may refuse, together with all "+
			"other tools: odd. "+advice("gemini-cli"); got != want {
		t.Errorf("schemas of direct tools: got\n%s\nwant\n%s", got, want)
	}
	if got, want := findings(report, doctor.ToolCap),
		"warning cursor: Cursor loads at least 41 tools but accepts about 40; it ignores the others or gets slow. Move its servers to "+
			"Agent Discover: `agent-discover editors import cursor --take-out`."; got != want {
		t.Errorf("count of direct tools: got\n%s\nwant\n%s", got, want)
	}
	f.write(".cursor/mcp.json", `{"mcpServers":{`+f.discoverEntry()+`}}`)
	f.write(".gemini/settings.json", `{"mcpServers":{`+f.discoverEntry()+`}}`)
	f.write(".claude.json", `{"mcpServers":{}}`)
	report = f.run()
	if got, want := findings(report, doctor.NameLimit),
		"note cursor: 1 tool offered through Agent Discover has a name that is too long for Cursor and is shown under a shorter one: "+long+
			". "+
			"\nnote gemini-cli: 1 tool offered through Agent Discover has a name that is too long for Gemini CLI and is shown under a "+
			"shorter one: "+long+". "; got != want {
		t.Errorf("names of proxied tools: got\n%s\nwant\n%s", got, want)
	}
	if got, want := findings(report, doctor.Schema),
		"note gemini-cli: 1 tool offered through Agent Discover has arguments that Gemini models may refuse; Agent Discover adapts it "+
			"automatically: odd. "; got != want {
		t.Errorf("schemas of proxied tools: got\n%s\nwant\n%s", got, want)
	}
	if got := findings(report, doctor.ToolCap); got != "" {
		t.Errorf("the single tool of Agent Discover exceeds a limit: %s", got)
	}
	for _, tool := range f.tools.Snapshot().Of("much") {
		f.listed = append(f.listed, tool.Proxied())
	}
	if got, want := findings(f.run(), doctor.ToolCap),
		"warning cursor: Agent Discover lists 42 tools, and Cursor accepts about 40. Remove servers from the tool list; their tools can "+
			"still be found: `agent-discover servers deactivate NAME`."; got != want {
		t.Errorf("count of proxied tools: got\n%s\nwant\n%s", got, want)
	}
}

func TestBrokenEntriesAreReported(t *testing.T) {
	f := newFixture(t)
	gone := filepath.Join(f.bin, "gone", "agent-discover")
	cursor := f.write(".cursor/mcp.json", `{"mcpServers":{"discover":{"command":"npx"}}}`)
	gemini := f.write(".gemini/settings.json",
		fmt.Sprintf(`{"mcpServers":{"discover":{"command":%q,"args":["mcp"]},"lost":{"command":"no-such-\u001b[31mprogram"}}}`, gone))
	broken := f.write(".claude.json", `{"mcpServers":`)
	f.write(".claude/settings.json", `{}`)
	report := f.run()
	for kind, want := range map[string][]string{
		doctor.Stale: {
			"problem gemini-cli: The Agent Discover entry in " + gemini + " starts " + gone + " instead of this program",
			"`agent-discover editors register gemini-cli`",
		},
		doctor.Foreign: {
			"warning cursor: The entry discover in " + cursor + " starts another program. ",
			"`agent-discover editors register cursor --replace`",
		},
		doctor.Unreadable: {"problem claude-code: " + broken},
		doctor.Missing: {
			"warning gemini-cli: lost in Gemini CLI starts no-such-\\x1b[31mprogram, which is not installed on this machine.",
		},
	} {
		got := findings(report, kind)
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: %q lacks %q", kind, got, part)
			}
		}
	}
	if got := strings.Count(findings(report, doctor.Unreadable), "\n"); got > 0 {
		t.Errorf("one file is reported several times: %s", findings(report, doctor.Unreadable))
	}
	levels := make([]string, len(report.Findings))
	for i, f := range report.Findings {
		levels[i] = f.Level
	}
	if !slices.IsSortedFunc(levels, func(a, b string) int {
		order := []string{doctor.Problem, doctor.Warning, doctor.Note}
		return slices.Index(order, a) - slices.Index(order, b)
	}) {
		t.Errorf("the most severe findings are not first: %v", levels)
	}
}

func TestUnreadAndRemovedEntriesAreReported(t *testing.T) {
	f := newFixture(t)
	path := f.write(".gemini/settings.json", `{}`)
	_, err := f.registrar.Apply(t.Context(),
		registration.Request{Action: registration.Register, Editors: []string{"gemini-cli"}, By: "person"})
	f.must(err)
	if got := findings(f.run(), doctor.Reload); !strings.HasPrefix(got,
		"note gemini-cli: Gemini CLI has not connected since its file was changed. ") {
		t.Errorf("reload: %q", got)
	}
	f.must(os.WriteFile(path, []byte(`{}`), 0o600))
	if got, want := findings(f.run(), doctor.Dropped), "warning gemini-cli: The Agent Discover entry is no longer in "+path+
		": another program or Gemini CLI removed it. Add it again: `agent-discover editors register gemini-cli`."; got != want {
		t.Errorf("removed entry: got\n%s\nwant\n%s", got, want)
	}
}

func TestAServerWhoseListClientsWouldRefuseIsReportedOnce(t *testing.T) {
	f := newFixture(t)
	f.server("fine", "@x/fine", `{"name":"a","inputSchema":{"type":"object"}}`)
	f.server("odd", "@x/odd", `{"name":"a","inputSchema":{"type":"object"},"title":null}`, `{"name":"b"}`)
	f.write(".cursor/mcp.json", `{"mcpServers":{}}`)
	f.write(".gemini/settings.json", `{"mcpServers":{}}`)
	const want = "Clients would refuse whole lists because of 2 items of the server odd, and are shown them mended or not at all, " +
		"such as the tool a: title is null; left out. Report this to the authors of the server: `agent-discover servers show odd`."
	if got := findings(f.run(), doctor.Odd); got != "note : "+want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestReportOfMachineWithoutEditorsIsEmpty(t *testing.T) {
	report := newFixture(t).run()
	if report.Costs == nil || report.Findings == nil || len(report.Costs)+len(report.Findings) > 0 {
		t.Errorf("got %+v", report)
	}
}

func TestToolsThatAnEditorDefersAreCountedAsDeferred(t *testing.T) {
	f := newFixture(t)
	f.server("play", "@x/play", plain)
	f.must(f.countTokens())
	f.write(".codex/config.toml", "[mcp_servers.play]\ncommand = \"npx\"\nargs = [\"-y\", \"@x/play\"]\n")
	f.write(".copilot/mcp-config.json", `{"mcpServers":{`+entry("play", "@x/play")+`}}`) // Copilot CLI defers definitions from 31 tools on
	each, name := tokens.Count(plain), tokens.Estimate("mcp__play__open")+1
	want := map[string]int{"codex": each - name, "copilot-cli": 0}
	for _, c := range f.run().Costs {
		if deferred, ok := want[c.Editor]; ok &&
			(c.Deferred != deferred || c.Directly != each-deferred || c.Today != c.Directly || c.Saved != c.Directly-c.Through) {
			t.Errorf("got %+v, want %d deferred", c, deferred)
		}
		delete(want, c.Editor)
	}
	if len(want) > 0 {
		t.Errorf("no costs of %v", want)
	}
}
