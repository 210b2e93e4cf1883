// An MCP server over stdio whose tools have the texts of a JSON file as descriptions: node texts.ts FILE.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const texts = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as string[];
const tools = texts.map((description, i) => ({ name: `text_${i}`, description, inputSchema: { type: "object" } }));
const results: Record<string, unknown> = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "texts", version: "1.0.0" },
  },
  "tools/list": { tools },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line) as { id?: number; method: string };
  if (id !== undefined)
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }) + "\n");
});
