package cli

import (
	"context"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

func (c serverCommands) rename() *cobra.Command {
	return withLong(c.p.serverCommand("rename NAME NEW", "Give a server another name", 2,
		func(ctx context.Context, client *instance.Client, s operations.Server, args []string) error {
			var now operations.Server
			body := map[string]string{"name": args[0]}
			if err := client.Do(ctx, http.MethodPost, serverPath(s, "rename"), body, &now); err != nil {
				return err
			}
			for _, note := range now.Notes {
				c.p.notef("Note: %s\n", cell(note))
			}
			return c.p.respond(now, "Renamed server %s to %s. Its tools are now called %[2]s__TOOL.\n", s.Name, now.Name)
		}), `Give a server another name. Its secrets, approvals, toolsets, rules in config.yaml,
learned queries, tokens and log belong to the new name from then on; the audit log stays
as it was written. The server is stopped, and starts again with its next call.

Agents call its tools by their new names. Names that people have written elsewhere stay
as they are: in prompts, in a setup file, and in entries of editors that show only this
server.`)
}
