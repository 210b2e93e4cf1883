package settings

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

const discoveryText = `# mine
discovery:
  enabled: true
  cache: {enabled: false, ttl: 120}
  sources:
    - editor: cursor
    - file: ~/servers.json
  tool_rules:
    - pattern: ["github_*", '/\b(read|list)\b/i', "!*delete*"]
      server: github
      enabled: true
      tags: [code]
    - pattern: "*secret*"
      enabled: false
  tool_overrides:
    - server: github
      tool: create_issue
      name: new_issue
      description: Files an issue.
      arguments: {owner: me, count: 3, labels: [a, 1.50], since: 2026-01-02, on: yes, deep: {x: null}}
  clients:
    - client: cursor
      allow: ["get_*"]
      deny: ["*admin*"]
  approval:
    destructive: true
    rules:
      - pattern: "push_*"
        ask: false
`

func TestTheDiscoverySectionIsRead(t *testing.T) {
	s, err := load(t, discoveryText)
	if err != nil {
		t.Fatal(err)
	}
	d := s.Discovery
	if !d.Enabled || d.Cache != (Cache{false, Seconds(2 * time.Minute)}) || len(d.Sources) != 2 || d.Sources[0].Editor != "cursor" ||
		!strings.HasSuffix(d.Sources[1].File, "servers.json") || strings.Contains(d.Sources[1].File, "~") {
		t.Errorf("got %+v", d)
	}
	if r := d.ToolRules; len(r) != 2 || fmt.Sprint(r[0].Patterns) != `[github_* /\b(read|list)\b/i !*delete*]` || r[0].Server != "github" ||
		!*r[0].Enabled ||
		fmt.Sprint(r[0].Tags) != "[code]" || fmt.Sprint(r[1].Patterns) != "[*secret*]" || *r[1].Enabled {
		t.Errorf("rules %+v", r)
	}
	o := d.ToolOverrides[0]
	if o.Name != "new_issue" || o.Description != "Files an issue." ||
		fmt.Sprint(o.Arguments.Names()) != "[count deep labels on owner since]" {
		t.Errorf("override %+v", o)
	}
	for name, want := range map[string]string{
		"owner": `"me"`, "count": "3", "labels": `["a",1.50]`, "since": `"2026-01-02"`, "on": `"yes"`, "deep": `{"x":null}`,
	} {
		if got := string(o.Arguments[name]); got != want {
			t.Errorf("argument %s is %s, want %s", name, got, want)
		}
	}
	if c := d.Clients; len(c) != 1 || c[0].Client != "cursor" || len(c[0].Allow) != 1 || len(c[0].Deny) != 1 {
		t.Errorf("clients %+v", c)
	}
	if a := d.Approval; !a.Destructive || len(a.Rules) != 1 || a.Rules[0].Ask {
		t.Errorf("approval %+v", a)
	}
}

func TestWithoutADiscoverySectionAllToolsAreEnabled(t *testing.T) {
	s, err := load(t, "")
	if d := s.Discovery; err != nil || !d.Enabled || !d.Cache.Enabled || d.Cache.TTL != Seconds(time.Hour) || len(d.ToolRules) != 0 ||
		d.Approval.Destructive {
		t.Errorf("got %+v, %v", d, err)
	}
}

