package cli

import (
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

func (c configCommands) reload() *cobra.Command {
	return &cobra.Command{
		Use: "reload", Short: "Make the hub read config.yaml again, at once", Args: cobra.NoArgs,
		Long: `Make the hub read config.yaml again, at once. If the file is invalid, the earlier
settings stay, and the command fails and says why.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			var of operations.ReloadedConfig
			if err := client.Do(cmd.Context(), http.MethodPost, "/api/config/reload", nil, &of); err != nil {
				return err
			}
			if c.p.json {
				return c.p.printJSON(of)
			}
			c.printReloaded(of)
			return nil
		},
	}
}

func (c configCommands) printReloaded(of operations.ReloadedConfig) {
	if len(of.Changed) == 0 {
		c.p.printf("The settings have not changed.\n")
	} else {
		c.p.printf("Changed: %s\n", strings.Join(of.Changed, ", "))
	}
	if len(of.Restart) > 0 {
		c.p.printf("After a restart of the hub, new values apply to: %s\n", strings.Join(of.Restart, ", "))
	}
}
