package settings

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestSharedSettingsAreSeparatedFromThoseOfTheMachine(t *testing.T) {
	values, apart, err := Shared([]byte(`port: 3000
log: {retention_days: 5}
results: {folder: /home/me/results}
discovery:
  startNew: false
  tool_rules:
    - {pattern: "delete_*", enabled: false}
  tool_overrides:
    - {server: one, tool: a, name: b, arguments: {key: hidden}}
`))
	if err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(values)
	want := `{"discovery.start_new":false,"discovery.tool_rules":[{"enabled":false,"pattern":"delete_*"}],"log.retention_days":5}`
	if string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if len(apart) != 1 || apart["discovery.tool_overrides"] == "" {
		t.Errorf("kept apart: %v", apart)
	}
	if IsShared("port") || IsShared("no.such") || !IsShared("log.retention_days") {
		t.Error("a setting of one machine is shared, or another is not")
	}
}

func TestSharedSettingsAreWrittenBesideTheOthers(t *testing.T) {
	for _, row := range []struct {
		name, file string
		set        map[string]any
		remove     []string
		want       string
	}{
		{"a new file", "", map[string]any{"log.retention_days": json.Number("5")}, nil, "log:\n  retention_days: 5\n"},
		{
			"a value with a comment", "port: 3000 # mine\nlog:\n  retention_days: 5 # short\n",
			map[string]any{"log.retention_days": 7},
			nil,
			"port: 3000 # mine\nlog:\n  retention_days: 7 # short\n",
		},
		{
			"a former key", "discovery:\n  startNew: true\n",
			map[string]any{"discovery.start_new": false},
			nil,
			"discovery:\n  startNew: false\n",
		},
		{
			"rules", "discovery:\n",
			map[string]any{"discovery.tool_rules": []any{map[string]any{"pattern": "a*", "enabled": false}}},
			nil,
			"discovery:\n  tool_rules:\n    - {enabled: false, pattern: a*}\n",
		},
		{"a text that looks like another type", "", map[string]any{"search.model": "true"}, nil, "search:\n  model: \"true\"\n"},
		{"a removed value", "port: 3000\nlog:\n  retention_days: 5\n", nil, []string{"log.retention_days"}, "port: 3000\n"},
		{"the last removed value", "log:\n  retention_days: 5\n", nil, []string{"log.retention_days"}, ""},
		{"a value that is not there", "port: 3000\n", nil, []string{"log.retention_days"}, "port: 3000\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := WithShared([]byte(row.file), row.set, row.remove)
			if err != nil || string(got) != row.want {
				t.Errorf("got %q, %v, want %q", got, err, row.want)
			}
			if err := Check("config.yaml", got); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTheGuideNamesTheSettingsOfAMachine(t *testing.T) {
	text, err := os.ReadFile("../../../frontend/guide/moving.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range Table {
		if row.Machine && !strings.Contains(string(text), "`"+row.Key+"`") {
			t.Errorf("the guide does not name %s", row.Key)
		}
	}
}
