// A malicious MCP server over stdio: its names, schemas, results and instructions attack the program that shows them.

import { createInterface } from "node:readline";

interface Request {
  id?: number | string;
  method: string;
  params?: { name?: string; cursor?: string; uri?: string; arguments?: Record<string, unknown> };
  result?: unknown;
}

const markup = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
const text = (value: string) => ({ content: [{ type: "text", text: value }] });
const deep = "[".repeat(100_000) + "]".repeat(100_000);

/** A second of silence, as a WAV file. */
function silence(): string {
  const samples = Buffer.alloc(8_000, 128);
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(8_000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]).toString("base64");
}

const results: Record<string, () => object | undefined> = {
  markup: () => text(markup),
  media: () => ({
    content: [
      { type: "audio", mimeType: "audio/wav", data: silence() },
      { type: "image", mimeType: "image/svg+xml", data: Buffer.from(`<svg onload="1"/>`).toString("base64") },
      { type: "image", mimeType: "image/png", data: "this is no base64 <>" },
      { type: "resource_link", uri: "javascript:document.title='owned'", name: markup },
      { type: "resource", resource: { uri: "file:///etc/passwd", mimeType: "text/html", text: markup } },
      { type: "hologram", data: 5 },
      "not a block",
    ],
  }),
  huge: () => text("x".repeat(400_000)),
  deep: () => text(deep),
  failing: () => ({ ...text("it went wrong"), isError: true }),
  empty: () => ({ content: [] }),
  never: () => undefined,
  echo: () => undefined,
};

const properties = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`field_${i}`, { type: "string" }]));
const schemas: Record<string, string> = {
  "many properties": JSON.stringify({ type: "object", properties, required: ["field_9999"] }),
  circle: JSON.stringify({
    $ref: "#/$defs/a",
    $defs: { a: { type: "object", properties: { more: { $ref: "#/$defs/a" } } } },
  }),
  "no object": JSON.stringify({ type: "string" }),
  proto: `{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}}}`,
  kinds: JSON.stringify({
    type: "object",
    required: ["text"],
    properties: {
      text: { type: "string", minLength: 3 },
      pattern: { type: "string", pattern: "^(a+)+$" },
      maybe: { anyOf: [{ type: "string" }, { type: "null" }], description: "May be null" },
      moment: { type: "string", format: "date-time" },
      day: { type: "string", format: "date" },
      mail: { type: "string", format: "email" },
      site: { type: "string", format: "uri" },
      amount: { type: "number", minimum: 1 },
      flag: { type: "boolean" },
      color: {
        type: "string",
        oneOf: [
          { const: "r", title: "Red" },
          { const: "g", title: "Green" },
        ],
      },
      list: { type: "array", items: { type: "integer" } },
      inner: { type: "object", properties: { street: { type: "string" } }, required: ["street"] },
      anything: { oneOf: [{ type: "string" }, { type: "object" }] },
    },
  }),
};

const plain = `{"type":"object"}`;
const tools = [
  ...Object.keys(schemas).map((name) => tool(name, schemas[name] ?? plain)),
  ...Object.keys(results).map((name) => tool(name, plain)),
  tool("\u202eevil\u0007\u200b name", plain, `\u202e${markup} ${"very long ".repeat(400)}`),
  tool(`a${"b".repeat(300)}`, plain),
  `{"name":5}`,
  `null`,
  `{"name":"destroyer","title":"${"T".repeat(200)}","annotations":{"destructiveHint":true,"openWorldHint":true},"inputSchema":${plain}}`,
];

function tool(name: string, schema: string, description = `${name}: ${markup}`): string {
  return `{"name":${JSON.stringify(name)},"description":${JSON.stringify(description)},"inputSchema":${schema}}`;
}

const send = (message: string) => process.stdout.write(message + "\n");

function answer({ method, params = {} }: Request): string | undefined {
  switch (method) {
    case "initialize":
      return JSON.stringify({
        protocolVersion: "2025-06-18",
        capabilities: { tools: {}, resources: {}, prompts: {}, logging: {} },
        serverInfo: { name: markup, version: "1" },
        instructions: `# Hello\n\n${markup}\n\n[click](javascript:document.title='owned') ![pic](http://evil.example/x.png) <a href="http://evil.example" onclick="1">link</a>`,
      });
    case "tools/list":
      return `{"tools":[${tools.join()}]}`;
    case "tools/call":
      if (params.name === "never") return undefined;
      if (params.name && !results[params.name]?.()) return JSON.stringify(text(JSON.stringify(params.arguments ?? {})));
      return JSON.stringify(results[params.name ?? ""]?.());
    case "resources/list": {
      // The cursor of the third page points to itself.
      const page = Number(params.cursor ?? 0);
      const resources = Array.from({ length: 3 }, (_, i) => ({
        uri: `x://${page}/${i}`,
        name: `resource ${page}/${i}`,
      }));
      return JSON.stringify({ resources, nextCursor: String(Math.min(2, page + 1)) });
    }
    case "resources/templates/list":
      return JSON.stringify({ resourceTemplates: [{ uriTemplate: "x://{__proto__}/{+path}{?q}", name: "odd" }] });
    case "resources/read":
      return JSON.stringify({ contents: [{ uri: params.uri, text: `read ${params.uri}` }] });
    case "prompts/list":
      return JSON.stringify({ prompts: [{ name: markup, arguments: [{ name: "__proto__", required: true }, 5] }] });
    case "prompts/get":
      return JSON.stringify({
        messages: [{ role: markup, content: { type: "text", text: JSON.stringify(params.arguments) } }, 7],
      });
  }
  return "{}";
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line) as Request;
  if (request.id === undefined || request.result !== undefined || !request.method) return;
  const result = answer(request);
  if (result !== undefined) send(`{"jsonrpc":"2.0","id":${JSON.stringify(request.id)},"result":${result}}`);
});
