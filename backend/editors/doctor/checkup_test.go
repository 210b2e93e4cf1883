package doctor_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
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
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/store"
)

const entryTokens = 100

// room is a home with editors, and all that a checkup looks at.
type room struct {
	*doctor.Checkup
	t       *testing.T
	home    string
	bin     string
	program string // that our entry starts
	tools   *catalog.Catalog
	servers *registry.Registry
	listed  []string
}

func newRoom(t *testing.T) *room {
	t.Helper()
	r := &room{t: t, home: t.TempDir(), bin: t.TempDir()}
	r.executable("npx")
	r.program = r.executable("agent-discover")
	folder, bus, log := paths.Folder(t.TempDir()), &events.Bus{}, slog.New(slog.DiscardHandler)
	db, err := store.Open(t.Context(), folder.Database())
	r.must(err)
	t.Cleanup(func() { _ = db.Close() })
	r.servers, err = registry.Open(t.Context(), db, bus)
	r.must(err)
	r.tools, err = catalog.Open(t.Context(), db, bus, log)
	r.must(err)
	vault := secrets.NewVault(secrets.Options{Store: db, Bus: bus, Folder: folder, NoKeychain: true, Work: 10})
	registrar := registration.New(registration.Options{
		Machine: r.machine(), Folder: folder.Backups("editors"), Bus: bus, Log: log,
		Entry: table.Server{Transport: "stdio", Command: r.program, Args: []string{"mcp"}},
	})
	installer := lifecycle.New(lifecycle.Options{
		Registry: r.servers, Catalog: r.tools, Vault: vault, Log: log,
		Upstream: upstream.New(upstream.Options{Registry: r.servers, Catalog: r.tools, Bus: bus, Log: log, Children: filepath.Join(t.TempDir(), "children.json")}),
	})
	r.Checkup = doctor.New(doctor.Options{
		Registrar: registrar, Registry: r.servers, Catalog: r.tools,
		Intake: importer.New(importer.Options{Machine: r.machine(), Installer: installer, TakeOut: registrar.TakeOut, Bundles: filepath.Join(string(folder), "bundles")}),
		Entry:  func() int { return entryTokens }, Listed: func() []string { return r.listed },
	})
	return r
}

func (r *room) machine() table.Machine {
	m := table.Here(func(name string) string {
		switch name {
		case "PATH":
			return r.bin
		case "HOME", "USERPROFILE":
			return r.home
		}
		return ""
	})
	m.OS = "linux"
	return m
}

func (r *room) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *room) executable(name string) string {
	path := filepath.Join(r.bin, name)
	r.must(os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700))
	return path
}

func (r *room) write(name, text string) string {
	r.t.Helper()
	path := filepath.Join(r.home, filepath.FromSlash(name))
	r.must(os.MkdirAll(filepath.Dir(path), 0o700))
	r.must(os.WriteFile(path, []byte(text), 0o600))
	return path
}

// server configures one that is known with these tools.
func (r *room) server(name, pkg string, definitions ...string) {
	r.t.Helper()
	_, err := r.servers.Add(r.t.Context(), registry.Server{Name: name, Command: "npx", Args: []string{"-y", pkg}, Approved: true})
	r.must(err)
	raw := make([]json.RawMessage, len(definitions))
	for i, d := range definitions {
		raw[i] = json.RawMessage(d)
	}
	_, err = r.tools.Replace(r.t.Context(), name, raw)
	r.must(err)
}

func (r *room) run() doctor.Report {
	r.t.Helper()
	report, err := r.Run(r.t.Context())
	r.must(err)
	again, err := r.Run(r.t.Context())
	r.must(err)
	if !reflect.DeepEqual(report, again) {
		r.t.Errorf("the same state gave\n%+v\nand\n%+v", report, again)
	}
	for _, f := range report.Findings {
		if f.Text == "" || strings.ContainsAny(f.Text+f.Advice, "\n\x1b") || len(f.Editors) == 0 || f.Subject == "" {
			r.t.Errorf("a finding says %+v", f)
		}
	}
	return report
}

