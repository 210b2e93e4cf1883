// An MCP server of both eras, made with the TypeScript SDK, whose tool asks the client. Its argument is the folder of the SDK.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const load = (file) => import(pathToFileURL(join(process.argv[2], "dist", file)).href);
const { McpServer } = await load("index.mjs");
const { serveStdio } = await load("stdio.mjs");

serveStdio(() => {
  const server = new McpServer({ name: "asking", version: "1" }, { capabilities: { tools: {} } });
  server.registerTool("ask", { description: "Ask the user for a name" }, async (context) => {
    const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
    const answer = await context.mcpReq.elicitInput({ message: "Name?", requestedSchema });
    return { content: [{ type: "text", text: JSON.stringify(answer) }] };
  });
  return server;
});
