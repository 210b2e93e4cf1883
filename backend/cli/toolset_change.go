package cli

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/calls/resolve"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

// toolReference is a tool of a toolset in a request.
type toolReference struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	Note   string `json:"note,omitempty"`
}

func (r toolReference) sameTool(other toolReference) bool {
	return r.Server == other.Server && r.Tool == other.Tool
}

// toolReferences returns the tools to which names refer. It looks for each name among the full names of the tools in
// the toolset first, because the hub does not know the tools of removed servers. It asks the hub for the other names,
// and fails if the hub does not know one of them.
func toolReferences(ctx context.Context, client *instance.Client, names []string, in operations.ToolsetView) ([]toolReference, error) {
	out := make([]toolReference, len(names))
	for i, name := range names {
		if tool, ok := resolve.Among(toolsetKeys(in), name); ok {
			out[i] = toolReference{Server: tool.Server, Tool: tool.Tool}
			continue
		}
		tool, err := resolved(ctx, client, name)
		if err != nil {
			return nil, err
		}
		out[i] = toolReference{Server: tool.Server, Tool: tool.Tool}
	}
	return out, nil
}

func toolsetKeys(t operations.ToolsetView) []catalog.Key {
	keys := make([]catalog.Key, len(t.Tools))
	for i, tool := range t.Tools {
		keys[i] = catalog.Key{Server: tool.Server, Tool: tool.Tool}
	}
	return keys
}

func (c toolsetCommands) create() *cobra.Command {
	var description string
	cmd := &cobra.Command{
		Use: "create NAME TOOL…", Short: "Create a toolset", Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			tools, err := toolReferences(cmd.Context(), client, args[1:], operations.ToolsetView{})
			if err != nil {
				return err
			}
			var view operations.ToolsetView
			body := map[string]any{"name": args[0], "description": description, "tools": tools}
			if err := client.Do(cmd.Context(), http.MethodPost, "/api/toolsets", body, &view); err != nil {
				return err
			}
			return c.p.respond(view, "Created the toolset %s: %s\n", view.Name, toolsetSummary(view))
		},
	}
	cmd.Flags().StringVar(&description, "description", "", "what the toolset is for, at most 200 characters")
	return cmd
}

// edit returns a command that changes the tools of a toolset.
func (c toolsetCommands) edit(use, short string, change func(tools, named []toolReference) ([]toolReference, error)) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.MinimumNArgs(2), ValidArgsFunction: c.p.completeWith(inOrder(toolsetNames)),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			view, err := c.fetch(cmd.Context(), client, args[0])
			if err != nil {
				return err
			}
			var tools []toolReference
			for _, t := range view.Tools {
				tools = append(tools, toolReference{t.Server, t.Tool, t.Note})
			}
			named, err := toolReferences(cmd.Context(), client, args[1:], view)
			if err != nil {
				return err
			}
			if tools, err = change(tools, named); err != nil {
				return err
			}
			body := map[string]any{"description": view.Description, "tools": tools}
			var now operations.ToolsetView
			if err := client.Do(cmd.Context(), http.MethodPut, toolsetPath(args[0], ""), body, &now); err != nil {
				return err
			}
			return c.p.respond(now, "The toolset %s has %s\n", now.Name, toolsetSummary(now))
		},
	}
}

func (c toolsetCommands) add() *cobra.Command {
	return c.edit("add NAME TOOL…", "Add tools to the end of a toolset", func(tools, named []toolReference) ([]toolReference, error) {
		return append(tools, named...), nil
	})
}

func (c toolsetCommands) remove() *cobra.Command {
	return c.edit("remove NAME TOOL…", "Remove tools from a toolset", func(tools, named []toolReference) ([]toolReference, error) {
		for _, one := range named {
			if !slices.ContainsFunc(tools, one.sameTool) {
				return nil, fault.New(fault.NotFound, "the toolset does not have the tool %s.%s", one.Server, one.Tool)
			}
		}
		return slices.DeleteFunc(tools, func(t toolReference) bool { return slices.ContainsFunc(named, t.sameTool) }), nil
	})
}

func (c toolsetCommands) note() *cobra.Command {
	return &cobra.Command{
		Use: "note NAME TOOL TEXT", Short: "Append a note to the description of a tool; an empty text removes it", Args: cobra.ExactArgs(3),
		ValidArgsFunction: c.p.completeWith(inOrder(toolsetNames)),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			client, err := c.p.client(ctx)
			if err != nil {
				return err
			}
			view, err := c.fetch(ctx, client, args[0])
			if err != nil {
				return err
			}
			tools, err := toolReferences(ctx, client, args[1:2], view)
			if err != nil {
				return err
			}
			tools[0].Note = args[2]
			err = c.p.decide(ctx, client, "Models read the note in the description of "+args[1]+":\n  "+args[2]+"\n", "Set this note?",
				"the note was not set", func(person *instance.Client) error {
					return person.Do(ctx, http.MethodPost, toolsetPath(args[0], "note"),
						map[string]string{"server": tools[0].Server, "tool": tools[0].Tool, "note": args[2]}, nil)
				})
			if err != nil {
				return err
			}
			return c.p.respond(tools[0], "Set the note of %s\n", args[1])
		},
	}
}

func (c toolsetCommands) equip() *cobra.Command {
	var of string
	cmd := &cobra.Command{
		Use: "equip NAME", Short: "List the tools of a toolset in place of those of always listed servers", Args: cobra.ExactArgs(1),
		ValidArgsFunction: c.p.completeWith(inOrder(toolsetNames)),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			if err := client.Do(cmd.Context(), http.MethodPost, toolsetPath(args[0], "equip"),
				map[string]string{"client": of}, nil); err != nil {
				return err
			}
			return c.p.respond(map[string]string{"equipped": args[0], "client": of},
				"Toolset %s is now equipped for %s\n", args[0], cmp.Or(of, "all clients without a toolset of their own"))
		},
	}
	cmd.Flags().StringVar(&of, "client", "", "`ID` of the editor, as in its entry; by default, all clients without a toolset of their own")
	return cmd
}

func (c toolsetCommands) unequip() *cobra.Command {
	var of string
	cmd := &cobra.Command{
		Use: "unequip", Short: "List the tools of always listed servers again", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			if err := client.Do(cmd.Context(), http.MethodPost, "/api/toolsets/unequip", map[string]string{"client": of}, nil); err != nil {
				return err
			}
			if of == "" {
				return c.p.respond(map[string]string{"unequipped": of}, "No toolset is now equipped by default\n")
			}
			return c.p.respond(map[string]string{"unequipped": of}, "No toolset is now equipped for %s\n", of)
		},
	}
	cmd.Flags().StringVar(&of, "client", "", "`ID` of the editor; by default, all clients without a toolset of their own")
	return cmd
}

func (c toolsetCommands) delete() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "delete NAME", Short: "Delete a toolset, and revoke the tokens of its surface", Args: cobra.ExactArgs(1),
		ValidArgsFunction: c.p.completeWith(inOrder(toolsetNames)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.p.confirmDeletion(yes, "Delete the toolset "+args[0]+"?", "nothing was deleted"); err != nil {
				return err
			}
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			if err := client.Do(cmd.Context(), http.MethodDelete, toolsetPath(args[0], ""), nil, nil); err != nil {
				return err
			}
			return c.p.respond(map[string]string{"deleted": args[0]}, "Deleted the toolset %s\n", args[0])
		},
	}
	return deletes(cmd, &yes)
}
