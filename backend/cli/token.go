package cli

import (
	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/instance"
)

func (h hubCommands) token() *cobra.Command {
	return &cobra.Command{
		Use: "token", Short: "Print the token for the REST and WebSocket API", Args: cobra.NoArgs,
		Long: `Print the token that scripts send to the hub in the header "Authorization: Bearer TOKEN".
It is new at each start of the hub. With --json, the hub's address is printed too.`,
		Example: `  curl -H "Authorization: Bearer $(agent-discover token)" http://127.0.0.1:3424/api/servers`,
		RunE: func(*cobra.Command, []string) error {
			info, err := instance.Read(h.folder)
			if err != nil {
				return err
			}
			return h.respond(map[string]string{"token": info.Token, "url": "http://" + info.Address()}, "%s\n", info.Token)
		},
	}
}
