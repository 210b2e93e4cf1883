package cli

import (
	"context"
	"errors"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/words"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

func (c serverCommands) approve() *cobra.Command {
	var yes bool
	var code string
	cmd := c.p.serverCommand("approve NAME", "Show a server that an agent proposed, and approve it", 1,
		func(ctx context.Context, client *instance.Client, s operations.Server, _ []string) error {
			if yes && code == "" {
				return usagef("--yes does not replace a person's answer: run the command in a terminal, or add --code with the code " +
					"that the tray and the dashboard show for this server")
			}
			return c.approveServer(ctx, client, s, code)
		})
	cmd.Long = `Show what a server that an agent proposed would run, ask on the terminal, and approve
it. The approval covers exactly what was shown.

Only a person may approve a server. So the question is asked on the controlling
terminal, whatever standard input is. Without a terminal, the command needs the code
that the tray and the dashboard show for this server; each code works once.`
	cmd.Flags().StringVar(&code, "code", "", "the `CODE` that the tray and the dashboard show for this server")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask; needs --code")
	return cmd
}

// approveServer approves s as it was shown: the hub refuses if the server has
// changed since.
func (c serverCommands) approveServer(ctx context.Context, client *instance.Client, s operations.Server, code string) error {
	if err := c.approval(ctx, client, s, code); err != nil {
		return err
	}
	c.p.notef("Starting %s to list its tools …\n", s.Name)
	if err := client.Do(ctx, http.MethodPost, serverPath(s, "refresh"), nil, nil); err != nil {
		return fault.Wrap(err, fault.KindOf(err), "server %s was approved, but did not start: %s", s.Name, fault.MessageOf(err))
	}
	s, err := serverNamed(ctx, client, s.Name)
	if err != nil {
		return err
	}
	held, err := trustItems(ctx, client, s.Name, false)
	if err != nil {
		return err
	}
	if len(held.Items) > 0 {
		return c.p.respond(s, "Approved server %s: %s in use, %s held; to review them: agent-discover trust list %s\n",
			s.Name, counted(s.ToolCount, "tool", "tools"), counted(len(held.Items), "item", "items"), s.Name)
	}
	return c.p.respond(s, "Approved server %s: %s\n", s.Name, counted(s.ToolCount, "tool", "tools"))
}

func (c serverCommands) approval(ctx context.Context, client *instance.Client, s operations.Server, code string) error {
	approve := func(client *instance.Client) error {
		body := map[string]string{"launch_hash": s.LaunchHash, "code": code}
		return client.Do(ctx, http.MethodPost, serverPath(s, "approve"), body, nil)
	}
	if s.State == words.Held {
		return fault.New(fault.Denied, "server %s %s; "+remedies[words.Held], s.Name, brief(s.StateReason), s.Name)
	}
	if s.Approved {
		return nil
	}
	if code != "" {
		if !c.p.json {
			c.p.printf("%s", c.inFull(ctx, client, s))
		}
		return approve(client)
	}
	yes, err := c.p.askPerson(ctx, c.inFull(ctx, client, s), "Approve server "+s.Name+"?")
	switch {
	case errors.Is(err, errNoPerson):
		return fault.New(fault.Denied,
			"server %s was not approved: only a person may do that. Approve it in the tray or the dashboard, run this command in a "+
				"terminal, or add --code with the code that the tray and the dashboard show", s.Name)
	case err != nil:
		return err
	case !yes:
		return fault.New(fault.Denied, "server %s was not approved; to remove it: agent-discover servers remove %s", s.Name, s.Name)
	}
	return decided(ctx, client, approve)
}

// inFull describes a server that waits for approval, with what it would download.
func (c serverCommands) inFull(ctx context.Context, client *instance.Client, s operations.Server) string {
	c.p.notef("Looking up what %s would download …\n", s.Name)
	return proposal(ctx, client, s, downloadOf(ctx, client, http.MethodGet, serverPath(s, "download"), nil))
}
