package rules

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/testing/catalogtest"
)

// configured returns the policy of a discovery section.
func configured(t testing.TB, section string) *Policy {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte("discovery:\n"+section), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := settings.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{Discovery: s.Discovery, Destroys: func(t *catalog.Tool) bool { return strings.Contains(t.Name, "delete") }})
}

func snapshot(t testing.TB, servers map[string][]json.RawMessage) *catalog.Snapshot {
	return catalogtest.Open(t, new(events.Bus), servers).Snapshot()
}

// named returns definitions that consist of a name only.
func named(tools ...string) (out []json.RawMessage) {
	for _, tool := range tools {
		out = append(out, json.RawMessage(fmt.Sprintf(`{"name":%q}`, tool)))
	}
	return out
}

// office returns the catalog of the tests.
func office(t testing.TB) *catalog.Snapshot {
	return snapshot(t, map[string][]json.RawMessage{
		"github": named("create_issue", "delete_repo", "get_issue", "list_issues"),
		"files":  named("delete_file", "read_file", "write_file"),
		"mail":   named("Read-All", "github_digest", "send_mail"),
	})
}

// usable returns the tools that a client may use.
func usable(p *Policy, client string, in *catalog.Snapshot) []*catalog.Tool {
	v := p.View(client, in)
	return v.Allowed(v.Tools)
}

func names(tools []*catalog.Tool) string {
	var out []string
	for _, t := range tools {
		out = append(out, t.Server+"."+t.Name)
	}
	return strings.Join(out, " ")
}

const all = "files.delete_file files.read_file files.write_file github.create_issue github.delete_repo github.get_issue github.list_issues mail.Read-All mail.github_digest mail.send_mail"

func TestRulesDecideWhichToolsAreEnabled(t *testing.T) {
	in := office(t)
	for _, c := range []struct{ name, section, enabled string }{
		{"zero configuration", "  enabled: true\n", all},
		{"globs", `
  tool_rules:
    - {pattern: ["*github*", "delete_?*"], enabled: false}
    - {pattern: "[rs]*", enabled: false}
`, "files.write_file github.create_issue github.get_issue github.list_issues mail.Read-All"},
		{"regular expressions", `
  tool_rules:
    - {pattern: ['/\b(read|list)\b/i'], enabled: true}
    - {pattern: ['/^(get|list)_issue/'], enabled: true}
`, "github.get_issue github.list_issues mail.Read-All"},
		{"one server", `
  tool_rules:
    - {server: github, pattern: "delete_*", enabled: false}
    - {server: mail, enabled: false}
`, "files.delete_file files.read_file files.write_file github.create_issue github.get_issue github.list_issues"},
		{"negation", `
  tool_rules:
    - {pattern: ["!delete_*", "*_file", "*issue*", "!/^CREATE/i"], enabled: true}
`, "files.read_file files.write_file github.get_issue github.list_issues"},
		{"allow list, in which the first match decides", `
  tool_rules:
    - {server: files, pattern: "*", enabled: true}
    - {pattern: "delete_*", enabled: false}
    - {server: github, pattern: ["delete_*", "get_*"], enabled: true}
`, "files.delete_file files.read_file files.write_file github.get_issue"},
		{
			"tags decide nothing", `
  tool_rules:
    - {pattern: "*_file", tags: [disk]}
    - {pattern: "delete_*", tags: [danger], enabled: false}
`,
			"files.read_file files.write_file github.create_issue github.get_issue github.list_issues mail.Read-All mail.github_digest " +
				"mail.send_mail",
		},
		{"production mix", `
  tool_rules:
    - {pattern: ["*delete*", '/drop|purge/i'], enabled: false, tags: [destructive]}
    - {server: github, pattern: ["*issue*", "!create_*"], enabled: true, tags: [issues]}
    - {server: files, pattern: '/^(read|write)_/', enabled: true, tags: [disk]}
    - {pattern: '/\bread\b/i', tags: [reads]}
`, "files.read_file files.write_file github.get_issue github.list_issues"},
		{"rules that are switched off", "  enabled: false\n  tool_rules: [{pattern: '*', enabled: false}]\n", all},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := configured(t, c.section)
			if got := names(usable(p, "", in)); got != c.enabled {
				t.Errorf("got  %s\nwant %s", got, c.enabled)
			}
			for _, tool := range in.Tools {
				if p.Decide(tool.Server, tool.Name).Enabled != p.Allows("", tool.Server, tool.Name, in) {
					t.Errorf("two answers for %s", tool.Name)
				}
			}
		})
	}
}

