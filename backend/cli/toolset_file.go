package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

func (c toolsetCommands) export() *cobra.Command {
	return &cobra.Command{
		Use: "export NAME", Short: "Print a toolset as a file for other machines", Args: cobra.ExactArgs(1),
		Long: `Print a toolset as a file. It names servers, tools, hashes of their definitions and notes,
and contains no definitions, commands and secrets.`,
		ValidArgsFunction: c.p.completeWith(inOrder(toolsetNames)),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			var file json.RawMessage
			if err := client.Do(cmd.Context(), http.MethodGet, toolsetPath(args[0], "export"), nil, &file); err != nil {
				return err
			}
			return c.p.printJSON(file)
		},
	}
}

func (c toolsetCommands) importFile() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use: "import FILE", Short: "Create a toolset from an exported file", Args: cobra.ExactArgs(1),
		Long: `Create a toolset from an exported file, "-" for standard input. Tools that are here as they
were exported are ready. Others have to be pinned first, with the difference shown.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := c.readToolset(args[0])
			if err != nil {
				return err
			}
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			var view operations.ToolsetView
			if err := client.Do(cmd.Context(), http.MethodPost, "/api/toolsets/import",
				map[string]string{"file": string(data), "name": name}, &view); err != nil {
				return err
			}
			return c.p.respond(view, "Imported the toolset %s: %s, %s\n", view.Name, counted(len(view.Tools), "tool", "tools"),
				toolsetState(view))
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "`NAME` of the toolset, if it is not to have that in the file")
	return cmd
}

func (c toolsetCommands) readToolset(file string) ([]byte, error) {
	in := c.p.in
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, fault.Wrap(err, fault.NotFound, "cannot read the file %s", file)
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, toolset.MaxFile+1))
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "cannot read the file %s", file)
	}
	return data, nil
}
