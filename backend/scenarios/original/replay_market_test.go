//go:build linux

package original_test

import (
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

// newRecordedMarket returns registries with the servers that the recorded answers contain.
func newRecordedMarket(t *testing.T) *hubtest.Registries {
	t.Helper()
	r := hubtest.NewRegistries(t)
	r.Any = true
	sqlite := func(version string) map[string]any {
		return map[string]any{
			"description": "SQLite over MCP", "repository": map[string]any{"url": "https://github.com/x/sqlite-mcp", "source": "github"},
			"packages": []any{
				map[string]any{
					"registryType": "npm", "identifier": "sqlite-mcp", "version": version, "transport": map[string]any{"type": "stdio"},
				},
			},
		}
	}
	r.Add("io.github.x/sqlite-mcp", "1.2.0", sqlite("1.2.0"))
	r.Add("io.github.x/sqlite-mcp", "1.10.0", sqlite("1.10.0"))
	r.Add("com.remote/sql", "0.1.0", map[string]any{"description": "Remote SQL", "remotes": []any{
		map[string]any{"type": "streamable-http", "url": "https://remote.example/mcp"},
		map[string]any{"type": "sse", "url": "https://remote.example/sse"},
	}})
	r.Next = "c-next"
	r.Publish("mcp-server-sqlite",
		hubtest.NpmPackage{Version: "0.3.0", Description: "sqlite MCP server", Repository: "https://github.com/n/p", Program: emptyServer})
	r.Publish("@modelcontextprotocol/server-everything",
		hubtest.NpmPackage{Version: "1.0.0", Description: "MCP server that exercises all features", Program: emptyServer})
	r.Publish("unrelated", hubtest.NpmPackage{Version: "1.0.0", Description: "Something else"})
	for _, name := range []string{"mcp-server-sqlite", "extra-mcp-sqlite", "mcp-server-filesystem"} {
		r.Index[name] = "An MCP server for " + name
	}
	return r
}

// emptyServer is an MCP server in JavaScript without tools.
const emptyServer = `#!/usr/bin/env node
require("readline").createInterface({input: process.stdin}).on("line", line => {
	const m = JSON.parse(line)
	if (m.id === undefined) return
	const results = {
		initialize: {protocolVersion: "2025-06-18", capabilities: {tools: {}}, serverInfo: {name: "empty", version: "1.0.0"}}, "tools/list": {tools: []},
	}
	const answer = results[m.method] ? {result: results[m.method]} : {error: {code: -32601, message: "unknown method"}}
	console.log(JSON.stringify({jsonrpc: "2.0", id: m.id, ...answer}))
})
`
