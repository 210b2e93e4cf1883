package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// each calls do for all commands below cmd.
func each(cmd *cobra.Command, do func(*cobra.Command)) {
	for _, sub := range cmd.Commands() {
		do(sub)
		each(sub, do)
	}
}

func TestCommandsThatDeleteHaveTheFlagYes(t *testing.T) {
	found := 0
	each(new(program).root(), func(cmd *cobra.Command) {
		switch cmd.CommandPath() {
		case "agent-discover toolset remove": // the tools can be added again
			return
		case "agent-discover rules remove": // asks on the controlling terminal, so that an agent cannot answer
			return
		}
		if slices.Contains([]string{"remove", "delete", "clear", "forget", "revoke"}, cmd.Name()) {
			found++
			if cmd.Flags().Lookup("yes") == nil {
				t.Errorf("%s has no flag --yes", cmd.CommandPath())
			}
		}
	})
	if found < 6 {
		t.Errorf("found only %d commands that delete something", found)
	}
}

func TestUsualNamesLeadToCommands(t *testing.T) {
	for typed, want := range map[string]string{
		"server list": "servers list", "servers ls": "servers list", "servers rm": "servers remove", "servers delete": "servers remove",
		"secret rm": "secrets delete", "secrets remove": "secrets delete", "toolset rm": "toolset delete",
		"toolset remove": "toolset remove", "toolsets ls": "toolset list",
		"editor ls": "editors list", "token rm": "token revoke", "log delete": "logs clear",
		"learned rm": "learned forget", "learned ls": "learned list", "learned list": "learned list",
		"rule list": "rules list", "rule ls": "rules list", "rule rm": "rules remove",
		"log ls": "logs list", "auth list": "auth list", "market ls": "market list",
	} {
		cmd, _, err := new(program).root().Find(strings.Fields(typed))
		if err != nil || cmd.CommandPath() != "agent-discover "+want {
			t.Errorf("%s: got %s, %v", typed, cmd.CommandPath(), err)
		}
	}
}

func TestNamesOfCommandsAreUnique(t *testing.T) {
	names := make(map[string]string)
	each(new(program).root(), func(cmd *cobra.Command) {
		for _, name := range append([]string{cmd.Name()}, cmd.Aliases...) {
			path := cmd.Parent().CommandPath() + " " + name
			if other := names[path]; other != "" {
				t.Errorf("%s is %s and %s", path, other, cmd.Name())
			}
			names[path] = cmd.Name()
		}
	})
}
