package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/trust/quarantine"
)

// trustHelp explains the purpose of the commands about held items.
const trustHelp = `Tools, prompts, resources and instructions reach agents only in the version that is
approved. What a server that you add lists first is approved with it, unless the scan finds
signs of an attack. Later, changed and new ones are held until you have looked at them, and
so is everything of a server that an agent proposed.`

func (c trustCommands) list() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "list [SERVER]", Short: "List what needs your decision", Args: cobra.MaximumNArgs(1),
		Long: trustHelp + `

List what is held, and what is in use although the scan warns of it. The command exits with
4 if something waits for your decision, and with 0 otherwise.`,
		ValidArgsFunction: c.p.completeWith(inOrder(serverNames)),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			server := strings.Join(args, "")
			if all && server == "" {
				return usagef("--all needs the name of a server")
			}
			list, err := trustItems(cmd.Context(), client, server, all)
			if err != nil {
				return err
			}
			return c.printList(list)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "list everything of the server, also what needs no decision")
	return cmd
}

func trustItems(ctx context.Context, client *instance.Client, server string, all bool) (list operations.TrustList, err error) {
	query := url.Values{}
	if server != "" {
		if _, err := serverNamed(ctx, client, server); err != nil {
			return list, err
		}
		query.Set("server", server)
	}
	if all {
		query.Set("all", "true")
	}
	err = client.Do(ctx, http.MethodGet, "/api/trust?"+query.Encode(), nil, &list)
	return list, err
}

func (c trustCommands) printList(list operations.TrustList) error {
	waiting := 0
	for _, i := range list.Items {
		if i.Waits {
			waiting++
		}
	}
	for _, s := range list.Servers {
		waiting += len(s.LaunchChanges)
	}
	if err := c.printItems(list); err != nil {
		return err
	}
	if waiting > 0 {
		return exitCode(exitWaiting)
	}
	return nil
}

func (c trustCommands) printItems(list operations.TrustList) error {
	if c.p.json {
		return c.p.printJSON(list)
	}
	for _, s := range list.Servers {
		c.p.printf("%s", describeLaunch(s))
	}
	if len(list.Items) == 0 {
		if len(list.Servers) == 0 {
			c.p.printf("Nothing is held.\n")
		}
		return nil
	}
	table := c.p.table("SERVER", "KIND", "NAME", "STATE", "SCAN", "WHY")
	for _, i := range list.Items {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", cell(i.Server), i.Kind, cell(i.Name), i.State, i.Verdict, trustWhy(i))
	}
	return table.Flush()
}

// trustWhy returns why a person should look at an item.
func trustWhy(i operations.TrustItem) string {
	switch {
	case i.Why != "" && !i.Listed:
		return "no longer listed; " + i.Why
	case i.Why != "":
		return i.Why
	case i.Warns && i.Verdict >= quarantine.Warn:
		return "in use; the scan warns of it"
	case i.Warns:
		return "in use; its definition changes back and forth"
	}
	return ""
}

// describeLaunch returns how the launch of a server differs from the approved one.
func describeLaunch(s operations.TrustServer) string {
	if len(s.LaunchChanges) == 0 {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "The configuration of %s has changed since it was approved, and it is not started:\n", safetext.Visible(s.Name))
	for _, change := range s.LaunchChanges {
		fmt.Fprintf(&out, "  %s: %s → %s\n", change.Field, orNone(change.Before), orNone(change.After))
	}
	return out.String()
}

func orNone(text string) string {
	if text == "" {
		return "(none)"
	}
	return safetext.Runs(safetext.Visible(text))
}

func (c trustCommands) show() *cobra.Command {
	return c.itemCommand("show SERVER [NAME]", "Show a definition, and what the scan has found in it",
		func(_ context.Context, _ *instance.Client, i operations.TrustDetail) error {
			if c.p.json {
				return c.p.printJSON(i)
			}
			c.p.printf("%s", describeItem(i))
			return nil
		})
}

func (c trustCommands) diff() *cobra.Command {
	return c.itemCommand("diff SERVER [NAME]", "Show how a definition differs from the approved one",
		func(_ context.Context, _ *instance.Client, i operations.TrustDetail) error {
			switch {
			case c.p.json:
				return c.p.printJSON(i.Changes)
			case i.Approved == "":
				c.p.printf("No definition of it was approved before; this is all of it:\n%s\n", i.Definition)
			case len(i.Changes) == 0:
				c.p.printf("No changes: this is the approved definition.\n")
			default:
				c.p.printf("%s", describeChanges(i))
			}
			return nil
		})
}

