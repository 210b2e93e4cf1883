package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

func (c configCommands) show() *cobra.Command {
	return &cobra.Command{
		Use: "show [KEY]", Short: "List the settings that apply, and where each comes from", Args: cobra.MaximumNArgs(1),
		Long: `List the settings that apply, and where each comes from: the running hub's, or those of
the file if no hub runs. KEY shows one setting, such as limits.call_timeout, or a group.
Fixed arguments of tools are shown by their names only.`,
		Example:           "  agent-discover config show\n  agent-discover config show discovery --json",
		ValidArgsFunction: cobra.FixedCompletions(settings.Keys(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			of, err := c.configuration(cmd.Context())
			if err != nil {
				return err
			}
			if len(args) == 1 {
				if of.Settings = below(of.Settings, args[0]); len(of.Settings) == 0 {
					return fault.New(fault.NotFound, "there is no setting %q; see: agent-discover config show", args[0])
				}
			}
			if c.p.json {
				return c.p.printJSON(of)
			}
			return c.printConfiguration(of)
		},
	}
}

// below returns the setting with the given key or, if key is the name of a group, the
// settings of the group.
func below(all []operations.Setting, key string) (out []operations.Setting) {
	for _, s := range all {
		if s.Key == key || strings.HasPrefix(s.Key, key+".") {
			out = append(out, s)
		}
	}
	return out
}

func (c configCommands) printConfiguration(of operations.Configuration) error {
	table := c.p.table("SETTING", "VALUE", "FROM")
	for _, s := range of.Settings {
		var text string
		if json.Unmarshal(s.Value, &text) != nil || text == "" {
			text = string(s.Value)
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", s.Key, safetext.Clip(cell(text), 100), s.Origin)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, p := range of.Problems {
		c.p.notef("%s: the file is invalid, and the settings are earlier ones: %s\n", of.File,
			settings.Problem{Line: p.Line, Column: p.Column, Text: p.Message})
	}
	if len(of.Restart) > 0 {
		c.p.notef("After a restart of the hub, new values apply to: %s\n", strings.Join(of.Restart, ", "))
	}
	return nil
}
