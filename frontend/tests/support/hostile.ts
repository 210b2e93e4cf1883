// A hostile MCP server over stdio: its texts try to break out of the page, and its schemas are nested, recursive or
// invalid. Its tools answer, fail, or return long texts.

import { createInterface } from "node:readline";

const script = `<img src=x onerror="document.title='broken'"><script>document.title='broken'</script>`;

const schema = {
  type: "object",
  required: ["title", "owner"],
  properties: {
    title: { type: "string", description: "What it is called", minLength: 1, maxLength: 80 },
    priority: { type: "string", enum: ["low", "normal", "high"], default: "normal" },
    due: { type: ["string", "null"], format: "date-time" },
    labels: { type: "array", items: { type: "string" }, uniqueItems: true },
    owner: {
      type: "object",
      description: "Who looks after it",
      required: ["email"],
      properties: { email: { type: "string", format: "email" }, team: { $ref: "#/$defs/team" } },
    },
    estimate: { anyOf: [{ type: "integer", minimum: 1 }, { type: "string" }] },
  },
  $defs: {
    team: {
      type: "object",
      properties: { name: { type: "string" }, parent: { $ref: "#/$defs/team", description: "The team above" } },
    },
  },
};

const tools = [
  {
    name: "file_report",
    title: "File a report",
    description: "Files a report.\n\n- keeps **everything**\n- see [the manual](https://example.com/manual)",
    inputSchema: schema,
    outputSchema: { type: "object", properties: { number: { type: "integer", description: "Of the new report" } } },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
  {
    name: "markup",
    description: `${script} [click](javascript:document.title='broken') <style>body{display:none}</style> **bold**`,
    inputSchema: { type: "object", properties: { [script]: { type: "string", description: script } } },
  },
  {
    name: "hidden\u202Etxt.exe\u200B",
    description: "Adds two numbers.\u{E0049}\u{E0067}\u{E006E}\u{E006F}\u{E0072}\u{E0065} \u202Esdrawkcab",
    inputSchema: { type: "object" },
  },
  { name: "endless", description: "word ".repeat(800), inputSchema: { type: "object" } },
  { name: "n".repeat(300), description: "", inputSchema: { type: "object" } },
  { name: "fails", description: "Always fails.", inputSchema: { type: "object" } },
  { name: "long", description: "Says a lot.", inputSchema: { type: "object" } },
];

const text = (words: string, more: object = {}) => ({ content: [{ type: "text", text: words }], ...more });

const results: Record<string, (params: { name?: string; arguments?: unknown; protocolVersion?: string }) => unknown> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "hostile", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name, arguments: args }) =>
    name === "fails"
      ? text(`No: ${script}`, { isError: true })
      : text(name === "long" ? "x".repeat(10_000) : JSON.stringify({ got: args })),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line) as { id?: number; method: string; params?: object };
  if (id === undefined) return;
  const answer = results[method];
  const rest = answer ? { result: answer(params ?? {}) } : { error: { code: -32601, message: "Method not found" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...rest }) + "\n");
});
