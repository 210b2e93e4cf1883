package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/market/persona"
)

type personaCommands struct{ p *program }

func (c personaCommands) command() *cobra.Command {
	cmd := &cobra.Command{
		Use: "persona", Short: "Activate servers and toolsets for a kind of work", Args: cobra.NoArgs,
		Long: `Activate personas: folders or zip archives with the servers and toolsets for a kind of
work. Without a subcommand, list them. PERSONA is a path, or the name of a folder or
archive in the folder personas of the data folder.

A persona consists of persona.yaml (name, description, version, toolsets with name and
tools, defaultToolset) and mcp.json (servers). Its servers wait for your approval. Pin the
tools of its toolsets once the servers have listed them.`,
		Example: "  agent-discover persona validate ./reviewer\n  agent-discover persona activate ./reviewer --client cursor\n" +
			"  agent-discover persona deactivate reviewer",
		RunE: func(cmd *cobra.Command, _ []string) error { return c.list(cmd.Context()) },
	}
	list := &cobra.Command{
		Use: "list", Short: "List personas", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.list(cmd.Context()) },
	}
	cmd.AddCommand(list, c.inspect(), c.validate(), c.activate(), c.deactivate())
	return cmd
}

func (c personaCommands) list(ctx context.Context) error {
	client, err := c.p.client(ctx)
	if err != nil {
		return err
	}
	var list operations.PersonaList
	if err := client.Do(ctx, http.MethodGet, "/api/personas", nil, &list); err != nil {
		return err
	}
	if c.p.json {
		return c.p.printJSON(list)
	}
	if len(list.Personas)+len(list.Active) == 0 {
		c.p.printf("There are no personas in %s, and none is active.\n", list.Folder)
		return nil
	}
	isActive := func(name string) bool {
		return slices.ContainsFunc(list.Active, func(a persona.ActivePersona) bool { return a.Name == name })
	}
	table := c.p.table("NAME", "VERSION", "STATE", "DESCRIPTION")
	for _, p := range list.Personas {
		state := "inactive"
		switch {
		case isActive(p.Name):
			state = "active"
		case len(p.Problems) > 0:
			state = "invalid"
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", cell(p.Name), cell(p.Version), state, cell(p.Description))
	}
	for _, a := range list.Active {
		if !slices.ContainsFunc(list.Personas, func(p persona.Persona) bool { return p.Name == a.Name }) {
			_, _ = fmt.Fprintf(table, "%s\t%s\tactive\t%s\n", cell(a.Name), cell(a.Version), cell(a.Path))
		}
	}
	return table.Flush()
}

// personaPath returns given as an absolute path. If there is no such file or folder and given has
// no separator, it is the name of a persona in the data folder, and personaPath returns it unchanged.
func personaPath(given string) (string, error) {
	if _, err := os.Stat(given); err != nil && !strings.ContainsAny(given, `/\`) {
		return given, nil
	}
	path, err := filepath.Abs(given)
	if err != nil {
		return "", fault.Wrap(err, fault.Invalid, "invalid path %s", given)
	}
	return path, nil
}

func (c personaCommands) read(ctx context.Context, given string) (*instance.Client, persona.Persona, error) {
	var one persona.Persona
	path, err := personaPath(given)
	if err != nil {
		return nil, one, err
	}
	client, err := c.p.client(ctx)
	if err != nil {
		return nil, one, err
	}
	return client, one, client.Do(ctx, http.MethodPost, "/api/personas/inspect", map[string]string{"path": path}, &one)
}

func (c personaCommands) inspect() *cobra.Command {
	return &cobra.Command{
		Use: "inspect PERSONA", Short: "Show the servers and toolsets of a persona", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, one, err := c.read(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if c.p.json {
				return c.p.printJSON(one)
			}
			c.p.printf("%s", describePersona(one))
			return nil
		},
	}
}

func describePersona(p persona.Persona) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s\n", safetext.Visible(p.Name), safetext.Visible(p.Version))
	if p.Description != "" {
		fmt.Fprintf(&out, "%s\n", safetext.Prose(p.Description))
	}
	for _, s := range p.Servers {
		state := "is added, and waits for approval"
		if s.Existing {
			state = "is configured already"
		}
		fmt.Fprintf(&out, "  server %s %s: %s\n", safetext.Visible(s.Name), state, safetext.Visible(s.Target))
	}
	for _, set := range p.Toolsets {
		mark := ""
		if set.Name == p.Default {
			mark = " (default)"
		}
		fmt.Fprintf(&out, "  toolset %s%s: %s\n", safetext.Visible(set.Name), mark, safetext.Visible(strings.Join(set.Tools, ", ")))
	}
	for _, problem := range p.Problems {
		fmt.Fprintf(&out, "  problem: %s\n", problem)
	}
	return out.String()
}

func (c personaCommands) validate() *cobra.Command {
	return &cobra.Command{
		Use: "validate PERSONA", Short: "Check a persona", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, one, err := c.read(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if len(one.Problems) > 0 {
				return fault.New(fault.Invalid, "the persona has problems:\n  %s", strings.Join(one.Problems, "\n  "))
			}
			return c.p.respond(one, "The persona %s is valid\n", one.Name)
		},
	}
}

func (c personaCommands) activate() *cobra.Command {
	var of string
	cmd := &cobra.Command{
		Use: "activate PERSONA", Short: "Add the servers and toolsets of a persona", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, one, err := c.read(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			body := map[string]any{"path": one.Path, "hash": one.Hash}
			if cmd.Flags().Changed("client") {
				body["client"] = of
			}
			var active persona.ActivePersona
			if err := client.Do(cmd.Context(), http.MethodPost, "/api/personas/activate", body, &active); err != nil {
				return err
			}
			next := ""
			if len(active.Servers) > 0 {
				next = "; approve its servers in the tray or the dashboard, or with: agent-discover servers approve NAME"
			}
			return c.p.respond(active, "Activated %s: %s, %s%s\n", active.Name, counted(len(active.Servers), "server", "servers"),
				counted(len(active.Toolsets), "toolset", "toolsets"), next)
		},
	}
	cmd.Flags().StringVar(&of, "client", "", "`ID` of the editor that equips the default toolset")
	return cmd
}

func (c personaCommands) deactivate() *cobra.Command {
	var yes bool
	return deletes(&cobra.Command{
		Use: "deactivate NAME", Short: "Remove the servers and toolsets that a persona has added", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			question := "Remove the servers and toolsets that persona " + args[0] + " has added, and their secrets?"
			if err := c.p.confirmDeletion(yes, question, "nothing was removed"); err != nil {
				return err
			}
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			if err := client.Do(cmd.Context(), http.MethodPost,
				"/api/personas/"+url.PathEscape(args[0])+"/deactivate", nil, nil); err != nil {
				return err
			}
			return c.p.respond(map[string]string{"deactivated": args[0]}, "Deactivated %s\n", args[0])
		},
	}, &yes)
}
