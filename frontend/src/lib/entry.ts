// The Agent Discover entry for the configuration of an MCP client.

/** entryOf returns the entry as JSON with "mcpServers", the format that most clients accept. */
export const entryOf = (program: string): string => `{
  "mcpServers": {
    "discover": {
      "command": ${JSON.stringify(program || "agent-discover")},
      "args": ["mcp", "--surface", "meta"]
    }
  }
}`;
