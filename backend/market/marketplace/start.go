package marketplace

import (
	"context"
	"slices"

	"github.com/agent-discover/agent-discover/backend/market/federation"
	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// Start is what is shown before somebody searches.
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
	Updatable bool         `json:"updatable" doc:"Whether it is installed, and there is a newer version."`
}

// wellKnown are servers that their providers maintain or that are widely used, in the order in which they are shown.
var wellKnown = []WellKnown{
	known(listing.KindNPM, "@modelcontextprotocol/server-filesystem", "Filesystem", "Reads, writes and searches files in the folders that you choose", "files"),
	known(listing.KindPyPI, "mcp-server-git", "Git", "Reads, searches and changes local Git repositories", "development"),
	known(listing.KindPyPI, "mcp-server-fetch", "Fetch", "Fetches web pages and turns them into Markdown", "web"),
	known(listing.KindNPM, "@playwright/mcp", "Playwright", "Controls a browser: opens pages, clicks, fills forms, takes screenshots", "web"),
	known(listing.KindPyPI, "postgres-mcp", "Postgres MCP Pro", "Queries PostgreSQL databases, explains plans, and recommends indexes", "databases"),
	known(listing.KindPyPI, "mcp-server-sqlite", "SQLite", "Queries and changes a SQLite database", "databases"),
	known(listing.KindNPM, "@upstash/context7-mcp", "Context7", "Looks up current documentation of libraries", "development"),
	known(listing.KindNPM, "chrome-devtools-mcp", "Chrome DevTools", "Inspects and debugs web pages in Chrome", "development"),
	known(listing.KindNPM, "@modelcontextprotocol/server-memory", "Memory", "Remembers facts in a knowledge graph on this computer", "memory"),
	known(listing.KindNPM, "@modelcontextprotocol/server-sequential-thinking", "Sequential Thinking", "Works through problems step by step", "memory"),
	known(listing.KindPyPI, "mcp-server-time", "Time", "Tells the time and converts it between time zones", "productivity"),
	known(listing.KindNPM, "@notionhq/notion-mcp-server", "Notion", "Searches, reads and changes pages in Notion", "productivity"),
	known(listing.KindNPM, "@brave/brave-search-mcp-server", "Brave Search", "Searches the web, news, images and places", "search"),
	known(listing.KindNPM, "tavily-mcp", "Tavily", "Searches the web and extracts pages for research", "search"),
	known(listing.KindNPM, "firecrawl-mcp", "Firecrawl", "Crawls and scrapes web sites", "web"),
	known(listing.KindNPM, "@sentry/mcp-server", "Sentry", "Looks up errors and their causes in Sentry", "monitoring"),
	known(listing.KindNPM, "@supabase/mcp-server-supabase", "Supabase", "Manages Supabase projects and their databases", "cloud"),
	known(listing.KindNPM, "mongodb-mcp-server", "MongoDB", "Queries MongoDB databases and manages Atlas clusters", "databases"),
	known(listing.KindNPM, "@stripe/mcp", "Stripe", "Works with customers, payments and invoices in Stripe", "finance"),
	known(listing.KindNPM, "@modelcontextprotocol/server-everything", "Everything", "Shows all features of the protocol; made for tests", "development"),
}

func known(kind listing.Kind, name, title, purpose, category string) WellKnown {
	return WellKnown{ID: string(kind) + ":" + name, Title: title, Purpose: purpose, Kind: kind, Category: category} // sources are named as their kinds
}

// Start returns what is shown before somebody searches. It needs no network.
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
