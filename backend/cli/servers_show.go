package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

func (c serverCommands) show(ctx context.Context, client *instance.Client, s operations.Server, _ []string) error {
	var detail struct {
		operations.Server
		Tools       []operations.Tool       `json:"tools"`
		Stderr      string                  `json:"stderr,omitempty"`
		Corrections []operations.Correction `json:"corrections,omitempty"`
	}
	if err := client.Do(ctx, http.MethodGet, serverPath(s, ""), nil, &detail); err != nil {
		return err
	}
	if c.p.json {
		return c.p.printJSON(detail)
	}
	if err := c.p.printServers([]operations.Server{detail.Server}, false); err != nil {
		return err
	}
	if !detail.Approved {
		c.p.printf("\n%s", proposal(ctx, client, detail.Server))
		return nil
	}
	if detail.Isolation == registry.PerSession {
		c.p.printf("  each session of a client has its own process or connection\n")
	}
	for _, connection := range detail.Connections {
		where := "connection"
		if connection.PID != 0 {
			where = fmt.Sprintf("process %d", connection.PID)
		}
		c.p.printf("  %s speaks MCP %s\n", where, connection.Protocol)
	}
	c.p.printSandbox(detail.Sandbox)
	for _, setting := range append(assignments(detail.Env, "="), assignments(detail.Headers, ": ")...) {
		c.p.printf("  %s\n", setting)
	}
	for _, t := range detail.Tools {
		c.p.printf("  %s  %s\n", cell(t.Name), safetext.Clip(firstLine(t.Description), 90))
	}
	c.printCorrections(detail.Corrections)
	if detail.LastError != "" {
		c.p.printf("\nLast error: %s\n", detail.LastError)
	}
	if detail.Stderr != "" {
		c.p.printf("\nLast output on standard error:\n%s\n", strings.TrimRight(detail.Stderr, "\n"))
	}
	return nil
}

// maxCorrections is how many corrections servers show prints.
const maxCorrections = 40

// printCorrections prints the tools, prompts and resources of a server that the hub corrects or leaves out in
// the lists for clients.
func (c serverCommands) printCorrections(all []operations.Correction) {
	if len(all) == 0 {
		return
	}
	c.p.printf("\nClients would refuse whole lists because of these, and are shown them mended:\n")
	for _, one := range all[:min(len(all), maxCorrections)] {
		name, end := cmp.Or(one.Name, "without a name"), ""
		if one.LeftOut {
			end = "; the " + string(one.Kind) + " is left out"
		}
		c.p.printf("  %s %s: %s%s\n", one.Kind, cell(safetext.Clip(name, 100)), safetext.Visible(strings.Join(one.Changes, "; ")), end)
	}
	if more := len(all) - maxCorrections; more > 0 {
		c.p.printf("  and %d more (--json prints all)\n", more)
	}
}