// itemCommand returns a command that calls do with the item that its arguments name.
func (c trustCommands) itemCommand(use, short string,
	do func(context.Context, *instance.Client, operations.TrustDetail) error,
) *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.RangeArgs(1, 2), Long: short + `. NAME is that of a tool or prompt, or the URI
of a resource or template. Leave it out for the instructions of the server.`,
		ValidArgsFunction: c.p.completeWith(inOrder(serverNames)),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			i, err := trustItem(cmd, client, args[0], strings.Join(args[1:], ""), kind)
			if err != nil {
				return err
			}
			return do(cmd.Context(), client, i)
		},
	}
	cmd.Flags().StringVar(&kind, "kind", "",
		"`KIND` of the item, if several have the name: tool, prompt, resource, template or instructions")
	return cmd
}

// trustItem returns the item of a server that has the name and, unless kind is empty, the kind. It fails if several
// items match. cmd is the command that needs the item.
func trustItem(cmd *cobra.Command, client *instance.Client, server, name, kind string) (detail operations.TrustDetail, err error) {
	ctx := cmd.Context()
	list, err := trustItems(ctx, client, server, true)
	if err != nil {
		return detail, err
	}
	var kinds []string
	var id int64
	for _, i := range list.Items {
		if i.Name == name && (kind == "" || kind == string(i.Kind)) {
			kinds, id = append(kinds, string(i.Kind)), i.ID
		}
	}
	switch {
	case len(kinds) == 0 && name == "":
		return detail, unnamedItem(cmd, list.Items, server)
	case len(kinds) == 0:
		return detail, fault.New(fault.NotFound, "server %s lists nothing named %q; see: agent-discover trust list %[1]s --all",
			server, name)
	case len(kinds) == 1:
		return detail, client.Do(ctx, http.MethodGet, fmt.Sprintf("/api/trust/items/%d", id), nil, &detail)
	}
	return detail, fault.New(fault.Invalid, "server %s lists several items named %q; add --kind with one of: %s", server, name,
		strings.Join(kinds, ", "))
}

// unnamedItem returns the error of a command whose arguments name no item but the instructions of a server that has
// none. It names the items that are held.
func unnamedItem(cmd *cobra.Command, items []operations.TrustItem, server string) error {
	const most = 5
	var held []string
	clean := false
	for _, i := range items {
		if i.Waits && i.Name != "" {
			held = append(held, string(i.Kind)+" "+safetext.Clip(safetext.Visible(i.Name), 100))
			clean = clean || i.Verdict < quarantine.Warn
		}
	}
	command := cmd.CommandPath() + " " + server
	if len(held) == 0 {
		return fault.New(fault.NotFound, "a NAME is missing, and nothing of server %s is held; see: agent-discover trust list %[1]s --all", server)
	}
	if more := len(held) - most; more > 0 {
		held = append(held[:most], fmt.Sprintf("%d more", more))
	}
	text := fmt.Sprintf("a NAME is missing; held of server %s: %s. For one of them: %s NAME", server, strings.Join(held, ", "), command)
	if clean && cmd.Flags().Lookup("clean") != nil {
		text += ". For everything in which the scan finds nothing: " + command + " --clean"
	}
	return fault.New(fault.NotFound, "%s", text)
}

// describeItem describes an item and the findings of the scan for a person.
func describeItem(i operations.TrustDetail) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s of server %s: %s\n", i.Kind, safetext.Visible(i.Name), safetext.Visible(i.Server), i.State)
	if why := trustWhy(i.TrustItem); why != "" {
		fmt.Fprintf(&out, "Why: %s\n", why)
	}
	fmt.Fprintf(&out, "Scan: %s\n", i.Verdict)
	for _, f := range i.Findings {
		fmt.Fprintf(&out, "  %s at %s: %s\n    %s\n", safetext.Visible(f.Rule), safetext.Visible(f.Field), safetext.Visible(f.Reason),
			safetext.Visible(f.Text))
	}
	if i.Approved != "" && len(i.Changes) > 0 {
		out.WriteString(describeChanges(i))
	}
	fmt.Fprintf(&out, "%s\n", i.Definition)
	return out.String()
}

// describeChanges returns how a definition differs from the approved one: removed words in
// [-…-], added ones in {+…+}.
func describeChanges(i operations.TrustDetail) string {
	var out strings.Builder
	for _, change := range i.Changes {
		fmt.Fprintf(&out, "%s: %s\n", safetext.Visible(change.Field), safetext.Visible(change.Words))
		if len(change.Parts) > 0 {
			fmt.Fprintf(&out, "  %s\n", strings.ReplaceAll(safetext.Prose(marked(change.Parts)), "\n", "\n  "))
		} else if change.After != "" && change.Kind == "added" {
			fmt.Fprintf(&out, "  %s\n", safetext.Visible(change.After))
		}
	}
	return out.String()
}
