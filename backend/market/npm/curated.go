package npm

import (
	"strings"

	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// entries are well-known servers on npm. keywords are search terms that the name, title and purpose do not contain.
var entries = []struct{ name, title, purpose, keywords string }{
	{
		"@modelcontextprotocol/server-filesystem", "Filesystem", "Reads, writes and searches files in the folders that you choose",
		"files folders directory",
	},
	{"@playwright/mcp", "Playwright", "Controls a browser: opens pages, clicks, fills forms, takes screenshots", "web testing"},
	{"@upstash/context7-mcp", "Context7", "Looks up current documentation of libraries", "docs api"},
	{"chrome-devtools-mcp", "Chrome DevTools", "Inspects and debugs web pages in Chrome", "browser performance"},
	{"@modelcontextprotocol/server-memory", "Memory", "Remembers facts in a knowledge graph on this computer", "knowledge remember"},
	{"@modelcontextprotocol/server-sequential-thinking", "Sequential Thinking", "Works through problems step by step", "reasoning plan"},
	{"@notionhq/notion-mcp-server", "Notion", "Searches, reads and changes pages in Notion", "notes wiki documents"},
	{"@brave/brave-search-mcp-server", "Brave Search", "Searches the web, news, images and places", "internet"},
	{"tavily-mcp", "Tavily", "Searches the web and extracts pages for research", "internet"},
	{"firecrawl-mcp", "Firecrawl", "Crawls and scrapes web sites", "crawler scraping"},
	{"@sentry/mcp-server", "Sentry", "Looks up errors and their causes in Sentry", "monitoring crashes"},
	{"@supabase/mcp-server-supabase", "Supabase", "Manages Supabase projects and their databases", "postgres database"},
	{"mongodb-mcp-server", "MongoDB", "Queries MongoDB databases and manages Atlas clusters", "database nosql"},
	{"@stripe/mcp", "Stripe", "Works with customers, payments and invoices in Stripe", "billing"},
	{"@modelcontextprotocol/server-everything", "Everything", "Shows all features of the protocol; made for tests", "demo reference"},
	{"@modelcontextprotocol/server-github", "GitHub", "Works with repositories, issues and pull requests on GitHub", "git code"},
}

// replaced maps entries that their publishers no longer maintain to advice on the replacement.
var replaced = map[string]string{
	"@modelcontextprotocol/server-github": "GitHub's own server replaces it: github/github-mcp-server, a container or a remote server",
}

// curated are the entries as listings without a version.
var curated = func() []listing.Listing {
	var out []listing.Listing
	for _, e := range entries {
		l := listing.Listing{
			Source: listing.NPM, Name: e.name, Title: e.title, Description: e.purpose, Status: listing.Active,
			Keywords: strings.Fields(e.keywords), Packages: []listing.Package{launch(e.name, "")},
		}
		if why := replaced[e.name]; why != "" {
			l.Status, l.Message = listing.Deprecated, why
		}
		out = append(out, l)
	}
	return out
}()

// WellKnown returns the title and the purpose of a well-known server, and "" for any other package.
func WellKnown(name string) (title, purpose string) {
	for _, e := range entries {
		if e.name == name {
			return e.title, e.purpose
		}
	}
	return "", ""
}
