package cli

import (
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
)

// keepSetupVariables saves the environment variables to which a setup file refers, for
// the hub that the companion may start. Editors set these variables only for the
// companion.
func keepSetupVariables(file string) {
	if file == "" {
		return
	}
	_ = instance.KeepSetupVariables(setup.Variables(file)) // after a failure, the hub reports that the variables are not set
}

func (h hubCommands) mcp() *cobra.Command {
	var entry companion.Entry
	cmd := &cobra.Command{
		Use: "mcp", Short: "Run the stdio MCP server (started by editors)", Args: cobra.NoArgs,
		Long: `Run the MCP server that editors start. It reads and writes JSON-RPC messages on
standard input and output, and passes them to the hub, which it starts if necessary.
You do not run it yourself; to add it to your editors: agent-discover editors register

The flag --surface chooses what the editor is shown besides the tools of always listed servers:
  registry     the tool registry (the default)
  meta         find_tool, and call_tool, call_write_tool and call_read_tool, which call what
               it finds, so that the rules of the editor for dangerous tools count; and tools
               that list, search and call tools by the names of servers and tools
  native       nothing
or server:NAME, which shows one server alone, as if the editor had started it: no name is
changed, and the server need not be always listed; or toolset:NAME, which shows the tools of a
toolset and no others.

If the working directory, or the nearest folder above it that has one, contains a file
.agent-discover.json such as {"toolset": "daily"}, the editor is shown this toolset alone.
The file cannot show more than --surface does: server:NAME and toolset:NAME stay.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := entry.Check(); err != nil {
				return err
			}
			entry.Folder = companion.WorkingFolder()
			entry.Project = companion.FindProject(entry.Folder)
			config, err := settings.Load(h.p.folder.Config())
			if err != nil {
				config = settings.Default() // the hub reports the error
			}
			keepSetupVariables(config.SetupFile)
			c := &companion.Companion{
				Folder: h.p.folder, Version: h.p.version, In: h.p.in, Out: h.p.out, Entry: entry,
				Tools: gateway.OwnTools(entry.Surface, entry.Client, config.Results.Folder),
				Log:   slog.New(slog.NewTextHandler(h.p.err, nil)),
			}
			if entry.Toolset != "" {
				c.Tools = nil // only the hub knows whether its own tools are shown with the toolset
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
	cmd.Flags().StringVar(&entry.Client, "client", "",
		"`ID` of the editor, whose limits its tools respect; see: agent-discover editors list")
	cmd.Flags().StringVar(&entry.Surface, "surface", "",
		"what the editor is shown: registry, meta, native, server:`NAME` for a single server, or toolset:NAME")
	return cmd
}
