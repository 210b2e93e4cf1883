// An MCP server over stdio with COUNT tools: node server.ts COUNT PREFIX. Its tools return their arguments; it writes
// the methods of requests to standard error.

import { createInterface } from "node:readline";

const [count = "3", prefix = "tool", short] = process.argv.slice(2);
const topics = ["invoice", "branch", "ticket", "file", "meeting", "alert", "customer", "deployment"];
const lines: Record<string, string[]> = {
  billing: ["invoice", "customer", "payment", "refund", "subscription"],
  tickets: ["ticket", "sprint", "board", "branch", "deployment", "alert", "comment", "milestone"],
};
const verbs = ["create", "list", "update", "delete", "search"];
const does: Record<string, (topic: string) => string> = {
  create: (topic) => `Creates a new ${topic} and returns its number.`,
  list: (topic) => `Lists every ${topic} that is open, newest first.`,
  update: (topic) => `Changes fields of one ${topic}; what is left out stays.`,
  delete: (topic) => `Deletes one ${topic} for good.`,
  search: (topic) => `Finds one ${topic} or more by words in its text.`,
};

const tools = Array.from({ length: Number(count) }, (_, i) => {
  const [verb = "", topic = ""] = [
    verbs[i % verbs.length],
    short ? (lines[prefix] ?? topics)[Math.floor(i / verbs.length)] : topics[i % topics.length],
  ];
  return {
    name: short ? `${verb}_${topic}` : `${prefix}_${verb}_${topic}_${i}`,
    description: short
      ? does[verb]?.(topic)
      : `${verb} a ${topic} in workspace ${i}. Part of a long list that tests scroll through.`,
    inputSchema: {
      type: "object",
      properties: { id: { type: "integer", description: `the ${topic}'s number` }, note: { type: "string" } },
      required: ["id"],
    },
  };
});

const results: Record<string, (params: { arguments?: unknown; protocolVersion?: string }) => unknown> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: prefix, version: "1.0.0" },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": (params) => ({ content: [{ type: "text", text: JSON.stringify(params.arguments ?? {}) }] }),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line) as { id?: number; method: string; params?: object };
  process.stderr.write(`received ${method}\n`);
  if (id === undefined) return;
  const answer = results[method];
  const rest = answer ? { result: answer(params ?? {}) } : { error: { code: -32601, message: "Method not found" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...rest }) + "\n");
});
