package cli

import (
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
)

func (h hubCommands) mcp() *cobra.Command {
	return &cobra.Command{
		Use: "mcp", Short: "Run the stdio MCP server (started by editors)", Args: cobra.NoArgs,
		Long: `Run the MCP server that editors start. It reads and writes JSON-RPC messages on
standard input and output, and passes them to the hub, which it starts if necessary.
You do not run it yourself; to add it to your editors: agent-discover editors register`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c := &companion.Companion{
				Folder: h.folder, Version: h.version, In: h.in, Out: h.out, Tool: gateway.RegistryTool(),
				Log: slog.New(slog.NewTextHandler(h.err, nil)),
			}
			// A signal ends the process without waiting for Run, which may be
			// blocked reading standard input. The hub sees the socket close.
			done := make(chan error, 1)
			go func() { done <- c.Run(cmd.Context()) }()
			select {
			case err := <-done:
				return err
			case <-cmd.Context().Done():
				return nil
			}
		},
	}
}
