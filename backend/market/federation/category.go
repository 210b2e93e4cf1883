package federation

import (
	"slices"
	"strings"
	"unicode"

	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// categories are the categories of servers, each with the words that indicate it. Registries do not categorize
// servers.
var categories = []struct{ name, words string }{
	{
		"databases",
		"database databases sql postgres postgresql mysql mariadb sqlite mongodb redis clickhouse duckdb bigquery snowflake neo4j " +
			"dynamodb supabase vector qdrant chroma pinecone elasticsearch",
	},
	{
		"development",
		"git github gitlab bitbucket code coding developer ide debug debugging test testing jira linear repository commit npm docker " +
			"lint sdk build ci",
	},
	{
		"files",
		"file files filesystem folder directory pdf document documents markdown office excel spreadsheet word powerpoint drive dropbox",
	},
	{"web", "web browser fetch scrape scraping crawl crawler playwright puppeteer chrome http url website"},
	{"search", "search brave duckduckgo kagi tavily exa perplexity research arxiv pubmed wikipedia"},
	{"communication", "mail email gmail outlook slack discord telegram whatsapp teams chat message messages sms calendar"},
	{"productivity", "notion obsidian todo task tasks notes calendar airtable asana trello confluence project projects zotero"},
	{
		"cloud",
		"cloud aws amazon azure gcp kubernetes terraform cloudflare vercel netlify heroku serverless infrastructure container " +
			"containers docker",
	},
	{
		"monitoring",
		"monitoring observability logs metrics traces sentry grafana datadog prometheus alert alerts incident incidents pagerduty",
	},
	{"data", "data analytics csv dataset statistics chart charts jupyter pandas dbt etl warehouse report reports"},
	{"media", "image images picture video audio music speech voice figma blender design youtube spotify photo photos 3d"},
	{"finance", "finance payment payments stripe paypal stock stocks crypto bitcoin trading accounting invoice invoices bank price prices"},
	{"memory", "memory memories knowledge remember rag embedding embeddings thinking"},
	{"home", "home smart iot homeassistant hass device devices light lights sensor sensors"},
}

// byWord maps each word to the positions of its categories in categories.
var byWord = func() map[string][]int {
	out := make(map[string][]int)
	for i, c := range categories {
		for _, word := range strings.Fields(c.words) {
			out[word] = append(out[word], i)
		}
	}
	return out
}()

// Categories returns the names of all categories.
func Categories() []string {
	out := make([]string, len(categories))
	for i, c := range categories {
		out[i] = c.name
	}
	return out
}

const maxCategories = 2 // of a server

// categoriesOf returns the categories of a server, at most two. It chooses those with the most words in the name,
// title, keywords and description of the server.
func categoriesOf(l *listing.Listing) []string {
	weights := make([]int, len(categories))
	count := func(text string, weight int) {
		seen := make(map[string]bool)
		for _, word := range strings.FieldsFunc(strings.ToLower(text),
			func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if seen[word] {
				continue
			}
			seen[word] = true
			for _, i := range byWord[word] {
				weights[i] += weight
			}
		}
	}
	name := l.Name[strings.LastIndexByte(l.Name, '/')+1:] // a namespace such as io.github does not describe the server
	count(name+" "+l.Title, 3)
	count(strings.Join(l.Keywords, " "), 2)
	count(l.Description, 1)
	var found []int
	for i, w := range weights {
		if w > 0 {
			found = append(found, i)
		}
	}
	slices.SortStableFunc(found, func(a, b int) int { return weights[b] - weights[a] })
	var out []string
	for _, i := range found[:min(len(found), maxCategories)] {
		out = append(out, categories[i].name)
	}
	return out
}
