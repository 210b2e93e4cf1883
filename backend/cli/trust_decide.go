package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/trust/quarantine"
)

func (c trustCommands) approve() *cobra.Command {
	var clean bool
	cmd := c.itemCommand("approve SERVER [NAME]", "Show a definition, and approve it",
		func(ctx context.Context, client *instance.Client, i operations.TrustDetail) error {
			return c.approveItem(ctx, client, i)
		})
	one := cmd.RunE
	cmd.Long = `Show a definition with what the scan has found in it, ask on the terminal, and approve it.
For a blocked one, the question is asked twice. With --clean, approve how the server is
started now, and everything that is held of it in which the scan finds nothing.

Only a person may approve. So the question is asked on the controlling terminal, whatever
standard input is.`
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !clean {
			return one(cmd, args)
		}
		if len(args) > 1 {
			return usagef("--clean approves what is held of a server; leave out %q", args[1])
		}
		client, err := c.p.client(cmd.Context())
		if err != nil {
			return err
		}
		return c.approveClean(cmd.Context(), client, args[0])
	}
	cmd.Flags().BoolVar(&clean, "clean", false, "approve everything of the server in which the scan finds nothing")
	return cmd
}

func (c trustCommands) approveItem(ctx context.Context, client *instance.Client, i operations.TrustDetail) error {
	blocked := i.Verdict == quarantine.Block
	const unchanged = "nothing was approved"
	send := func(person *instance.Client) error {
		return person.Do(ctx, http.MethodPost, fmt.Sprintf("/api/trust/items/%d/approve", i.ID),
			map[string]any{"hash": i.Hash, "confirmed": blocked}, nil)
	}
	name := strings.TrimSpace(string(i.Kind) + " " + safetext.Visible(i.Name))
	if blocked {
		yes, err := c.p.askPerson(ctx, describeItem(i), "The scan blocks it. Approve "+name+" nevertheless?")
		if err != nil && !errors.Is(err, errNoPerson) { // without a terminal, decide returns the error below
			return err
		}
		if err == nil && !yes {
			return fault.New(fault.Denied, unchanged)
		}
		err = c.p.decide(ctx, client, "", "Models will read this text. Approve it for good?", unchanged, send)
		if err != nil {
			return err
		}
	} else if err := c.p.decide(ctx, client, describeItem(i), "Approve "+name+"?", unchanged, send); err != nil {
		return err
	}
	return c.p.respond(map[string]string{"approved": i.Name}, "Approved %s of server %s\n", name, i.Server)
}

func (c trustCommands) approveClean(ctx context.Context, client *instance.Client, server string) error {
	list, err := trustItems(ctx, client, server, false)
	if err != nil {
		return err
	}
	var shown strings.Builder
	clean := 0
	for _, s := range list.Servers {
		shown.WriteString(describeLaunch(s))
		clean += s.Clean
	}
	for _, i := range list.Items {
		if i.Waits && i.Verdict < quarantine.Warn {
			fmt.Fprintf(&shown, "  %s %s: %s\n", i.Kind, safetext.Visible(i.Name), i.Why)
		}
	}
	if clean == 0 && shown.Len() == 0 {
		return c.p.respond(operations.TrustApproval{Waiting: len(list.Items)}, "Nothing of server %s can be approved together.\n", server)
	}
	s := list.Servers[0] // trustItems was asked for one server only
	var done operations.TrustApproval
	err = c.p.decide(ctx, client, shown.String(), fmt.Sprintf("Approve %s of server %s?", counted(clean, "item", "items"), server),
		"nothing was approved", func(person *instance.Client) error {
			return person.Do(ctx, http.MethodPost, fmt.Sprintf("/api/trust/servers/%d/approve", s.ID),
				map[string]string{"launch_hash": s.LaunchHash}, &done)
		})
	if err != nil {
		return err
	}
	return c.p.respond(done, "Approved %s; %d still wait\n", counted(done.Approved, "item", "items"), done.Waiting)
}

func (c trustCommands) reject() *cobra.Command {
	return c.itemCommand("reject SERVER [NAME]", "Show a definition, and keep it from agents",
		func(ctx context.Context, client *instance.Client, i operations.TrustDetail) error {
			name := strings.TrimSpace(string(i.Kind) + " " + safetext.Visible(i.Name))
			path, body := fmt.Sprintf("/api/trust/items/%d/reject", i.ID), map[string]any{"hash": i.Hash}
			err := c.p.decide(ctx, client, describeItem(i), "Reject "+name+"?", "nothing was rejected",
				func(person *instance.Client) error { return person.Do(ctx, http.MethodPost, path, body, nil) })
			if err != nil {
				return err
			}
			return c.p.respond(map[string]string{"rejected": i.Name}, "Rejected %s of server %s\n", name, i.Server)
		})
}
