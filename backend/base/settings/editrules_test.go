package settings_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
)

func ruleOf(t *testing.T, text string) settings.ToolRule {
	t.Helper()
	rule, err := settings.ParseToolRule([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return rule
}

func TestARuleIsAddedAndRemovedAndTheRestOfTheFileIsKept(t *testing.T) {
	const added = `{pattern: ["*drop*","!/^<a>/i"], server: "a b", enabled: false, tags: ["x"]}`
	rule := ruleOf(t, added)
	for name, row := range map[string]struct{ before, after string }{
		"no file":                  {"", "discovery:\n  tool_rules:\n    - " + added + "\n"},
		"another setting":          {"port: 0 # free", "port: 0 # free\ndiscovery:\n  tool_rules:\n    - " + added + "\n"},
		"lines that end with CRLF": {"port: 0\r\n", "port: 0\r\ndiscovery:\r\n  tool_rules:\r\n    - " + added + "\r\n"},
		"no rules": {
			"discovery: # mine\n    # more\n    enabled: true\n", "discovery: # mine\n    tool_rules:\n      - " + added +
				"\n    # more\n    enabled: true\n",
		},
		"an empty list": {
			"discovery:\n  tool_rules: []   # none yet\nport: 0\n", "discovery:\n  tool_rules:    # none yet\n    - " + added +
				"\nport: 0\n",
		},
		"rules": {
			"discovery:\n  tool_rules:\n  # first\n  - pattern: [a,\n      b]\n    enabled: false # why\n  # end\n  cache: {ttl: 5}\n",
			"discovery:\n  tool_rules:\n  # first\n  - pattern: [a,\n      b]\n    enabled: false # why\n  - " + added +
				"\n  # end\n  cache: {ttl: 5}\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "config.yaml")
			if row.before != "" {
				if err := os.WriteFile(file, []byte(row.before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := editor.AddToolRule(file, rule); err != nil {
				t.Fatal(err)
			}
			if data, err := os.ReadFile(file); err != nil || string(data) != row.after {
				t.Errorf("%q, %v; want %q", data, err, row.after)
			}
			s, err := settings.Load(file)
			if err != nil || len(s.Discovery.ToolRules) == 0 {
				t.Fatalf("%+v, %v", s.Discovery, err)
			}
			at := len(s.Discovery.ToolRules) - 1
			if err := editor.RemoveToolRule(file, at, ruleOf(t, "{pattern: other, enabled: true}")); fault.KindOf(err) != fault.Conflict {
				t.Errorf("another rule was removed: %v", err)
			}
			if err := editor.RemoveToolRule(file, at+1, rule); fault.KindOf(err) != fault.Conflict {
				t.Errorf("a rule that does not exist: %v", err)
			}
			if err := editor.RemoveToolRule(file, at, rule); err != nil {
				t.Fatal(err)
			}
			if s, err := settings.Load(file); err != nil || len(s.Discovery.ToolRules) != at {
				t.Errorf("%+v, %v", s.Discovery, err)
			}
			if err := editor.AddToolRule(file, rule); err != nil {
				t.Errorf("the rule is added again: %v", err)
			}
			if err := editor.RemoveToolRule(file, at, rule); err != nil {
				t.Error(err)
			}
			if data, _ := os.ReadFile(file); name == "rules" && string(data) != row.before {
				t.Errorf("after the rule was removed, the file is %q", data)
			}
		})
	}
}

func TestAFileThatCannotBeEditedIsNotChanged(t *testing.T) {
	for _, text := range []string{
		"discovery: {tool_rules: [{pattern: a, enabled: true}]}\n", "discovery:\n", "port: many\n",
		"discovery:\n  tool_rules: [{pattern: a, enabled: true}]\n",
		"discovery:\n  tool_rules:\n    -\n      pattern: a\n      enabled: true\n",
	} {
		file := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := editor.AddToolRule(file, ruleOf(t, "{pattern: b, enabled: true}")); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %v", text, err)
		}
		if data, _ := os.ReadFile(file); string(data) != text {
			t.Errorf("%q was changed to %q", text, data)
		}
	}
}
