package cli

import (
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/instance"
)

// openerTimeout is how long startBrowser waits for a failure of the opener. An
// opener that runs longer is the browser itself.
const openerTimeout = 3 * time.Second

// opened is the output of open --json.
type opened struct {
	URL    string `json:"url"`
	Opened bool   `json:"opened"`
}

func (h hubCommands) open() *cobra.Command {
	var only bool
	cmd := &cobra.Command{
		Use: "open", Short: "Open the dashboard in the browser", Args: cobra.NoArgs,
		Long: `Open the dashboard in the browser. If no browser can be started, the address is
printed instead. The address works once, within 30 seconds. The hub is started if it
is not running, even after "agent-discover stop".`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// Ensure starts the hub even if the user stopped it before, because
			// this command is a request of the user to use it.
			info, err := instance.Ensure(cmd.Context(), h.folder, "open")
			if err != nil {
				return err
			}
			var ticket struct{ Ticket string }
			want := map[string]string{"purpose": "page"}
			if err := instance.NewClient(info).Do(cmd.Context(), http.MethodPost, "/api/tickets", want, &ticket); err != nil {
				return err
			}
			address := "http://" + info.Address() + "/#ticket=" + ticket.Ticket
			if !only && startBrowser(address) {
				return h.respond(opened{address, true}, "The dashboard opens in your browser. If it does not: agent-discover open --print\n")
			}
			return h.respond(opened{address, false}, "Open this address in a browser. It works once, within 30 seconds:\n%s\n", address)
		},
	}
	cmd.Flags().BoolVar(&only, "print", false, "print the address instead of opening it")
	return cmd
}

// startBrowser passes an address to the system's opener and reports whether the
// opener accepted it.
func startBrowser(address string) bool {
	argv := opener(runtime.GOOS, os.Getenv)
	if argv == nil {
		return false
	}
	cmd := exec.Command(argv[0], append(argv[1:], address)...)
	if cmd.Start() != nil {
		return false
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // ends with this process at the latest
	select {
	case err := <-ended:
		return err == nil
	case <-time.After(openerTimeout):
		return true
	}
}

// opener returns the command that opens an address, or nil if the machine has
// no display.
func opener(system string, env func(string) string) []string {
	switch system {
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	case "darwin":
		return []string{"open"}
	}
	if env("DISPLAY") == "" && env("WAYLAND_DISPLAY") == "" && env("BROWSER") == "" {
		return nil
	}
	return []string{"xdg-open"}
}
