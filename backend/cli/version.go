package cli

import (
	"os"

	"github.com/spf13/cobra"
)

func (h hubCommands) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			exe, _ := os.Executable() // left empty if the system cannot report it
			return h.p.respond(map[string]string{"version": h.p.version, "program": exe}, "agent-discover %s\n", h.p.version)
		},
	}
}
