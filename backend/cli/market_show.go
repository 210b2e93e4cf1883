package cli

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/market/listing"
)

func (c marketCommands) show() *cobra.Command {
	var version string
	var readme bool
	cmd := &cobra.Command{
		Use: "show ID", Short: "Show a server of the marketplace, and the ways to install it", Args: cobra.ExactArgs(1),
		Long: `Show a server of the marketplace: what its publisher writes about it, what speaks for it,
the ways to install it (for --option), and what it needs to know (for --input).`,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.p.client(cmd.Context())
			if err != nil {
				return err
			}
			details, err := c.details(cmd.Context(), client, args[0], version)
			if err != nil {
				return err
			}
			if c.p.json {
				return c.p.printJSON(details)
			}
			return c.printDetails(details, readme)
		},
	}
	cmd.Flags().StringVar(&version, "version", "", "show the version `VERSION`, not the latest one")
	cmd.Flags().BoolVar(&readme, "readme", false, "print the README, too")
	return cmd
}

func (c marketCommands) printDetails(d operations.MarketDetails, readme bool) error {
	line := func(label, text string) {
		if text != "" {
			c.p.printf("  %-12s %s\n", label, text)
		}
	}
	c.p.printf("%s\n", strings.TrimSpace(shownText(d.ID())+" "+shownText(d.Version)))
	line("title", shownText(d.Title))
	line("description", shownText(d.Description))
	line("trust", trustOf(&d.Listing, time.Now()))
	line("status", shownText(d.Message))
	line("licence", shownText(d.License))
	line("repository", shownText(d.Repository))
	line("website", shownText(d.Website))
	if len(d.IDs) > 1 {
		line("also", shownText(strings.Join(d.IDs[1:], ", ")))
	}
	if !d.Server {
		line("note", "The package does not look like an MCP server.")
	}
	c.printInputs(&d.Listing)
	if d.Problem != "" {
		c.p.printf("It cannot be installed: %s\n", d.Problem)
	} else {
		c.p.printf("\n")
		if err := c.printOptions(d); err != nil {
			return err
		}
		c.p.printf("\nTo install it: agent-discover market install %s\n", quoted(d.ID()))
	}
	if readme && d.Readme != "" {
		c.p.printf("\n%s\n", safetext.Prose(d.Readme))
	}
	return nil
}

func (c marketCommands) printOptions(d operations.MarketDetails) error {
	table := c.p.table("OPTION", "STARTED WITH", "STATE", "NAME")
	for _, o := range d.Options {
		state := "ready"
		switch {
		case o.Problem != "":
			state = "impossible: " + shownText(o.Problem)
		case !o.Ready:
			state = shownText(o.Missing)
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", o.ID, cmp.Or(o.Program, "-"), state, shownText(o.Name))
	}
	return table.Flush()
}

// printInputs prints the variables and headers that a server needs, each once.
func (c marketCommands) printInputs(l *listing.Listing) {
	seen := make(map[string]bool)
	var fields []listing.Field
	for _, p := range l.Packages {
		fields = append(fields, p.Env...)
	}
	for _, r := range l.Remotes {
		fields = append(fields, r.Headers...)
	}
	for _, f := range fields {
		if seen[f.Name] || f.Value != "" {
			continue
		}
		seen[f.Name] = true
		var kind []string
		for _, k := range []struct {
			is   bool
			name string
		}{{f.Required, "required"}, {f.Secret, "secret"}, {f.From == listing.FromReadme, "from the README"}} {
			if k.is {
				kind = append(kind, k.name)
			}
		}
		text := shownText(f.Name)
		if len(kind) > 0 {
			text += " (" + strings.Join(kind, ", ") + ")"
		}
		c.p.printf("  %-12s %s\n", "input", strings.TrimSpace(text+" "+shownText(f.Description)))
	}
}