// found are the findings of a kind as lines.
func found(report doctor.Report, kind string) string {
	var lines []string
	for _, f := range report.Findings {
		if f.Kind == kind {
			lines = append(lines, fmt.Sprintf("%s %s: %s %s", f.Level, strings.Join(f.Editors, ","), f.Text, f.Advice))
		}
	}
	return strings.Join(lines, "\n")
}

// entry is an editor's entry that npx starts.
func entry(name, pkg string) string {
	return fmt.Sprintf(`%q:{"command":"npx","args":["-y",%q]}`, name, pkg)
}

func (r *room) ours() string {
	return fmt.Sprintf(`"discover":{"command":%q,"args":["mcp"]}`, r.program)
}

const plain = `{"name":"open","description":"Opens a page.","inputSchema":{"type":"object","properties":{"url":{"type":"string"}}}}`

func TestCostsOfAnEditorAreThoseOfItsOwnServersAndOfOurs(t *testing.T) {
	r := newRoom(t)
	r.server("play", "@x/play", plain, strings.Replace(plain, "open", "shut", 1))
	r.server("quiet", "@x/quiet", plain)
	each := tokens.Count(plain)
	r.must(r.count())
	r.write(".cursor/mcp.json", `{"mcpServers":{`+entry("play", "@x/play")+`,`+entry("unknown", "@x/unknown")+`,"off":{"command":"npx","args":["-y","@x/quiet"],"disabled":true}}}`)
	r.write(".gemini/settings.json", `{"mcpServers":{`+r.ours()+`}}`)
	report := r.run()
	if report.Costs == nil {
		t.Fatal("no costs")
	}
	costs := make(map[string]doctor.Cost)
	for _, c := range report.Costs {
		costs[c.Editor] = c
	}
	both := tokens.Count(plain) + tokens.Count(strings.Replace(plain, "open", "shut", 1))
	if got, want := costs["cursor"], (doctor.Cost{Editor: "cursor", Name: "Cursor", Servers: 2, Known: 1, Tools: 2, Today: both, Through: entryTokens}); got != want {
		t.Errorf("cursor costs %+v, want %+v", got, want)
	}
	if got, want := costs["gemini-cli"], (doctor.Cost{Editor: "gemini-cli", Name: "Gemini CLI", Today: entryTokens, Through: entryTokens}); got != want {
		t.Errorf("gemini costs %+v, want %+v", got, want)
	}
	r.listed = []string{"quiet__open"}
	for _, c := range r.run().Costs {
		today := map[string]int{"cursor": both, "gemini-cli": entryTokens + each}
		if c.Through != entryTokens+each || c.Today != today[c.Editor] {
			t.Errorf("with a listed tool: %+v", c)
		}
	}
}

// count counts the tokens of all tools, which the hub does in the background.
func (r *room) count() error {
	ctx, done := contextUntil(r.t, func() bool {
		return !slices.ContainsFunc(r.tools.Snapshot().Tools, func(t *catalog.Tool) bool { return t.Tokens == 0 })
	})
	defer done()
	return r.tools.Run(ctx)
}

func TestAServerOfSeveralEditorsIsFoundOnce(t *testing.T) {
	r := newRoom(t)
	r.write(".cursor/mcp.json", `{"mcpServers":{`+entry("play", "@x/play")+`}}`)
	r.write(".gemini/settings.json", `{"mcpServers":{`+entry("browser", "@x/play")+`,"far":{"httpUrl":"https://example.org/mcp"}}}`)
	r.write(".claude.json", `{"mcpServers":{`+entry("play", "@x/play")+`,"far":{"type":"http","url":"https://example.org/mcp"}},"projects":{"/p":{"mcpServers":{`+entry("other", "@x/other")+`}}}}`)
	r.write(".claude/settings.json", `{}`)
	report := r.run()
	const want = "warning claude-code,cursor,gemini-cli: Claude Code, Cursor and Gemini CLI start play, each a process of its own. " +
		"Let it run once for all: `agent-discover editors import claude-code cursor gemini-cli --server play --take-out`."
	if got := found(report, doctor.Duplicate); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if c := report.Costs[0]; c.Editor != "claude-code" || c.Servers != 2 {
		t.Errorf("servers of projects count: %+v", c)
	}
}

