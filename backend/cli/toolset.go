package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

type toolsetCommands struct{ p *program }

func (c toolsetCommands) command() *cobra.Command {
	cmd := &cobra.Command{
		Use: "toolset", Short: "Save lists of tools, and show them to clients", Args: cobra.NoArgs,
		Long: `Save lists of tools across servers, and show them to clients. Without a subcommand, list
them. TOOL is SERVER.TOOL or SERVER__TOOL.

A client that is shown a toolset sees exactly its tools: with the entry
"agent-discover mcp --surface toolset:NAME", with a token of this surface, with the HTTP
header Agent-Discover-Toolset, or because its project has a file .agent-discover.json with
{"toolset": "NAME"}. To equip a client only changes its list: other tools stay reachable.

A tool that its server defines differently than before is drifted: calls are refused until
you have read the difference and pin the tool again.`,
		Example: "  agent-discover toolset create daily notes.read mail.send\n  agent-discover toolset equip daily --client cursor\n" +
			"  agent-discover toolset pin daily notes.read\n  agent-discover toolset export daily > daily.json",
		RunE: func(cmd *cobra.Command, _ []string) error { return c.list(cmd.Context()) },
	}
	list := &cobra.Command{
		Use: "list", Short: "List toolsets", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.list(cmd.Context()) },
	}
	cmd.AddCommand(list, c.show(), c.create(), c.add(), c.remove(), c.note(), c.equip(), c.unequip(), c.pin(), c.approve(), c.export(),
		c.importFile(), c.delete())
	return cmd
}

func toolsetPath(name, action string) string {
	return strings.TrimSuffix("/api/toolsets/"+url.PathEscape(name)+"/"+action, "/")
}

func (c toolsetCommands) fetch(ctx context.Context, client *instance.Client, name string) (operations.ToolsetView, error) {
	var view operations.ToolsetView
	err := client.Do(ctx, http.MethodGet, toolsetPath(name, ""), nil, &view)
	return view, err
}

func toolsetNames(ctx context.Context, client *instance.Client, _ []string) []string {
	var list operations.ToolsetList
	_ = client.Do(ctx, http.MethodGet, "/api/toolsets", nil, &list) // if the hub does not answer, nothing is completed
	names := make([]string, len(list.Toolsets))
	for i, t := range list.Toolsets {
		names[i] = t.Name
	}
	return names
}

func (c toolsetCommands) list(ctx context.Context) error {
	client, err := c.p.client(ctx)
	if err != nil {
		return err
	}
	var list operations.ToolsetList
	if err := client.Do(ctx, http.MethodGet, "/api/toolsets", nil, &list); err != nil {
		return err
	}
	if c.p.json {
		return c.p.printJSON(list)
	}
	if len(list.Toolsets) == 0 {
		c.p.printf("There are no toolsets. Create one with: agent-discover toolset create NAME TOOL…\n")
		return nil
	}
	table := c.p.table("NAME", "TOOLS", "TOKENS", "STATE", "DESCRIPTION")
	for _, t := range list.Toolsets {
		_, _ = fmt.Fprintf(table, "%s\t%d\t%d\t%s\t%s\n", cell(t.Name), enabledTools(t), t.Tokens, toolsetState(t), cell(t.Description))
	}
	return table.Flush()
}

// enabledTools returns how many tools of a toolset no rule disables.
func enabledTools(t operations.ToolsetView) (n int) {
	for _, tool := range t.Tools {
		if tool.Disabled == "" {
			n++
		}
	}
	return n
}

// toolsetSummary returns the numbers of a toolset's tools and tokens, and its state.
func toolsetSummary(t operations.ToolsetView) string {
	return fmt.Sprintf("%s, %d tokens, %s", counted(enabledTools(t), "tool", "tools"), t.Tokens, toolsetState(t))
}

// toolsetState returns the state of a toolset in words.
func toolsetState(t operations.ToolsetView) string {
	if !t.Approved {
		return "waits for approval"
	}
	count := make(map[toolset.State]int)
	disabled := make(map[string]int)
	for _, tool := range t.Tools {
		if tool.Disabled != "" {
			disabled[tool.DisabledBy]++
			continue
		}
		count[tool.State]++
	}
	var parts []string
	for _, state := range []toolset.State{toolset.Drifted, toolset.Missing, toolset.Waiting} {
		if n := count[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	for _, why := range slices.Sorted(maps.Keys(disabled)) {
		parts = append(parts, fmt.Sprintf("%d %s", disabled[why], why))
	}
	if len(parts) == 0 {
		return "ready"
	}
	return strings.Join(parts, ", ")
}

func (c toolsetCommands) show() *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Short: "Show a toolset, and how its tools have changed", Args: cobra.ExactArgs(1),
		ValidArgsFunction: c.p.completeWith(inOrder(toolsetNames)),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			view, err := c.fetch(cmd.Context(), client, args[0])
			if err != nil {
				return err
			}
			if c.p.json {
				return c.p.printJSON(view)
			}
			c.p.printf("%s", describeToolset(view))
			return nil
		},
	}
}

// describeToolset describes a toolset and its tools for a person.
func describeToolset(t operations.ToolsetView) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s: %s\n", t.Name, toolsetSummary(t))
	if t.Description != "" {
		fmt.Fprintf(&out, "%s\n", safetext.Prose(t.Description))
	}
	if t.ProposedBy != "" {
		fmt.Fprintf(&out, "Built by %s\n", safetext.Visible(t.ProposedBy))
	}
	for _, tool := range t.Tools {
		state := cmp.Or(tool.DisabledBy, string(tool.State))
		fmt.Fprintf(&out, "\n  %s.%s  %s\n", safetext.Visible(tool.Server), safetext.Visible(tool.Tool), state)
		if tool.Held != "" {
			fmt.Fprintf(&out, "    Held: %s\n", safetext.Visible(tool.Held))
		}
		if tool.Disabled != "" {
			fmt.Fprintf(&out, "    Disabled: %s\n", safetext.Visible(tool.Disabled))
		}
		if tool.Description != "" {
			fmt.Fprintf(&out, "    %s\n", safetext.Clip(safetext.Visible(firstLine(tool.Description)), 200))
		}
		if tool.Note != "" {
			fmt.Fprintf(&out, "    Note: %s\n", safetext.Visible(tool.Note))
		}
		if tool.Proposed != "" {
			fmt.Fprintf(&out, "    Note of an agent (%s), not shown to clients yet: %s\n",
				safetext.Visible(tool.ProposedBy), safetext.Visible(tool.Proposed))
		}
		if tool.Drift != nil {
			out.WriteString(describeDrift(*tool.Drift))
		}
	}
	return out.String()
}
