package cli

import (
	"net/http"

	"github.com/spf13/cobra"
)

func (c editorCommands) auto() *cobra.Command {
	return &cobra.Command{
		Use: "auto on|off", Short: "Turn on or off adding the entry to newly found editors automatically", Args: cobra.ExactArgs(1), ValidArgs: []string{"on", "off"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] != "on" && args[0] != "off" {
				return usagef("invalid argument %q: use on or off", args[0])
			}
			client, err := c.client(cmd.Context())
			if err != nil {
				return err
			}
			body := map[string]bool{"auto_register": args[0] == "on"}
			if err := client.Do(cmd.Context(), http.MethodPut, "/api/editors/settings", body, nil); err != nil {
				return err
			}
			return c.respond(body, "%s\n", map[string]string{
				"on":  "Newly found editors get the entry automatically.",
				"off": "Newly found editors get the entry only when you register them.",
			}[args[0]])
		},
	}
}
