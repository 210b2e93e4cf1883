package cli

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
)

func (c editorCommands) preview() *cobra.Command {
	var choice editorChoice
	var remove bool
	cmd := &cobra.Command{
		Use: "preview EDITOR... | --all", Short: "Show what registering would change, without changing it", ValidArgsFunction: completeEditors,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := choice.check(args); err != nil {
				return err
			}
			client, err := c.client(cmd.Context())
			if err != nil {
				return err
			}
			action := registration.Register
			if remove {
				action = registration.Unregister
			}
			plans, err := plan(cmd.Context(), client, with(choice.body(args), "action", action))
			if err != nil {
				return err
			}
			if c.json {
				return c.printJSON(plans)
			}
			c.printPlans(plans.Plans)
			return nil
		},
	}
	choice.flags(cmd)
	cmd.Flags().BoolVar(&remove, "unregister", false, "show what removing the entry would change")
	choice.replaceFlag(cmd)
	return cmd
}

// change returns the command register or unregister.
func (c editorCommands) change(action registration.Action, short string) *cobra.Command {
	var choice editorChoice
	cmd := &cobra.Command{
		Use: string(action) + " EDITOR... | --all", Short: short, ValidArgsFunction: completeEditors,
		Long: short + `. The change of each file is shown before
you are asked to confirm it. To undo it: agent-discover editors undo

EDITOR is an id from: agent-discover editors list`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := choice.check(args); err != nil {
				return err
			}
			client, err := c.client(cmd.Context())
			if err != nil {
				return err
			}
			body := choice.body(args)
			plans, err := plan(cmd.Context(), client, with(body, "action", action))
			if err != nil {
				return err
			}
			if err := c.confirmPlans(plans.Plans, choice.yes); err != nil {
				return err
			}
			return c.apply(cmd.Context(), client, "/api/editors/"+string(action), with(body, "expect", hashes(plans.Plans)))
		},
	}
	choice.flags(cmd)
	cmd.Flags().BoolVar(&choice.yes, "yes", false, "change the files without asking")
	if action == registration.Register {
		choice.replaceFlag(cmd)
	}
	return cmd
}

func plan(ctx context.Context, client *instance.Client, body map[string]any) (plans resources.Plans, err error) {
	err = client.Do(ctx, http.MethodPost, "/api/editors/plan", body, &plans)
	return plans, err
}

// hashes returns the hash of each file when it was planned. The hub changes a
// file only if its hash is still the same.
func hashes(plans []registration.Plan) map[string]string {
	out := make(map[string]string)
	for _, plan := range plans {
		out[plan.Path] = plan.Before
	}
	return out
}

// confirmPlans shows the planned changes and asks for confirmation. Without a
// terminal it requires --yes, because people wrote these files.
func (c editorCommands) confirmPlans(plans []registration.Plan, yes bool) error {
	changes := 0
	for _, plan := range plans {
		if !plan.Nothing && plan.Problem == "" {
			changes++
		}
	}
	if yes || changes == 0 {
		return nil
	}
	if !c.interactive {
		return usagef("standard input is not a terminal, so the change cannot be confirmed; check it with agent-discover editors preview, then add --yes")
	}
	editorCommands{c.prompting()}.printPlans(plans)
	files := "this file"
	if changes > 1 {
		files = fmt.Sprintf("these %d files", changes)
	}
	if !c.confirm("Change " + files + "?") {
		return fault.New(fault.Denied, "nothing was changed")
	}
	return nil
}

// apply asks the hub to make changes and prints the outcomes. It fails if one of
// the changes was refused or failed.
func (c editorCommands) apply(ctx context.Context, client *instance.Client, path string, body map[string]any) error {
	var out resources.Outcomes
	if err := client.Do(ctx, http.MethodPost, path, body, &out); err != nil {
		return err
	}
	if c.json {
		if err := c.printJSON(out); err != nil {
			return err
		}
	} else {
		c.printOutcomes(out.Outcomes)
	}
	if slices.ContainsFunc(out.Outcomes, func(o registration.Outcome) bool { return o.Status == "refused" || o.Status == "failed" }) {
		return exitCode(exitFailed)
	}
	return nil
}
