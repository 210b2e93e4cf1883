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

// foreground is how long an opener is watched for a failure. One that runs on
// is the browser itself.
const foreground = 3 * time.Second

type opened struct {
	URL    string `json:"url"`
	Opened bool   `json:"opened"`
}

func (p *program) open() *cobra.Command {
	var only bool
	cmd := &cobra.Command{
		Use: "open", Short: "Open the dashboard in the browser", Args: cobra.NoArgs,
		Long: `Open the dashboard in the browser. The address lets one page in, once and within
30 seconds; where there is no browser it is printed.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// A person wants the hub: it stays, also after they stopped it before.
			info, err := instance.Ensure(cmd.Context(), p.folder, "open")
			if err != nil {
				return err
			}
			var ticket struct{ Ticket string }
			want := map[string]string{"purpose": "page"}
			if err := instance.NewClient(info).Do(cmd.Context(), http.MethodPost, "/api/tickets", want, &ticket); err != nil {
				return err
			}
			address := "http://" + info.Address() + "/#ticket=" + ticket.Ticket
			if !only && show(address) {
				return p.say(opened{address, true}, "The dashboard opens in your browser. If it does not: agent-discover open --print\n")
			}
			return p.say(opened{address, false}, "Open this address; it works once, and for 30 seconds:\n%s\n", address)
		},
	}
	cmd.Flags().BoolVar(&only, "print", false, "print the address instead of opening it")
	return cmd
}

// show hands an address to the system's opener and reports whether that took it.
func show(address string) bool {
	argv := opener(runtime.GOOS, os.Getenv)
	if argv == nil {
		return false
	}
	cmd := exec.Command(argv[0], append(argv[1:], address)...)
	if cmd.Start() != nil {
		return false
	}
	failed := make(chan error, 1)
	go func() { failed <- cmd.Wait() }() // ends with this process
	select {
	case err := <-failed:
		return err == nil
	case <-time.After(foreground):
		return true
	}
}

// opener returns the command that opens an address, nil where nobody could see
// the page.
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
