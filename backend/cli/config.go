package cli

import (
	"context"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

type configCommands struct{ p *program }

func (c configCommands) command() *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Show and check the settings in config.yaml", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if c.p.json {
				return usagef("say what to do, such as config show or config validate; see: %s --help", cmd.CommandPath())
			}
			return cmd.Help()
		},
		Long: `Show and check the settings in config.yaml, which is in the data folder and optional.
The hub reads the file again within half a second after it was saved. If the file is
invalid, the earlier settings stay. Environment variables override the file.`,
	}
	cmd.AddCommand(c.show(), c.validate(), c.reload(), c.sources(), c.schema())
	return cmd
}

// configuration returns the settings of the running hub or, if no hub is running, those of the
// file.
func (c configCommands) configuration(ctx context.Context) (operations.Configuration, error) {
	var of operations.Configuration
	if info, err := instance.Read(c.p.folder); err == nil {
		err := instance.NewClient(info).Do(ctx, http.MethodGet, "/api/config", nil, &of)
		return of, err
	}
	s, err := settings.Load(c.p.folder.Config())
	if err != nil {
		return of, err
	}
	return operations.NewConfiguration(c.p.folder.Config(), &settings.State{Settings: s}), nil
}
