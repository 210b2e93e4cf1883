package cli

import (
	"net/http"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/browser"
	"github.com/agent-discover/agent-discover/backend/base/instance"
)

// opened is the output of open --json.
type opened struct {
	URL    string `json:"url"` // contains a sign-in ticket unless a browser was started
	Opened bool   `json:"opened"`
}

func (h hubCommands) open() *cobra.Command {
	var only bool
	cmd := &cobra.Command{
		Use: "open", Short: "Open the dashboard in the browser", Args: cobra.NoArgs,
		Long: `Open the dashboard in the browser. If no browser can be started, the address is
printed instead. The address works once, within 30 seconds. The hub is started if it
is not running, even after "agent-discover stop".

The browser is the command in the variable BROWSER, or the default browser of the
system. It gets the path of a file that only you can read and that is removed when the
dashboard has opened, because other users can see the arguments of a program.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// Ensure starts the hub even if the user has stopped it before, because a
			// user who runs this command wants to use the hub.
			info, err := instance.Ensure(cmd.Context(), h.p.folder, "open")
			if err != nil {
				return err
			}
			issue := func(out any, file bool, snap string) error {
				want := map[string]any{"purpose": "page", "file": file, "snap": snap}
				return instance.NewClient(info).Do(cmd.Context(), http.MethodPost, "/api/tickets", want, out)
			}
			address := "http://" + info.Address() + "/"
			if b, ok := browser.Find(); ok && !only {
				var redirect struct{ File string }
				if err := issue(&redirect, true, b.Snap); err != nil {
					return err
				}
				if b.Open(redirect.File) {
					return h.p.respond(opened{address, true},
						"The dashboard opens in your browser. If it does not: agent-discover open --print\n")
				}
			}
			var ticket struct{ Ticket string }
			if err := issue(&ticket, false, ""); err != nil {
				return err
			}
			address += "#ticket=" + ticket.Ticket
			return h.p.respond(opened{address, false}, "Open this address in a browser. It works once, within 30 seconds:\n%s\n", address)
		},
	}
	cmd.Flags().BoolVar(&only, "print", false, "print the address instead of opening it")
	return cmd
}