func TestTagsGatherFromAllRulesThatMatch(t *testing.T) {
	p := configured(t, `
  tool_rules:
    - {pattern: "delete_*", enabled: false, tags: [danger]}
    - {pattern: "*_file", enabled: true, tags: [disk, danger]}
    - {server: github, tags: [code]}
`)
	for tool, want := range map[string]string{
		"files delete_file":  "{false 0 0 [danger disk]}",
		"files read_file":    "{true 1 0 [disk danger]}",
		"github delete_repo": "{false 0 0 [danger code]}",
		"github get_issue":   "{false -1 0 [code]}",
		"mail send_mail":     "{false -1 0 []}",
	} {
		server, name, _ := strings.Cut(tool, " ")
		for range 2 { // a decision does not change the rules
			if got := fmt.Sprint(p.Decide(server, name)); got != want {
				t.Errorf("%s: got %s, want %s", tool, got, want)
			}
		}
	}
}

func TestClientsAreLimitedWithinTheRules(t *testing.T) {
	in := office(t)
	p := configured(t, `
  tool_rules: [{pattern: "delete_*", enabled: false}]
  clients:
    - {client: cursor, server: github, allow: "*issue*"}
    - {client: cursor, allow: "delete_*", deny: "create_*"}
    - {client: codex, deny: ["*_file", "!read_*"]}
`)
	for client, want := range map[string]string{
		"cursor": "github.get_issue github.list_issues",
		"codex":  "files.read_file github.create_issue github.get_issue github.list_issues mail.Read-All mail.github_digest mail.send_mail",
		"": "files.read_file files.write_file github.create_issue github.get_issue github.list_issues mail.Read-All " +
			"mail.github_digest mail.send_mail",
	} {
		if got := names(usable(p, client, in)); got != want {
			t.Errorf("%q: got  %s\nwant %s", client, got, want)
		}
	}
	off := configured(t, "  enabled: false\n  clients: [{client: codex, deny: '*'}]\n")
	if got := usable(off, "codex", in); len(got) > 0 {
		t.Errorf("discovery.enabled: false lifts the limits of a client: %s", names(got))
	}
}

