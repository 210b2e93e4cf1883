package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/base/words"
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
	var hub pausedStatus
	if err := client.Do(ctx, http.MethodGet, "/api/status", nil, &hub); err != nil {
		return err
	}
	if err := c.p.printServers([]operations.Server{detail.Server}, hub.Paused); err != nil {
		return err
	}
	if !detail.Approved {
		c.p.printf("\n%s", proposal(ctx, client, detail.Server, operations.Download{}))
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
	if detail.Dir != "" {
		c.p.printf("  starts in %s\n", cell(detail.Dir))
	}
	if detail.StartTimeout != "" {
		c.p.printf("  may be silent for %s while it starts\n", detail.StartTimeout)
	}
	if detail.CallTimeout != "" {
		c.p.printf("  has %s for a call without progress\n", detail.CallTimeout)
	}
	c.p.printSandbox(detail.Sandbox)
	for _, setting := range append(assignments(detail.Env, "="), assignments(detail.Headers, ": ")...) {
		c.p.printf("  %s\n", setting)
	}
	disabled, err := disabledTools(ctx, client, s.Name)
	if err != nil {
		return err
	}
	for _, t := range detail.Tools {
		name := cell(t.Name)
		if why := disabled[t.Name]; why != "" {
			name += " (" + why + ")"
		}
		c.p.printf("  %s  %s\n", name, safetext.Clip(firstLine(t.Description), 90))
	}
	c.printCorrections(detail.Corrections)
	switch {
	case detail.LastError != "":
		c.p.printf("\nLast error: %s\n", detail.LastError)
	case detail.State == words.Failing && detail.StateReason != "":
		c.p.printf("\nIt %s\n", safetext.Visible(detail.StateReason))
	}
	if err := c.printFailures(ctx, client, s); err != nil {
		return err
	}
	if detail.Stderr != "" {
		c.p.printf("\nLast output on standard error:\n%s\n", strings.TrimRight(detail.Stderr, "\n"))
	}
	return nil
}

// disabledTools returns why the configuration disables tools of a server, by their names.
func disabledTools(ctx context.Context, client *instance.Client, server string) (map[string]string, error) {
	var tools []operations.KnownTool
	if err := client.Do(ctx, http.MethodGet, "/api/tools?brief=true&server="+url.QueryEscape(server), nil, &tools); err != nil {
		return nil, err
	}
	disabled := make(map[string]string)
	for _, t := range tools {
		disabled[t.Name] = t.Why
	}
	return disabled, nil
}

// printFailures prints the last failed calls of a server.
func (c serverCommands) printFailures(ctx context.Context, client *instance.Client, s operations.Server) error {
	list, err := logCommands(c).entries(ctx, client, logFilter{server: s.Name, kinds: []string{"call"}, failed: true, limit: 3})
	if err != nil || len(list.Entries) == 0 {
		return err
	}
	c.p.printf("\nLast failed calls (all of one: agent-discover logs show ID):\n")
	for _, e := range list.Entries {
		c.p.printf("  %d  %s  %s  %s: %s\n", e.ID, when(e), cell(e.Tool), words.Lower(words.Outcome(e.Outcome)),
			safetext.Clip(cell(e.Response), 120))
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
