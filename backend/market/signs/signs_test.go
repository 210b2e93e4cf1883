package signs

import "testing"

func TestServersAreDistinguishedFromToolsForThem(t *testing.T) {
	sdk := []string{"zod", "@modelcontextprotocol/sdk"}
	for want, rows := range map[bool][]Facts{
		true: {
			{Name: "@modelcontextprotocol/server-filesystem"},
			{Name: "mcp-server-time", Description: "Time"},
			{Name: "@playwright/mcp", Description: "Playwright Tools for MCP", Keywords: []string{"mcp"}},
			{Name: "@stripe/mcp", Description: "A command line tool for setting up Stripe MCP server"},
			{Name: "weather", Keywords: []string{"weather", "MCP-Server"}},
			{Name: "weather", Description: "An MCP server for weather", Keywords: []string{"mcp"}},
			{Name: "weather", Complete: true, Programs: []string{"weather-mcp"}, Dependencies: sdk},
			{Name: "sdk-docs", Declared: "io.github.me/sdk-docs", Complete: true, Programs: []string{"sdk-docs"}},
			{Name: "mcp-clickhouse", Description: "MCP server for ClickHouse"},
		},
		false: {
			{Name: "lodash", Description: "Utilities"},
			{
				Name: "@modelcontextprotocol/sdk", Description: "Model Context Protocol implementation for TypeScript",
				Keywords: []string{"modelcontextprotocol", "mcp"},
			},
			{Name: "@modelcontextprotocol/inspector", Description: "Model Context Protocol inspector"},
			{Name: "mcp", Description: "Model Context Protocol SDK", Keywords: []string{"automation", "mcp"}},
			{Name: "fastmcp", Description: "A framework for MCP servers", Keywords: []string{"mcp"}},
			{Name: "create-mcp-server", Description: "Creates an MCP server"},
			{Name: "mcp-server-template", Keywords: []string{"mcp"}},
			{Name: "mcp", Description: "Minecraft coder pack"},
			{Name: "mcp23017", Description: "Driver for the MCP23017", Keywords: []string{"i2c", "mcp"}},
			{Name: "mcp-server-x", Keywords: []string{"mcp-server"}, Complete: true},
			{Name: "chat", Description: "A chat that uses the SDK", Complete: true, Programs: []string{"chat"}, Dependencies: sdk},
			{},
		},
	} {
		for _, f := range rows {
			if got, why := Server(f); got != want {
				t.Errorf("%+v: got %t, because %q", f, got, why)
			}
		}
	}
}

func TestTheProgramToStartIsTheOnlyOneThatFits(t *testing.T) {
	for want, programs := range map[string][]string{"a": {"a"}, "b-mcp": {"a", "b-mcp"}, "": {"a-mcp", "b-mcp"}} {
		if got := Program(programs); got != want {
			t.Errorf("%q: got %q", programs, got)
		}
	}
	if Program(nil) != "" || Program([]string{"a", "b"}) != "" {
		t.Error("a program was chosen")
	}
}
