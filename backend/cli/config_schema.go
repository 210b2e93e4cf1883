package cli

import (
	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/settings"
)

func (c configCommands) schema() *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of config.yaml", Args: cobra.NoArgs,
		Long: `Print the JSON Schema of config.yaml. Text editors with a YAML language server complete
and check the file with it if its first line is:

  # yaml-language-server: $schema=config.schema.json`,
		Example: "  agent-discover config schema > ~/.agent-discover/config.schema.json",
		RunE: func(*cobra.Command, []string) error {
			c.p.write(string(settings.Schema()))
			return nil
		},
	}
}
