package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/marketplace"
)

type marketCommands struct{ p *program }

func (c marketCommands) command() *cobra.Command {
	cmd := &cobra.Command{
		Use: "market", Short: "Find, install and update servers of the marketplace", Args: cobra.NoArgs, RunE: c.start,
		Long: `Find, install and update servers of the marketplace: those in the official MCP
registry, on npm and on PyPI. Without a subcommand, list well-known servers.

A server of the marketplace has an ID, SOURCE:NAME, such as npm:@scope/name. The
address of the official registry is market.registry_url in config.yaml; npm and PyPI are
used as your own npm, pip and uv are configured.`,
		Example: "  agent-discover market search postgres\n" +
			"  agent-discover market show npm:@modelcontextprotocol/server-memory\n" +
			"  agent-discover market install npm:@modelcontextprotocol/server-memory\n" +
			"  agent-discover market install pypi:mcp-server-git --input API_KEY=- < key.txt",
	}
	cmd.AddCommand(c.search(), c.show(), c.install(), c.update(), c.rollback(), c.sync())
	return cmd
}

// start lists well-known servers.
func (c marketCommands) start(cmd *cobra.Command, _ []string) error {
	client, err := c.p.client(cmd.Context())
	if err != nil {
		return err
	}
	var page marketplace.Start
	if err := client.Do(cmd.Context(), http.MethodGet, "/api/market/start", nil, &page); err != nil {
		return err
	}
	if c.p.json {
		return c.p.printJSON(page)
	}
	table := c.p.table("ID", "STATE", "DESCRIPTION")
	for _, s := range page.Servers {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", cell(s.ID), marketState(s.Installed, s.Updatable), cell(s.Purpose))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	c.p.printf("\nTo search all sources: agent-discover market search WORDS\nCategories for --category: %s\n",
		strings.Join(page.Categories, ", "))
	return nil
}

// details returns a server of the marketplace.
func (c marketCommands) details(ctx context.Context, client *instance.Client, id, version string) (d operations.MarketDetails, err error) {
	query := url.Values{"id": {id}}
	if version != "" {
		query.Set("version", version)
	}
	err = client.Do(ctx, http.MethodGet, "/api/market/details?"+query.Encode(), nil, &d)
	return d, err
}

// trustOf summarizes the reasons to trust or distrust a server, such as verified or deprecated.
func trustOf(l *listing.Listing, now time.Time) string {
	var signs []string
	switch l.Status {
	case listing.Deprecated:
		signs = append(signs, "deprecated")
	case listing.Deleted:
		signs = append(signs, "withdrawn")
	}
	if l.Verified {
		signs = append(signs, "verified")
	}
	if l.Downloads > 0 {
		signs = append(signs, shortNumber(l.Downloads)+"/month")
	}
	if !l.Published.IsZero() && l.Published.Before(now) {
		signs = append(signs, ageOf(now.Sub(l.Published)))
	}
	return cmp.Or(strings.Join(signs, ", "), "-")
}

// shortNumber returns a number with at most three digits, such as 12k.
func shortNumber(n int64) string {
	for _, unit := range []struct {
		from int64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if n >= unit.from {
			return fmt.Sprintf("%d%s", n/unit.from, unit.name)
		}
	}
	return fmt.Sprint(n)
}

// ageOf returns a span of time in the largest unit that fits.
func ageOf(d time.Duration) string {
	days := int(d.Hours() / 24)
	switch {
	case days >= 365:
		return counted(days/365, "year", "years")
	case days >= 30:
		return counted(days/30, "month", "months")
	}
	return counted(days, "day", "days")
}

// kindsOf returns the ways to run a server: the kinds of its packages, and remote.
func kindsOf(l *listing.Listing) string {
	var kinds []string
	add := func(kind string) {
		if !strings.Contains(","+strings.Join(kinds, ",")+",", ","+kind+",") {
			kinds = append(kinds, kind)
		}
	}
	for _, p := range l.Packages {
		add(string(p.Kind))
	}
	if len(l.Remotes) > 0 {
		add("remote")
	}
	return cmp.Or(strings.Join(kinds, ", "), "-")
}

// shownText makes a text of a listing, which anybody may have written, safe to show on one line.
func shownText(text string) string { return safetext.Runs(cell(strings.TrimSpace(text))) }
