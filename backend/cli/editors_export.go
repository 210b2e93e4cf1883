package cli

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/editors/importer"
)

func (c editorCommands) export() *cobra.Command {
	return &cobra.Command{
		Use: "export EDITOR [SERVER...]", Short: "Print configured servers in an editor's configuration format",
		Args:              cobra.MinimumNArgs(1),
		Long:              `Print all configured servers, or those that are named, in an editor's configuration format.`,
		ValidArgsFunction: completeEditors,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			query := url.Values{"editor": {args[0]}, "servers": {strings.Join(args[1:], ",")}}
			var exported importer.Exported
			if err := client.Do(cmd.Context(), http.MethodGet, "/api/editors/export?"+query.Encode(), nil, &exported); err != nil {
				return err
			}
			if c.p.json {
				return c.p.printJSON(exported)
			}
			for _, omitted := range exported.Left {
				c.p.notef("%s\n", omitted)
			}
			c.p.printContent(strings.TrimSuffix(exported.Text, "\n"))
			return nil
		},
	}
}
