package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/servers/risk"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
)

// setupCommands are the commands that add servers from a file.
type setupCommands struct{ p *program }

func (c setupCommands) sync() *cobra.Command {
	return &cobra.Command{
		Use:   "sync [FILE]",
		Short: "Add the servers that a setup file declares",
		Long: `Add the servers that a setup file declares. Without FILE, read the setup file that the
hub reads at its start: setup_file in config.yaml, or AGENT_DISCOVER_SETUP_FILE.

Servers that are configured already are not changed, except that the secrets of those
that the file declares are set again. What the servers of FILE would run is shown, and
they are added after you have answered on the terminal. Without a terminal they wait for
approval. A setup file is JSON and may contain comments:

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
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			var result setup.SyncResult
			sync := func(client *instance.Client) error {
				return client.Do(cmd.Context(), http.MethodPost, "/api/sync", body, &result)
			}
			if err := c.p.unlessSeen(cmd.Context(), client, "Add these servers?", sync, func() (string, error) {
				return declared(cmd.Context(), client, body["file"])
			}); err != nil {
				return err
			}
			return c.printSync(result)
		},
	}
}

// unlessSeen shows the text of describe to the person at the terminal. If the person agrees, it calls add with a client
// that acts for that person; if the person declines, it returns an error. If the text is empty or there is no terminal,
// it calls add with client, and the added servers wait for approval.
func (p *program) unlessSeen(ctx context.Context, client *instance.Client, question string, add func(*instance.Client) error,
	describe func() (string, error),
) error {
	text, err := describe()
	if err != nil {
		return err
	}
	if text == "" {
		return add(client)
	}
	switch yes, err := p.askPerson(ctx, text, question); {
	case errors.Is(err, errNoPerson):
		return add(client)
	case err != nil:
		return err
	case !yes:
		return fault.New(fault.Denied, "nothing was added")
	}
	return decided(ctx, client, add)
}

// declared describes the servers that a setup file declares: the launches of new servers, and
// the existing servers whose secrets may be set again.
func declared(ctx context.Context, client *instance.Client, file string) (string, error) {
	if file == "" {
		return "", nil
	}
	configured, err := allServers(ctx, client)
	if err != nil {
		return "", err
	}
	known := make(map[string]bool)
	for _, s := range configured {
		known[s.Name] = true
	}
	servers, _ := setup.Preview(file) // the hub reports the errors in the file
	var b strings.Builder
	for _, s := range servers {
		if known[s.Name] {
			fmt.Fprintf(&b, "%s exists; its secrets are set again if the file declares the same server.\n", cell(s.Name))
			continue
		}
		assessed := risk.Assess(s)
		b.WriteString(launched(cell(s.Name)+":\n", setup.RunsOf(s), [][2]string{{"description", s.Description}}, &assessed))
	}
	return b.String(), nil
}

// existing returns the absolute path of a file, because the hub has another working folder. If the
// file does not exist, existing returns an error.
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
	if c.p.json {
		if err := c.p.printJSON(r); err != nil {
			return err
		}
	} else {
		if len(r.Registered)+len(r.Activated)+len(r.Skipped)+len(r.Errors) == 0 {
			c.p.printf("Nothing to add: no setup file is configured, or it declares no servers.\n")
		}
		for _, group := range []struct {
			result string
			names  []string
		}{
			{"added", r.Registered},
			{"always listed", r.Activated},
			{"skipped (already configured)", r.Skipped},
			{"waiting for approval", r.Waiting},
		} {
			if len(group.names) > 0 {
				c.p.printf("%s: %s\n", group.result, strings.Join(group.names, ", "))
			}
		}
		if len(r.Unset) > 0 {
			c.p.printf("not set, so left empty: %s\n", strings.Join(r.Unset, ", "))
		}
		for _, one := range r.Notes {
			c.p.printf("note: %s: %s\n", one.Name, one.Note)
		}
		for _, failure := range r.Errors {
			c.p.printf("failed: %s: %s\n", failure.Name, failure.Error)
		}
	}
	if len(r.Errors) > 0 {
		return exitCode(exitFailed)
	}
	return nil
}
