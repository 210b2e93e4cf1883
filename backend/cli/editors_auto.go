package cli

import (
	"net/http"

	"github.com/spf13/cobra"
)

func (c editorCommands) auto() *cobra.Command {
	return &cobra.Command{
		Use: "auto [on|off]", Short: "Turn on or off adding the entry to newly found editors automatically", Args: cobra.MaximumNArgs(1),
		ValidArgs: []string{"on", "off"},
		Long: `Turn on or off adding the entry to newly found editors automatically. Without an
argument, say which of the two it is.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && args[0] != "on" && args[0] != "off" {
				return usagef("invalid argument %q: use on or off", args[0])
			}
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			if len(args) == 0 {
				list, err := statusOfEditors(cmd.Context(), client, false)
				if err != nil {
					return err
				}
				return c.p.respond(map[string]bool{"auto_register": list.AutoRegister}, "%s\n", autoText(list.AutoRegister))
			}
			body := map[string]bool{"auto_register": args[0] == "on"}
			if err := client.Do(cmd.Context(), http.MethodPut, "/api/editors/settings", body, nil); err != nil {
				return err
			}
			return c.p.respond(body, "%s\n", autoText(args[0] == "on"))
		},
	}
}

func autoText(on bool) string {
	if on {
		return "On: newly found editors get the entry automatically."
	}
	return "Off: newly found editors get the entry only when you register them."
}
