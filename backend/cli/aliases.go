package cli

import (
	"slices"

	"github.com/spf13/cobra"
)

// otherNames are words that people type for the names of commands.
var otherNames = map[string][]string{
	"servers": {"server"}, "secrets": {"secret"}, "editors": {"editor"}, "logs": {"log"},
	"toolset": {"toolsets"}, "persona": {"personas"}, "token": {"tokens"}, "rules": {"rule"},
	"list":   {"ls"},
	"remove": {"rm", "delete"}, "delete": {"rm", "remove"},
	"clear": {"rm", "delete", "remove"}, "forget": {"rm", "delete", "remove"}, "revoke": {"rm", "delete", "remove"},
}

// listGroups are the groups that list something if they have no subcommand. They also have a subcommand list, as other groups do,
// but their help does not show it.
var listGroups = []string{"auth", "learned", "logs", "market"}

// addAliases gives the subcommands of cmd their other names, except those that are names of commands beside them.
func addAliases(cmd *cobra.Command) {
	if slices.Contains(listGroups, cmd.Name()) && cmd.HasSubCommands() {
		list := &cobra.Command{Use: "list", Short: cmd.Short, Args: cobra.NoArgs, RunE: cmd.RunE, Hidden: true}
		list.Flags().AddFlagSet(cmd.LocalNonPersistentFlags())
		cmd.AddCommand(list)
	}
	subcommands := cmd.Commands()
	for _, sub := range subcommands {
		for _, name := range otherNames[sub.Name()] {
			taken := slices.ContainsFunc(subcommands, func(other *cobra.Command) bool {
				return other.Name() == name || other.HasAlias(name)
			})
			if !taken {
				sub.Aliases = append(sub.Aliases, name)
			}
		}
	}
}

// maxElsewhere is how many commands elsewhere suggests.
const maxElsewhere = 3

// elsewhere returns the commands below the subcommands of root that have a name, such as "servers list" for list.
// Those for servers come first.
func elsewhere(root *cobra.Command, name string) []string {
	var found []string
	for _, group := range root.Commands() {
		for _, cmd := range group.Commands() {
			if cmd.Hidden || cmd.Name() != name && !cmd.HasAlias(name) {
				continue
			}
			at := len(found)
			if group.Name() == "servers" {
				at = 0
			}
			found = slices.Insert(found, at, group.Name()+" "+cmd.Name())
		}
	}
	return found[:min(len(found), maxElsewhere)]
}
