//go:build linux

package hub_test

import "testing"

// newRecordedMarket returns registries with the servers of the recording.
func newRecordedMarket(t *testing.T) *registries {
	t.Helper()
	r := newRegistries(t)
	r.any = true
	sqlite := func(version string) map[string]any {
		return map[string]any{
			"description": "SQLite over MCP", "repository": map[string]any{"url": "https://github.com/x/sqlite-mcp", "source": "github"},
			"packages": []any{map[string]any{"registryType": "npm", "identifier": "sqlite-mcp", "version": version, "transport": map[string]any{"type": "stdio"}}},
		}
	}
	r.add("io.github.x/sqlite-mcp", "1.2.0", sqlite("1.2.0"))
	r.add("io.github.x/sqlite-mcp", "1.10.0", sqlite("1.10.0"))
	r.add("com.remote/sql", "0.1.0", map[string]any{"description": "Remote SQL", "remotes": []any{
		map[string]any{"type": "streamable-http", "url": "https://remote.example/mcp"}, map[string]any{"type": "sse", "url": "https://remote.example/sse"},
	}})
	r.next = "c-next"
	r.publish("mcp-server-sqlite", npmPackage{version: "0.3.0", description: "sqlite MCP server", repository: "https://github.com/n/p", program: emptyServer})
	r.publish("@modelcontextprotocol/server-everything", npmPackage{version: "1.0.0", description: "MCP server that exercises all features", program: emptyServer})
	r.publish("unrelated", npmPackage{version: "1.0.0", description: "Something else"})
	for _, name := range []string{"mcp-server-sqlite", "extra-mcp-sqlite", "mcp-server-filesystem"} {
		r.index[name] = "An MCP server for " + name
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
