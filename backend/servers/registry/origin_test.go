package registry_test

import (
	"testing"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

func TestOnlyAServerThatAnAgentProposedIsSaidToBe(t *testing.T) {
	for _, row := range []struct {
		source, client string
		disabled       bool
		want           string
	}{
		{"manual", "Cursor (cursor-vscode 1.0)", false, "proposed by an agent in Cursor (cursor-vscode 1.0)"},
		{"manual", "a\u202eb", false, "proposed by an agent in a\\u202eb"},
		{"registry", "codex 1", false, "proposed by an agent in codex 1"},
		{"registry", "", false, "from the marketplace, installed without a question to a person"},
		{"editor:cursor", "", false, "imported from cursor"},
		{"editor:cursor", "", true, "imported from cursor, where it was disabled"},
		{"pasted", "", false, "from a pasted configuration"},
		{"pasted", "", true, "from a pasted configuration, where it was disabled"},
		{"copy", "", false, "from a copy of the database, with which it was repaired"},
		{"setup-file", "", false, "from a setup file"},
		{"setup-file", "codex 1", false, "from a setup file that an agent in codex 1 named"},
		{"persona:work", "the persona work", false, "from the persona work"},
		{"bundle", "", false, "from an MCP bundle"},
		{"local", "", false, "added by a program"},
		{"manual", "", false, "added by a program"}, // as imported from a database of the original product
	} {
		s := registry.Server{Source: row.source, ProposedBy: row.client, Disabled: row.disabled}
		if got := s.Origin(); got != row.want {
			t.Errorf("%+v: got %q", row, got)
		}
	}
}
