//go:build guard && linux

package guard

import (
	"maps"
	"slices"
)

// server is a published MCP server, and how people start it. ~ at the beginning of an argument or of the value of a
// variable is replaced by the home folder, because no shell does that.
type server struct {
	run     string            // npx or uvx
	pack    string            // package with its version
	options []string          // of npx or uvx
	program string            // name of the program, if it is not the name of the package
	args    []string          // of the program
	env     map[string]string // variables; credentials are made up
	folder  string            // is created in the home folder, unless it is empty
	git     bool              // whether the folder is a git repository
	call    call              // is made after each start, unless it names no tool
}

// call is a call of a tool that needs neither the network nor an account, and whose answer is the same each time,
// except perhaps the first.
type call struct {
	tool      string
	arguments string // JSON; ~/ is replaced by the home folder
	writes    string // file that the call must write, as a path in the home folder; may be empty
}

func npx(pack string, args ...string) server {
	return server{run: "npx", options: []string{"-y"}, pack: pack, args: args}
}

func uvx(pack string, args ...string) server { return server{run: "uvx", pack: pack, args: args} }

// set sets a variable.
func (s server) set(name, value string) server {
	env := map[string]string{name: value}
	maps.Copy(env, s.env)
	s.env = env
	return s
}

// option adds an option of uvx.
func (s server) option(option, value string) server {
	s.options = append(slices.Clone(s.options), option, value)
	return s
}

// starting sets the name of the program.
func (s server) starting(program string) server {
	s.program = program
	return s
}

// in creates a folder in the home folder before the start.
func (s server) in(folder string) server {
	s.folder = folder
	return s
}

// inRepository creates a folder with an empty git repository before the start.
func (s server) inRepository(folder string) server {
	s.folder, s.git = folder, true
	return s
}

// calls makes a call after each start.
func (s server) calls(tool, arguments string) server {
	s.call = call{tool: tool, arguments: arguments}
	return s
}

// writes sets the file that the call must write.
func (s server) writes(file string) server {
	s.call.writes = file
	return s
}

// servers are the servers that the test starts.
var servers = []server{
	npx("@modelcontextprotocol/server-filesystem@2026.8.31", "~/files").in("files").
		calls("write_file", `{"path":"~/files/a.txt","content":"a"}`).writes("files/a.txt"),
	npx("@modelcontextprotocol/server-memory@2026.8.31").
		calls("create_entities", `{"entities":[{"name":"a","entityType":"b","observations":["c"]}]}`),
	npx("@modelcontextprotocol/server-everything@2026.8.31").calls("echo", `{"message":"a"}`),
	npx("@modelcontextprotocol/server-sequential-thinking@2026.8.31").
		calls("sequentialthinking", `{"thought":"a","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}`),
	npx("@modelcontextprotocol/server-github@2025.4.8").set("GITHUB_PERSONAL_ACCESS_TOKEN", "none"),
	npx("@modelcontextprotocol/server-gitlab@2025.4.25").set("GITLAB_PERSONAL_ACCESS_TOKEN", "none"),
	npx("@modelcontextprotocol/server-postgres@0.6.2", "postgresql://localhost/none"),
	npx("@modelcontextprotocol/server-puppeteer@2025.5.12").set("PUPPETEER_SKIP_DOWNLOAD", "1"),
	npx("@modelcontextprotocol/server-slack@2025.4.25").set("SLACK_BOT_TOKEN", "xoxb-none").set("SLACK_TEAM_ID", "T0"),
	npx("@modelcontextprotocol/server-brave-search@0.6.2").set("BRAVE_API_KEY", "none"),
	npx("@modelcontextprotocol/server-google-maps@0.6.2").set("GOOGLE_MAPS_API_KEY", "none"),
	npx("@playwright/mcp@0.0.83", "--headless"),
	npx("@upstash/context7-mcp@4.1.1"),
	npx("@notionhq/notion-mcp-server@2.5.2").set("NOTION_TOKEN", "ntn_none"),
	npx("firecrawl-mcp@3.22.2").set("FIRECRAWL_API_KEY", "none"),
	npx("tavily-mcp@0.2.22").set("TAVILY_API_KEY", "none"),
	npx("figma-developer-mcp@0.13.2", "--stdio").set("FIGMA_API_KEY", "none"),
	npx("@perplexity-ai/mcp-server@1.2.1").set("PERPLEXITY_API_KEY", "none"),
	npx("mongodb-mcp-server@3.0.4").set("MDB_MCP_CONNECTION_STRING", "mongodb://localhost:27017/none"),
	npx("chrome-devtools-mcp@1.11.0", "--headless"),
	npx("exa-mcp-server@3.4.1").set("EXA_API_KEY", "none"),
	npx("@sentry/mcp-server@0.36.0").set("SENTRY_ACCESS_TOKEN", "none"),
	npx("mcp-obsidian@1.0.0", "~/notes").in("notes").calls("search_notes", `{"query":"a"}`),
	npx("mcp-server-kubernetes@4.1.7"),
	npx("airtable-mcp-server@1.14.0").set("AIRTABLE_API_KEY", "pat.none"),
	npx("n8n-mcp@2.87.0").set("MCP_MODE", "stdio").set("LOG_LEVEL", "error"),
	npx("@azure/mcp@2.0.5", "server", "start"),
	npx("@brave/brave-search-mcp-server@2.1.4").set("BRAVE_API_KEY", "none"),

	uvx("mcp-server-git@2026.10.19", "--repository", "~/project").inRepository("project").
		calls("git_status", `{"repo_path":"~/project"}`),
	uvx("mcp-server-fetch@2026.10.24"),
	uvx("mcp-server-time@2026.10.19").
		calls("convert_time", `{"source_timezone":"Europe/Berlin","time":"12:00","target_timezone":"Asia/Tokyo"}`),
	uvx("mcp-server-sqlite@2025.4.25", "--db-path", "~/tables/test.db").option("--with", "mcp<2").in("tables").
		calls("write_query", `{"query":"PRAGMA user_version = 1"}`),
	uvx("mcp-atlassian@0.23.1").set("JIRA_URL", "https://jira.example").set("JIRA_PERSONAL_TOKEN", "none"),
	uvx("awslabs.aws-documentation-mcp-server@1.2.3").set("FASTMCP_LOG_LEVEL", "ERROR"),
	uvx("duckduckgo-mcp-server@0.7.0"),
	uvx("arxiv-mcp-server@0.8.2", "--storage-path", "~/papers").in("papers").calls("list_papers", `{}`),
	uvx("mysql-mcp-server@0.4.4").starting("mysql_mcp_server").set("MYSQL_HOST", "localhost").set("MYSQL_USER", "none").
		set("MYSQL_PASSWORD", "none").set("MYSQL_DATABASE", "none"),
	uvx("mcp-server-motherduck@1.1.0", "--db-path", "~/tables/test.duckdb", "--read-write").in("tables").
		calls("execute_query", `{"sql":"CREATE TABLE IF NOT EXISTS a (b INT)"}`),
	uvx("excel-mcp-server@2.2.2", "stdio").in("sheets").
		calls("create_workbook", `{"path":"~/sheets/a.xlsx","overwrite":true}`).writes("sheets/a.xlsx"),
	uvx("office-word-mcp-server@1.1.11").starting("word_mcp_server"),
}