func TestTheEnvironmentOverridesDiscovery(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_DISCOVERY", "off")
	t.Setenv("AGENT_DISCOVER_CACHE", "off")
	t.Setenv("AGENT_DISCOVER_CACHE_TTL", "60")
	s, err := load(t, "discovery: {enabled: true, cache: {ttl: 30m}}")
	if d := s.Discovery; err != nil || d.Enabled || d.Cache.Enabled || d.Cache.TTL != Seconds(time.Minute) {
		t.Errorf("got %+v, %v", d, err)
	}
	for name, value := range map[string]string{
		"AGENT_DISCOVER_DISCOVERY": "no", "AGENT_DISCOVER_CACHE": "1", "AGENT_DISCOVER_CACHE_TTL": "0",
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			if _, err := load(t, ""); !strings.Contains(fault.MessageOf(err), name) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// invalidDiscovery maps invalid texts to the beginning of their first problem.
var invalidDiscovery = map[string]string{
	"discovery: {tool_rules: [{pattern: \"/a(?=b)/\", enabled: " +
		"true}]}": "line 1, column 39: discovery.tool_rules[0].pattern is no valid pattern: not a valid regular expression: invalid or " +
		"unsupported Perl syntax",
	"discovery:\n  tool_rules:\n    - pattern: [ok, 'x[z-a]']\n" +
		"      tags: [a]\n": "line 3, column 24: discovery.tool_rules[0].pattern[1] is no valid pattern: the range z-a is empty " +
		"(character 3",
	"discovery: {tool_rules: [{pattern: /x/g, enabled: true}]}": "line 1, column 39: " +
		"discovery.tool_rules[0].pattern is no valid pattern: unknown flag 'g'",
	"discovery: {tool_rules: [{pattern: [!delete], enabled: true}]}": "line 1, column 37: not valid YAML: " +
		"did not find expected ',' or ']'; a pattern that begins with *, ! or [ needs quotes",
	"discovery:\n  tool_rules:\n    - {pattern: [*github*], enabled: true}": "line 3, column 18: not valid YAML: " +
		"did not find expected alphabetic or numeric character; a pattern that begins with *, ! or [ needs quotes",
	"discovery:\n  tool_rules:\n  - pattern: [[a-c]x]\n    enabled: true": "line 3, column 14: not valid YAML",
	"discovery: {tool_rules: [{pattern: []}, {enabled: true, pattern: " +
		"[]}]}": "line 1, column 36: discovery.tool_rules[0].pattern is empty",
	"discovery: {tool_rules: [{patern: x, enabled: true}]}": "line 1, column 27: unknown setting " +
		"discovery.tool_rules[0].patern; did you mean pattern?",
	"discovery:\n  tool_rules:\n  - pattern: !delete\n    enabled: true": "line 3, column 14: " +
		"discovery.tool_rules[0].pattern is a text that begins with ! and needs quotes",
	"discovery:\n  tool_rules:\n  - pattern: *x\n    enabled: true": "line 3, column 14: not valid YAML: " +
		"unknown anchor",
	"discovery: {tool_rules: {pattern: x}}": "line 1, column 25: " +
		"discovery.tool_rules must be a list",
	"discovery: {tool_rules: [{pattern: x}]}": "line 1, column 26: " +
		"discovery.tool_rules[0] has no effect",
	"discovery: {tool_rules: [hidden]}": "line 1, column 26: " +
		"discovery.tool_rules[0] must be a group",
	"discovery: {tool_rules: [{enabled: maybe}]}": "line 1, column 36: " +
		"discovery.tool_rules[0].enabled must be true or false",
	"discovery: {tool_rules: [{tags: [''], enabled: true}]}": "line 1, column 34: " +
		"discovery.tool_rules[0].tags[0] must be a text",
	"discovery: {cache: {ttl: 0}}": "line 1, column 26: " +
		"discovery.cache.ttl must be a number of seconds",
	"discovery: {cache: {ttl: soon}}": "line 1, column 26: discovery.cache.ttl",
	"discovery: {sources: [{}]}": "line 1, column 23: " +
		"discovery.sources[0] must name either",
	"discovery: {sources: [cursor]}": "line 1, column 23: discovery.sources[0] must be a group of settings, each as in " +
		"editor: value; the settings are editor, file",
	"discovery: {sources: [{editor: a, file: b}]}": "line 1, column 23: " +
		"discovery.sources[0] must name either",
	"discovery: {tool_overrides: [{tool: b, name: c}]}": "line 1, column 30: " +
		"discovery.tool_overrides[0] must name a server",
	"discovery: {tool_overrides: [{server: a, tool: b}]}": "line 1, column 30: " +
		"discovery.tool_overrides[0] has no effect",
	"discovery: {tool_overrides: [{server: a, tool: b, name: a " +
		"b}]}": "line 1, column 57: discovery.tool_overrides[0].name must be a name",
	"discovery: {tool_overrides: [{server: a, tool: b, arguments: " +
		"1}]}": "line 1, column 62: discovery.tool_overrides[0].arguments must be a group",
	"discovery: {tool_overrides: [{server: a, tool: b, arguments: {x: " +
		".nan}}]}": "line 1, column 62: discovery.tool_overrides[0].arguments must be what JSON",
	"discovery: {clients: [{allow: x}]}": "line 1, column 23: " +
		"discovery.clients[0] must name a client",
	"discovery: {clients: [{client: x}]}": "line 1, column 23: " +
		"discovery.clients[0] has no effect",
	"discovery: {approval: {rules: [{pattern: x}]}}": "line 1, column 32: " +
		"discovery.approval.rules[0] must say ask",
	"discovery: {approval: {destructive: sometimes}}": "line 1, column 37: " +
		"discovery.approval.destructive must be true or false",
	"discovery: {tool_overrides: [{server: a, tool: b, name: x}, {server: a, tool: c, name: " +
		"x}]}": "line 1, column 61: discovery.tool_overrides[1] gives a tool the same name as item 0",
	"discovery: {tool_overrides: [{server: a, tool: b, name: x}, {server: a, tool: b, name: " +
		"y}]}": "line 1, column 61: discovery.tool_overrides[1] is for the same tool as item 0",
}

func TestInvalidDiscoverySettingsAreExplainedWithTheirPosition(t *testing.T) {
	for text, want := range invalidDiscovery {
		_, err := load(t, text)
		all := Problems(err)
		if fault.KindOf(err) != fault.Invalid || len(all) == 0 || !strings.HasPrefix(all[0].String(), want) ||
			strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s\ngot  %v\nwant %s", text, all, want)
		}
	}
}

func TestAllProblemsOfAFileAreReportedInOrder(t *testing.T) {
	_, err := load(t, "port: x\ndiscovery:\n  tool_rules:\n    - {pattern: '[a', enabled: true}\nlog: {retention_days: x}\n")
	var lines []string
	for _, p := range Problems(err) {
		lines = append(lines, fmt.Sprintf("%d:%d %s", p.Line, p.Column, p.Key))
	}
	if got := strings.Join(lines, ", "); got != "1:7 port, 4:18 discovery.tool_rules[0].pattern, 5:23 log.retention_days" {
		t.Errorf("got %s", got)
	}
	if text := fault.MessageOf(err); !strings.Contains(text,
		"config.yaml: line 1, column 7: port must be a whole number (and 2 more; see: agent-discover config validate)") {
		t.Errorf("got %s", text)
	}
}

func TestValuesOutOfRangeHaveAPositionUnlessTheEnvironmentSetThem(t *testing.T) {
	_, err := load(t, "search: {threads: 0}\nport: 70000")
	if got := Problems(err); len(got) != 2 || got[0].Line != 2 || got[0].Column != 7 || got[1].Line != 1 || got[1].Column != 19 {
		t.Errorf("got %+v", got)
	}
	t.Setenv("AGENT_DISCOVER_PORT", "70000")
	_, err = load(t, "port: 80")
	if got := Problems(err); len(got) != 1 || got[0].Line != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestARuleIsReadFromJSON(t *testing.T) {
	r, err := ParseToolRule([]byte("{\"pattern\": [\"*x*\", \"!/y/i\"],\n \"enabled\": false}"))
	if err != nil || fmt.Sprint(r.Patterns) != "[*x* !/y/i]" || *r.Enabled {
		t.Errorf("got %+v, %v", r, err)
	}
	for text, want := range map[string]string{
		`{"pattern": "[", "enabled": true}`: "closing", "1": "group", "": "no value", `{"enabled": true}` + "\n- {}": "YAML",
	} {
		if _, err := ParseToolRule([]byte(text)); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzDiscovery(f *testing.F) {
	f.Add(discoveryText)
	for text := range invalidDiscovery {
		f.Add(text)
	}
	f.Add("discovery: &a {tool_rules: &b [*b, *a], tool_overrides: [{server: a, tool: b, arguments: &c {x: *c}}]}")
	f.Fuzz(func(_ *testing.T, text string) {
		s := Default()
		_ = decode([]byte(text), s.keys()) // must not panic
		_, _ = ParseToolRule([]byte(text))
	})
}
