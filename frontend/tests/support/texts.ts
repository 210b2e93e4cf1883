// An MCP server over stdio whose tools have the texts of a JSON file as descriptions: node texts.ts FILE. An object in
// place of a text is a whole definition. A call returns its argument "say".

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

interface Request {
  id?: number;
  method: string;
  params?: { arguments?: { say?: string } };
}

const texts = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as (string | object)[];
const tools = texts.map((text, i) =>
  typeof text === "string" ? { name: `text_${i}`, description: text, inputSchema: { type: "object" } } : text,
);
const results: Record<string, unknown> = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "texts", version: "1.0.0" },
  },
  "tools/list": { tools },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line) as Request;
  const say = { content: [{ type: "text", text: params?.arguments?.say ?? "" }] };
  const result = method === "tools/call" ? say : (results[method] ?? {});
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\n");
});
