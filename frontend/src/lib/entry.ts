// Our entry, as most clients take it.

/** entryOf is what an editor's configuration needs. */
export const entryOf = (program: string): string => `{
  "mcpServers": {
    "discover": {
      "command": ${JSON.stringify(program || "agent-discover")},
      "args": ["mcp"]
    }
  }
}`;