func TestLimitsAreToldForWhatAnEditorLoadsAndForWhatComesThroughUs(t *testing.T) {
	r := newRoom(t)
	long := strings.Repeat("n", 50)
	definitions := []string{
		`{"name":"` + long + `"}`, `{"name":"odd","inputSchema":{"type":"object","properties":{"filter[id]":{"type":"string"},"n":{"const":1}}}}`, plain,
		`{"name":"usual","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"n":{"type":"integer","default":3}},"additionalProperties":false}}`,
	}
	for i := range 37 {
		definitions = append(definitions, strings.Replace(plain, "open", fmt.Sprint("open", i), 1))
	}
	r.server("much", "@x/much", definitions...)
	own := entry("much-and-more", "@x/much")
	r.write(".cursor/mcp.json", `{"mcpServers":{`+own+`}}`)
	r.write(".gemini/settings.json", `{"mcpServers":{`+own+`}}`)
	r.write(".claude.json", `{"mcpServers":{`+own+`}}`)
	r.write(".claude/settings.json", `{}`)
	report := r.run()
	advice := func(id string) string {
		return "Let it come through us: `agent-discover editors import " + id + " --server much --take-out`."
	}
	if got, want := found(report, doctor.NameLimit), "warning claude-code: 1 tool of much-and-more has a name that is too long for Claude Code, which leaves it out: "+long+". "+advice("claude-code")+
		"\nwarning cursor: 1 tool of much-and-more has a name that is too long for Cursor, which leaves it out: "+long+". "+advice("cursor")+
		"\nwarning gemini-cli: 1 tool of much-and-more has a name that is too long for Gemini CLI, which leaves it out: "+long+". "+advice("gemini-cli"); got != want {
		t.Errorf("names: got\n%s\nwant\n%s", got, want)
	}
	if got, want := found(report, doctor.Schema), "warning claude-code: 1 tool of much-and-more in Claude Code has arguments that Claude models may refuse, and all other tools with it: odd. "+advice("claude-code")+
		"\nwarning gemini-cli: 1 tool of much-and-more in Gemini CLI has arguments that Gemini models may refuse, and all other tools with it: odd. "+advice("gemini-cli"); got != want {
		t.Errorf("schemas: got\n%s\nwant\n%s", got, want)
	}
	if got, want := found(report, doctor.ToolCap), "warning cursor: Cursor loads at least 41 tools and takes about 40; it leaves the others out, or gets slow. Let them come through us: `agent-discover editors import cursor --take-out`."; got != want {
		t.Errorf("counts: got\n%s\nwant\n%s", got, want)
	}
	r.write(".cursor/mcp.json", `{"mcpServers":{`+r.ours()+`}}`)
	r.write(".gemini/settings.json", `{"mcpServers":{`+r.ours()+`}}`)
	r.write(".claude.json", `{"mcpServers":{}}`)
	report = r.run()
	if got, want := found(report, doctor.NameLimit), "note cursor: 1 tool behind our entry has a name that is too long for Cursor; it is shown it under a short one: "+long+". "+
		"\nnote gemini-cli: 1 tool behind our entry has a name that is too long for Gemini CLI; it is shown it under a short one: "+long+". "; got != want {
		t.Errorf("names through us: got\n%s\nwant\n%s", got, want)
	}
	if got, want := found(report, doctor.Schema), "note gemini-cli: 1 tool behind our entry has arguments that Gemini models may refuse; it is adapted when it comes through us: odd. "; got != want {
		t.Errorf("schemas through us: got\n%s\nwant\n%s", got, want)
	}
	if got := found(report, doctor.ToolCap); got != "" {
		t.Errorf("our one tool is too many: %s", got)
	}
	for _, tool := range r.tools.Snapshot().Of("much") {
		r.listed = append(r.listed, tool.Proxied())
	}
	if got, want := found(r.run(), doctor.ToolCap), "warning cursor: Our entry lists 42 tools, and Cursor takes about 40. Take servers out of the lists, their tools are still found: `agent-discover servers deactivate NAME`."; got != want {
		t.Errorf("counts through us: got\n%s\nwant\n%s", got, want)
	}
}

