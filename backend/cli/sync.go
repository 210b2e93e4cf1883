package cli

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
)

// setupCommands are the commands that add servers from a file.
type setupCommands struct{ *program }

func (c setupCommands) sync() *cobra.Command {
	return &cobra.Command{
		Use:   "sync [FILE]",
		Short: "Add the servers that a setup file declares",
		Long: `Add the servers that a setup file declares. Without FILE, read the setup file that the
hub reads at its start: setup_file in config.yaml, or AGENT_DISCOVER_SETUP_FILE.

Servers that are configured already are not changed, except that their secrets are
set again. A setup file is JSON and may contain comments:

  {"servers": [{"name": "memory", "command": "npx",
                "args": ["-y", "@modelcontextprotocol/server-memory"]}]}`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			body := map[string]string{}
			if len(args) == 1 {
				file, err := existing(args[0])
				if err != nil {
					return err
				}
				body["file"] = file
			}
			client, err := c.client(cmd.Context())
			if err != nil {
				return err
			}
			var result setup.SyncResult
			if err := client.Do(cmd.Context(), http.MethodPost, "/api/sync", body, &result); err != nil {
				return err
			}
			return c.printSync(result)
		},
	}
}

// existing returns the absolute path of a file, which the hub needs, or an error
// if there is no such file.
func existing(file string) (string, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return "", fault.Wrap(err, fault.Invalid, "invalid path: %s", file)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", fault.New(fault.NotFound, "there is no file %s", path)
	}
	return path, nil
}

// printSync prints the result of a sync. It fails if one of the file's entries
// failed.
func (c setupCommands) printSync(r setup.SyncResult) error {
	if c.json {
		if err := c.printJSON(r); err != nil {
			return err
		}
	} else {
		if len(r.Registered)+len(r.Activated)+len(r.Skipped)+len(r.Errors) == 0 {
			c.printf("Nothing to add: no setup file is configured, or it declares no servers.\n")
		}
		for _, group := range []struct {
			result string
			names  []string
		}{{"added", r.Registered}, {"activated", r.Activated}, {"skipped (already configured)", r.Skipped}, {"waiting for approval", r.Waiting}} {
			if len(group.names) > 0 {
				c.printf("%s: %s\n", group.result, strings.Join(group.names, ", "))
			}
		}
		for _, failure := range r.Errors {
			c.printf("failed: %s: %s\n", failure.Name, failure.Error)
		}
	}
	if len(r.Errors) > 0 {
		return exitCode(exitFailed)
	}
	return nil
}
