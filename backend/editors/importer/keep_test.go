package importer_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/secretmigration"
)

func TestWithoutAKeychainCredentialsAreNotStoredUnlessThePersonSaysSo(t *testing.T) {
	f := newFixture(t, true)
	file := f.write(".cursor/mcp.json",
		`{"mcpServers": {"a": {"command": "npx", "args": ["a"], "env": {"API_KEY": "battery-staple"}}, "b": {"command": "npx", "args": ["b"]}}}`)
	before := f.read(file)
	dry, err := f.Import(t.Context(), importer.Request{RemoveEntries: true}, true)
	f.must(err)
	report := f.run(importer.Request{RemoveEntries: true})
	for what, got := range map[string]importer.Report{"dry run": dry, "import": report} {
		equal(t, what, sorted(results(got)), "a failed", "b imported")
		at := slices.IndexFunc(got.Servers, func(r importer.Result) bool { return r.Name == "a" })
		problem := got.Servers[at].Problem
		if !strings.Contains(problem, "secrets unlock") || !strings.Contains(problem, "--plain-text") ||
			!strings.Contains(problem, "env.API_KEY") || strings.Contains(problem, "staple") {
			t.Errorf("%s: the problem is %s", what, problem)
		}
		if len(got.Removed) != 1 || !slices.Equal(got.Removed[0].Entries, []string{"b"}) {
			t.Errorf("%s: removals: %+v", what, got.Removed)
		}
	}
	equal(t, "servers", f.servers(), "b")
	if text := f.read(file); text == before || !strings.Contains(text, "battery-staple") {
		t.Errorf("the file is %s", text)
	}

	q := importer.Request{RemoveEntries: true, PlainText: true}
	dry, err = f.Import(t.Context(), q, true)
	f.must(err)
	for what, got := range map[string]importer.Report{"dry run": dry, "import": f.run(q)} {
		a := got.Servers[0]
		equal(t, what, results(got)[:1], "a imported")
		equal(t, "kept in "+what, a.Kept, "env.API_KEY")
		if !strings.Contains(a.Problem, "readable") || !strings.Contains(a.Problem, "secrets unlock") ||
			strings.Contains(a.Problem, "staple") {
			t.Errorf("%s: the problem is %s", what, a.Problem)
		}
	}
	if got := f.server("a").Env["API_KEY"]; got != "battery-staple" || strings.Contains(f.read(file), "staple") {
		t.Errorf("API_KEY is %q, the file %s", got, f.read(file))
	}
}

// stuck is a migrator that cannot store anything, like a keychain whose prompt
// the user dismissed.
type stuck struct{ *secretmigration.Migrator }

func (stuck) Migrate(_ context.Context, servers []string, _ bool) ([]secretmigration.Move, error) {
	return []secretmigration.Move{
		{
			Server: servers[0], Where: "env.API_KEY", Name: "API_KEY", Action: secretmigration.NotMoved,
			Error: "the keychain was not unlocked",
		},
	}, nil
}

func TestAServerWhoseCredentialsCannotBeStoredIsNotLeftBehind(t *testing.T) {
	f := newFixture(t, false)
	f.write(".cursor/mcp.json", `{"mcpServers": {"a": {"command": "npx", "args": ["a"], "env": {"API_KEY": "battery-staple"}}}}`)
	options := f.options
	f.intake.Migrator = stuck{secretmigration.New(f.registry, f.vault)}
	options.Intake = intake.New(f.intake)
	f.Importer = importer.New(options)
	report := f.run(importer.Request{RemoveEntries: true})
	equal(t, "results", results(report), "a failed")
	if problem := report.Servers[0].Problem; !strings.Contains(problem, "the keychain was not unlocked") || len(report.Removed) > 0 {
		t.Errorf("the problem is %s, removals: %+v", problem, report.Removed)
	}
	equal(t, "servers", f.servers())
}
