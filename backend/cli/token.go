package cli

import (
	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/instance"
)

func (h hubCommands) token() *cobra.Command {
	var header bool
	cmd := &cobra.Command{
		Use: "token", Short: "Print the token for the REST and WebSocket API, and manage those of MCP clients", Args: cobra.NoArgs,
		Long: `Print the token that scripts send to the hub in the header "Authorization: Bearer TOKEN".
It is new at each start of the hub. With --json, the hub's address is printed too.

MCP clients that connect over HTTP need tokens of their own, which stay valid and open
nothing but the MCP endpoint; see: agent-discover token create --help

Do not pass the token to a program as an argument: other users of this machine can see
the arguments. With --header, the whole header is printed, and curl reads it from its
input or from a file.`,
		Example: `  agent-discover token --header | curl -H @- http://127.0.0.1:3424/api/servers
  curl -H @<(agent-discover token --header) http://127.0.0.1:3424/api/servers`,
		RunE: func(*cobra.Command, []string) error {
			info, err := instance.Read(h.p.folder)
			if err != nil {
				return err
			}
			if info.TakenPort != 0 {
				h.p.notef("Note: the hub does not listen on port %d. Send the token only to http://%s\n", info.TakenPort, info.Address())
			}
			text := info.Token
			if header {
				text = "Authorization: Bearer " + text
			}
			return h.p.respond(map[string]string{"token": info.Token, "url": "http://" + info.Address()}, "%s\n", text)
		},
	}
	cmd.AddCommand(h.tokenCreate(), h.tokenList(), h.tokenRevoke())
	cmd.Flags().BoolVar(&header, "header", false, "print the HTTP header that contains the token")
	return cmd
}
