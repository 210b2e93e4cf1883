package cli

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
)

func (c serverCommands) approve() *cobra.Command {
	var yes bool
	cmd := c.serverCommand("approve NAME", "Show a server that an agent proposed, and approve it", 1,
		func(ctx context.Context, client *instance.Client, s resources.Server, _ []string) error {
			return c.approveServer(ctx, client, s, yes)
		})
	cmd.Long = `Show what a server that an agent proposed would run, ask for confirmation, and approve
it. The approval covers exactly what was shown. Without a terminal, nothing is asked:
the command approves the server.`
	cmd.Flags().BoolVar(&yes, "yes", false, "approve without asking")
	return cmd
}

// approveServer approves s as it was shown: the hub refuses if the server has
// changed since.
func (c serverCommands) approveServer(ctx context.Context, client *instance.Client, s resources.Server, yes bool) error {
	if !s.Approved {
		if err := c.confirmProposal(s, yes); err != nil {
			return err
		}
	}
	shown := map[string]string{"launch_hash": s.LaunchHash}
	if err := client.Do(ctx, http.MethodPost, serverPath(s, "approve"), shown, &s); err != nil {
		return err
	}
	if err := client.Do(ctx, http.MethodPost, serverPath(s, "refresh"), nil, nil); err != nil {
		return fault.Wrap(err, fault.KindOf(err), "server %s was approved, but did not start: %s", s.Name, fault.MessageOf(err))
	}
	s, err := serverNamed(ctx, client, s.Name)
	if err != nil {
		return err
	}
	return c.respond(s, "Approved server %s: %s\n", s.Name, counted(s.ToolCount, "tool", "tools"))
}

// confirmProposal shows what would be started and asks, if standard input is a
// terminal.
func (c serverCommands) confirmProposal(s resources.Server, yes bool) error {
	if !c.json || !yes {
		c.prompting().printf("%s", proposal(s))
	}
	if yes || !c.interactive || c.confirm("Approve server "+s.Name+"?") {
		return nil
	}
	return fault.New(fault.Denied, "server %s was not approved; to remove it: agent-discover servers remove %s", s.Name, s.Name)
}

// proposal describes what starting s would run. It shows arguments without
// redaction, because a person has to judge them.
func proposal(s resources.Server) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-12s %s\n", name, cell(value))
		}
	}
	fmt.Fprintf(&b, "%s, proposed by an agent:\n", s.Name)
	line("description", s.Description)
	if s.Command != nil {
		line("command", quoted(*s.Command))
	}
	for i, arg := range s.Args {
		line(fmt.Sprintf("argument %d", i+1), quoted(arg))
	}
	for _, variable := range assignments(s.Env, "=") {
		line("variable", variable)
	}
	line("transport", s.Transport)
	line("URL", text(s.Homepage))
	for _, header := range assignments(s.Headers, ": ") {
		line("header", header)
	}
	line("package", strings.TrimSpace(text(s.PackageName)+" "+text(s.PackageVersion)))
	line("source", s.Source)
	return b.String()
}
