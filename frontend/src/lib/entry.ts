// The entry of Agent Discover in the configuration of an MCP client.

/** entryOf returns the entry in the form that most clients accept. */
export const entryOf = (program: string): string => `{
  "mcpServers": {
    "discover": {
      "command": ${JSON.stringify(program || "agent-discover")},
      "args": ["mcp"]
    }
  }
}`;
