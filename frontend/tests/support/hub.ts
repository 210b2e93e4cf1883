// A real hub for tests, with its own data folder and port, run from the binary of `make build`.

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
export const binary = join(root, "bin/agent-discover");
const servers = join(root, "build/servers/node_modules/@modelcontextprotocol");

/** packaged returns the command line of an installed reference server, such as packaged("everything"). */
export const packaged = (name: string, ...args: string[]): string[] => [
  process.execPath,
  join(servers, `server-${name}/dist/index.js`),
  ...args,
];

/**
 * plain returns the command line of a server whose tools have short names, such as list_invoice; see server.ts. count
 * must not exceed the number of names: 40 if name is tickets, and 24 otherwise.
 */
export const plain = (count: number, name: string): string[] => [...many(count, name), "short"];

/** many returns the command line of a server with count tools: see server.ts. */
export const many = (count: number, prefix = "tool"): string[] => [
  process.execPath,
  join(root, "frontend/tests/support/server.ts"),
  String(count),
  prefix,
];

/** malicious returns the command line of a malicious server: see malicious.ts. */
export const malicious = (): string[] => [process.execPath, join(root, "frontend/tests/support/malicious.ts")];

/** described returns the command line of a server whose tool descriptions come from a JSON file: see texts.ts. */
export const described = (file: string): string[] => [
  process.execPath,
  join(root, "frontend/tests/support/texts.ts"),
  file,
];

/** The request with which an MCP client opens a session. */
export const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "screens", version: "1" } },
};

interface Info {
  host: string;
  port: number;
  token: string;
}

export class TestHub {
  readonly folder = mkdtempSync(join(tmpdir(), "hub-"));
  info!: Info;
  #process: ChildProcess | undefined;
  #output = "";

  /** start runs the hub and returns once it answers. A restart uses the same port. */
  async start(env: Record<string, string> = {}): Promise<this> {
    const port = this.info ? String(this.info.port) : "0";
    const run = join(this.folder, "run");
    // Without registries of its own, a test reaches none.
    const npmrc = join(this.folder, ".npmrc");
    if (!existsSync(npmrc)) writeFileSync(npmrc, "registry=http://127.0.0.1:9/\n");
    this.#process = spawn(binary, ["serve"], {
      env: {
        ...process.env,
        HOME: this.folder, // no start-up files of the user's shell
        AGENT_DISCOVER_HOME: this.folder,
        AGENT_DISCOVER_PORT: port,
        AGENT_DISCOVER_KEYCHAIN: "off",
        AGENT_DISCOVER_REGISTRY_URL: "off", // tests do not reach the internet
        AGENT_DISCOVER_EMBEDDING_PROVIDER: "none", // computing vectors would take a quarter of the processor time
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#process.stdout?.on("data", (data) => (this.#output += data));
    this.#process.stderr?.on("data", (data) => (this.#output += data));
    this.info = await this.#announced(join(run, "hub.json"), this.#process);
    return this;
  }

  /** #announced waits for hub.json, which a hub writes once it listens, and returns its content. */
  #announced(file: string, child: ChildProcess): Promise<Info> {
    return new Promise((found, failed) => {
      const look = () => {
        if (!existsSync(file)) return;
        const info = JSON.parse(readFileSync(file, "utf8")) as Info & { pid: number };
        if (info.pid !== child.pid) return;
        done();
        found(info);
      };
      // Watch the whole data folder, because the hub has not created the run folder yet.
      const watcher = watch(this.folder, { recursive: true }, look);
      const ended = () => {
        done();
        failed(new Error(`the hub ended: ${this.#output}`));
      };
      const done = () => {
        watcher.close();
        child.off("exit", ended);
      };
      child.on("exit", ended);
      look();
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.info.port}`;
  }

  /** rest sends a REST request and throws unless it succeeds. */
  async rest<T = unknown>(method: string, path: string, body?: unknown, token = this.info.token): Promise<T> {
    const answer = await fetch(this.url + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  }

  /** restAsPerson is like rest, but sends the token of a session, as a page of the dashboard does. */
  async restAsPerson<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    const { ticket } = await this.rest<{ ticket: string }>("POST", "/api/tickets", { purpose: "page" });
    const { token } = await this.rest<{ token: string }>("POST", "/api/session", { ticket });
    return this.rest<T>(method, path, body, token);
  }

  /** add adds a server by its command line, lists its tools, and returns its id. */
  async add(name: string, [command, ...args]: string[], more: object = {}): Promise<number> {
    const { id } = await this.rest<{ id: number }>("POST", "/api/servers", { name, command, args, ...more });
    await this.rest("POST", `/api/servers/${id}/refresh`);
    return id;
  }

  /** approve approves everything that a server lists, also what the scan blocks, as a person does. */
  async approve(server: string): Promise<void> {
    const { items } = await this.rest<{ items: { id: number; hash: string; waits: boolean }[] }>(
      "GET",
      `/api/trust?server=${encodeURIComponent(server)}`,
    );
    for (const { id, hash } of items.filter(({ waits }) => waits))
      await this.restAsPerson("POST", `/api/trust/items/${id}/approve`, { hash, confirmed: true });
  }

  /** address returns the URL of a page with a new ticket. */
  async address(path = "/overview"): Promise<string> {
    const { ticket } = await this.rest<{ ticket: string }>("POST", "/api/tickets", { purpose: "page" });
    return `${this.url}/#ticket=${ticket}&page=${encodeURIComponent(`#${path}`)}`;
  }

  /** end sends a signal to the hub and waits for its exit. */
  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((done) => child.once("exit", done));
    child.kill(signal);
    await gone;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