func TestWhatIsWrongWithAnEntryIsTold(t *testing.T) {
	r := newRoom(t)
	gone := filepath.Join(r.bin, "gone", "agent-discover")
	cursor := r.write(".cursor/mcp.json", `{"mcpServers":{"discover":{"command":"npx"}}}`)
	gemini := r.write(".gemini/settings.json", fmt.Sprintf(`{"mcpServers":{"discover":{"command":%q,"args":["mcp"]},"lost":{"command":"no-such-\u001b[31mprogram"}}}`, gone))
	broken := r.write(".claude.json", `{"mcpServers":`)
	r.write(".claude/settings.json", `{}`)
	report := r.run()
	for kind, want := range map[string][]string{
		doctor.Stale:      {"problem gemini-cli: Our entry in " + gemini + " starts " + gone, "`agent-discover editors register gemini-cli`"},
		doctor.Foreign:    {"warning cursor: The entry discover in " + cursor + " starts something else", "`agent-discover editors register cursor --replace`"},
		doctor.Unreadable: {"problem claude-code: " + broken},
		doctor.Missing:    {"warning gemini-cli: lost in Gemini CLI starts no-such-\\x1b[31mprogram, which is not on this machine."},
	} {
		got := found(report, kind)
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: %q lacks %q", kind, got, part)
			}
		}
	}
	if got := strings.Count(found(report, doctor.Unreadable), "\n"); got > 0 {
		t.Errorf("one file is told of several times: %s", found(report, doctor.Unreadable))
	}
	levels := make([]string, len(report.Findings))
	for i, f := range report.Findings {
		levels[i] = f.Level
	}
	if !slices.IsSortedFunc(levels, func(a, b string) int {
		order := []string{doctor.Problem, doctor.Warning, doctor.Note}
		return slices.Index(order, a) - slices.Index(order, b)
	}) {
		t.Errorf("the gravest are not first: %v", levels)
	}
}

func TestWhatBecameOfOurEntryIsTold(t *testing.T) {
	r := newRoom(t)
	path := r.write(".gemini/settings.json", `{}`)
	_, err := r.Registrar.Apply(t.Context(), registration.Wish{Action: registration.Register, Editors: []string{"gemini-cli"}, By: "person"})
	r.must(err)
	if got := found(r.run(), doctor.Reload); !strings.HasPrefix(got, "note gemini-cli: Gemini CLI was not here since its file was changed. ") {
		t.Errorf("reload: %q", got)
	}
	r.must(os.WriteFile(path, []byte(`{}`), 0o600))
	if got, want := found(r.run(), doctor.Dropped), "warning gemini-cli: Our entry is no longer in "+path+": somebody, or Gemini CLI itself, took it out. Put it back: `agent-discover editors register gemini-cli`."; got != want {
		t.Errorf("dropped: got\n%s\nwant\n%s", got, want)
	}
}

func TestNothingToTellIsNothing(t *testing.T) {
	report := newRoom(t).run()
	if report.Costs == nil || report.Findings == nil || len(report.Costs)+len(report.Findings) > 0 {
		t.Errorf("got %+v", report)
	}
}
