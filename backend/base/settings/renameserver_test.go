package settings_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
)

func TestRulesFollowARenamedServer(t *testing.T) {
	for name, row := range map[string]struct{ before, after string }{
		"no rules": {"port: 0\n", "port: 0\n"},
		"another server": {
			"discovery: {tool_rules: [{server: ones, enabled: true}]}\n", "discovery: {tool_rules: [{server: ones, enabled: true}]}\n",
		},
		"several in a line": {
			"discovery: {tool_rules: [{server: one, tags: [x]}, {server: 'one', tags: [é], pattern: [one]}, {server: \"one\", tags: [y]}]}\n",
			"discovery: {tool_rules: [{server: seven, tags: [x]}, {server: 'seven', tags: [é], pattern: [one]}, {server: \"seven\", tags: [y]}]}\n",
		},
		"lines that end with CRLF": {
			"discovery:\r\n  tool_overrides:\r\n  - server: one # mine\r\n    tool: one\r\n    name: two\r\n",
			"discovery:\r\n  tool_overrides:\r\n  - server: seven # mine\r\n    tool: one\r\n    name: two\r\n",
		},
		"rules for clients": {
			"discovery:\n  clients:\n    - {client: cursor, server: one, deny: [x]}\n",
			"discovery:\n  clients:\n    - {client: cursor, server: seven, deny: [x]}\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "config.yaml")
			if err := os.WriteFile(file, []byte(row.before), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := settings.Load(file); err != nil {
				t.Fatal(err)
			}
			for _, dry := range []bool{true, false} {
				want := row.after
				if dry {
					want = row.before
				}
				found, err := editor.RenameServer(file, "one", "seven", dry)
				if after, _ := os.ReadFile(file); err != nil || found != (row.before != row.after) || string(after) != want {
					t.Errorf("dry %t: %t, %v:\n%s", dry, found, err, after)
				}
			}
		})
	}
	file := filepath.Join(t.TempDir(), "config.yaml")
	if found, err := editor.RenameServer(file, "one", "seven", false); found || err != nil {
		t.Errorf("no file: %t, %v", found, err)
	}
	const folded = "discovery:\n  tool_rules:\n    - server: !!str one\n      enabled: true\n"
	if err := os.WriteFile(file, []byte(folded), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := editor.RenameServer(file, "one", "seven", true)
	if fault.KindOf(err) != fault.Invalid {
		t.Errorf("a name that cannot be changed: %v", err)
	}
}
