package marketplace

import (
	"context"
	"slices"

	"github.com/agent-discover/agent-discover/backend/market/federation"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/npm"
)

// Start is the content of the marketplace before a search.
type Start struct {
	Servers    []WellKnown `json:"servers" nullable:"false" doc:"Well-known servers."`
	Categories []string    `json:"categories" nullable:"false" doc:"All categories."`
}

// WellKnown is a server that many people use.
type WellKnown struct {
	ID        string       `json:"id" doc:"Identifier of the listing."`
	Title     string       `json:"title"`
	Purpose   string       `json:"description"`
	Kind      listing.Kind `json:"runtime" enum:"npm,pypi" doc:"How the server is run."`
	Category  string       `json:"category"`
	Installed bool         `json:"installed"`
	Updatable bool         `json:"updatable" doc:"Whether the server is installed and a newer version exists."`
}

// wellKnown are servers that their providers maintain or that are widely used, in the order in which they are shown.
var wellKnown = []WellKnown{
	onNPM("@modelcontextprotocol/server-filesystem", "files"),
	known(listing.KindPyPI, "mcp-server-git", "Git", "Reads, searches and changes local Git repositories", "development"),
	known(listing.KindPyPI, "mcp-server-fetch", "Fetch", "Fetches web pages and turns them into Markdown", "web"),
	onNPM("@playwright/mcp", "web"),
	known(listing.KindPyPI, "postgres-mcp", "Postgres MCP Pro", "Queries PostgreSQL databases, explains plans, and recommends indexes",
		"databases"),
	known(listing.KindPyPI, "mcp-server-sqlite", "SQLite", "Queries and changes a SQLite database", "databases"),
	onNPM("@upstash/context7-mcp", "development"),
	onNPM("chrome-devtools-mcp", "development"),
	onNPM("@modelcontextprotocol/server-memory", "memory"),
	onNPM("@modelcontextprotocol/server-sequential-thinking", "memory"),
	known(listing.KindPyPI, "mcp-server-time", "Time", "Tells the time and converts it between time zones", "productivity"),
	onNPM("@notionhq/notion-mcp-server", "productivity"),
	onNPM("@brave/brave-search-mcp-server", "search"),
	onNPM("tavily-mcp", "search"),
	onNPM("firecrawl-mcp", "web"),
	onNPM("@sentry/mcp-server", "monitoring"),
	onNPM("@supabase/mcp-server-supabase", "cloud"),
	onNPM("mongodb-mcp-server", "databases"),
	onNPM("@stripe/mcp", "finance"),
	onNPM("@modelcontextprotocol/server-everything", "development"),
}

func known(kind listing.Kind, name, title, purpose, category string) WellKnown {
	// the sources npm and pypi have the same names as the kinds of their packages
	return WellKnown{ID: string(kind) + ":" + name, Title: title, Purpose: purpose, Kind: kind, Category: category}
}

func onNPM(name, category string) WellKnown {
	title, purpose := npm.WellKnown(name)
	return known(listing.KindNPM, name, title, purpose, category)
}

// Start returns the content of the marketplace before a search. It needs no network.
func (m *Marketplace) Start(ctx context.Context) Start {
	s := Start{Servers: slices.Clone(wellKnown), Categories: federation.Categories()}
	installed, updatable := m.installed(ctx), map[string]bool{}
	if m.options.Updatable != nil {
		updatable = m.options.Updatable(ctx)
	}
	for i := range s.Servers {
		w := &s.Servers[i]
		w.Installed, w.Updatable = installed[w.ID], updatable[w.ID]
	}
	return s
}
