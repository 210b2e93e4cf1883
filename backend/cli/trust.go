package cli

import "github.com/spf13/cobra"

// trustCommands are the commands for reviewing the texts that servers send to models.
type trustCommands struct{ p *program }

func (c trustCommands) command() *cobra.Command {
	cmd := &cobra.Command{
		Use: "trust", Short: "Review what servers may say to models", Args: cobra.NoArgs,
		Long: "The texts of tools go into the context of a model. They are searched for hidden text, and for\n" +
			"orders that the user did not give.\n\n" + trustHelp,
	}
	cmd.AddCommand(c.list(), c.show(), c.diff(), c.approve(), c.reject(), c.scan())
	return cmd
}
