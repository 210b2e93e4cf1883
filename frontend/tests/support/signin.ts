// An authorization server (oidc-provider), and MCP servers that require its tokens.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "../../..");

/** The header that names the account that signs in. The provider does not ask for a password. */
export const person = { "X-Account": "alice" };

export interface SignedServer extends AsyncDisposable {
  /** The address of the MCP server. */
  url: string;
  issuer: string;
  /** revoke ends all sign-ins. */
  revoke: () => Promise<void>;
}

/** signedServer runs an MCP server with the tools whoami and write, both of which require a token of a provider. */
export async function signedServer(): Promise<SignedServer> {
  const script = resolve(root, "backend/testing/oidctest/provider.mjs");
  const provider = spawn(process.execPath, [script, resolve(root, "build/servers/node_modules"), "0", ""], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  let issuer = "";
  for await (const data of provider.stdout) {
    issuer = /^http:\S+/m.exec(String(data))?.[0] ?? "";
    if (issuer) break;
  }
  let last = "";
  const ask = async (path: string): Promise<Record<string, unknown>> =>
    (await (await fetch(issuer + path)).json()) as Record<string, unknown>;
  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const metadata = "/.well-known/oauth-protected-resource/mcp";

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, body?: object, headers = {}) =>
      response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(body && JSON.stringify(body));
    if (request.url === metadata)
      return void send(200, { resource: `${origin}/mcp`, authorization_servers: [issuer], scopes_supported: ["read"] });
    if (request.url !== "/mcp") return void send(404);
    const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
    const known = token ? await ask(`/test/token?value=${encodeURIComponent(token)}`) : {};
    if (!known.active)
      return void send(401, undefined, { "WWW-Authenticate": `Bearer resource_metadata="${origin}${metadata}"` });
    last = token;
    if (request.method !== "POST") return void send(405);
    let text = "";
    for await (const part of request) text += String(part);
    const { id, method } = JSON.parse(text) as { id?: number; method: string };
    if (id === undefined) return void send(202);
    const result = answers[method];
    send(200, {
      jsonrpc: "2.0",
      id,
      ...(result ? { result } : { error: { code: -32601, message: "Method not found" } }),
    });
  }

  return {
    url: `${origin}/mcp`,
    issuer,
    revoke: async () => void (await ask(`/test/revoke?all=1&value=${encodeURIComponent(last)}`)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      const gone = once(provider, "exit");
      provider.stdin.end();
      await gone;
    },
  };
}

const inputSchema = { type: "object" };

const answers: Record<string, object> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "notes", version: "1" },
  },
  "tools/list": {
    tools: [
      { name: "whoami", description: "Says who you are.", inputSchema },
      { name: "write", description: "Writes a note.", inputSchema },
    ],
  },
  "tools/call": { content: [{ type: "text", text: "you are alice" }] },
};