func TestARuleHoldsForToolsThatMayBeTakenForTheOneThatItNames(t *testing.T) {
	in := snapshot(t, map[string][]json.RawMessage{"files": named("wipe", "Wipe", "wipe\u200b", "read", "READ"), "other": named("WIPE")})
	for _, row := range []struct{ section, client, enabled string }{
		{"  tool_rules: [{pattern: wipe, enabled: false}]\n", "", "files.read files.READ other.WIPE"},
		{"  tool_rules: [{pattern: ['wip*', '!Wipe'], enabled: false}]\n", "", "files.read files.READ other.WIPE"},
		{"  tool_rules: [{pattern: Wipe, enabled: true}, {pattern: wipe, enabled: false}]\n", "", ""},
		{"  tool_rules: [{pattern: read, enabled: true}]\n", "", "files.read"}, // does not enable READ, whose name looks the same
		{"  clients: [{client: cursor, deny: READ}]\n", "cursor", "files.wipe files.Wipe files.wipe\u200b other.WIPE"},
		{"  clients: [{client: cursor, deny: READ}]\n", "codex", "files.wipe files.Wipe files.wipe\u200b files.read files.READ other.WIPE"},
	} {
		p := configured(t, row.section)
		if got := names(usable(p, row.client, in)); got != row.enabled {
			t.Errorf("%s: %q may use\n got %s\nwant %s", row.section, row.client, got, row.enabled)
		}
		for _, tool := range in.Tools {
			err := p.Refusal(row.client, tool.Server, tool.Name, in)
			if refused := err != nil; refused == p.View(row.client, in).Allows(tool) || refused && fault.CodeOf(err) != fault.CodeDisabled {
				t.Errorf("%s: two answers for %q: %v", row.section, tool.Name, err)
			}
		}
	}
	asking := configured(t, "  approval: {rules: [{pattern: wipe, ask: true}, {pattern: READ, ask: false}]}\n")
	var asks []*catalog.Tool
	for _, tool := range in.Tools {
		if asking.Asks(tool, in) {
			asks = append(asks, tool)
		}
	}
	if got := names(asks); got != "files.wipe files.Wipe files.wipe\u200b" {
		t.Errorf("calls of %s wait", got)
	}
}

func TestWithoutConfigurationTheToolsAreNotCopied(t *testing.T) {
	in := office(t)
	var c Current
	if got := usable(c.Get(), "x", in); &got[0] != &in.Tools[0] || c.Get().Asks(in.Tools[0], in) {
		t.Error("the policy without configuration does something")
	}
	p := configured(t, "  tool_rules: [{pattern: x, enabled: true}]\n")
	if c.Set(p); c.Get() != p {
		t.Error("the policy was not replaced")
	}
}

func TestADryRunShowsWhatARuleWouldHit(t *testing.T) {
	in := office(t)
	p := configured(t, "  tool_rules: [{pattern: 'delete_*', enabled: false}]\n")
	for _, c := range []struct{ rule, want string }{
		{
			`{"pattern": ["*_file", "!write_*"], "enabled": false}`,
			"delete_file *_file false-false, read_file *_file true-false, write_file !write_* true-true",
		},
		{
			`{"server": "github", "pattern": "/_repo$/", "enabled": true}`,
			"read_file true-false, write_file true-false, create_issue true-false, delete_repo /_repo$/ false-false, " +
				"get_issue true-false, list_issues true-false, Read-All true-false, github_digest true-false, send_mail true-false",
		},
		{`{"pattern": "nothing", "tags": ["x"]}`, ""},
	} {
		rule, err := settings.ParseToolRule([]byte(c.rule))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range p.Try(rule, 1, in.Tools) {
			got = append(got, strings.Join(slices.DeleteFunc([]string{
				e.Tool.Name, e.Pattern, e.ExcludedBy, fmt.Sprintf("%t-%t", e.Before.Enabled, e.After.Enabled),
			},
				func(s string) bool { return s == "" }), " "))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.rule, strings.Join(got, ", "), c.want)
		}
	}
	rule, _ := settings.ParseToolRule([]byte(`{"pattern": "delete_file", "enabled": true}`))
	if first := p.Try(rule, 0, in.Of("files")); !first[0].After.Enabled || first[0].After.Rule != 0 {
		t.Errorf("a rule before the others does not decide first: %+v", first[0])
	}
	if got := len(p.Decide("files", "x").Tags) + len(p.rules); got != 1 {
		t.Error("a dry run changed the rules")
	}
}

func TestTheTagsOfDecisionsAreIndependent(t *testing.T) {
	p := configured(t, `
  tool_rules:
    - {tags: [a, b, c]}
    - {pattern: x, tags: [d]}
    - {pattern: y, tags: [e]}
`)
	x := p.Decide("s", "x")
	p.Decide("s", "y")
	if fmt.Sprint(x.Tags) != "[a b c d]" {
		t.Errorf("a later decision has changed the tags to %v", x.Tags)
	}
}
