// All known tools without their schemas, and their call statistics.

import { api, messageOf, take, type Schemas } from "../api/client.ts";
import type { Server } from "../api/socket.ts";

export type KnownTool = Schemas["KnownTool"];
export type Ranked = Schemas["RankedTool"];

/** If at least this many servers have changed, one request loads all tools; otherwise each server has its own request. */
const MANY = 4;

/** keyOf returns a key that is unique among the tools of all servers. */
export const keyOf = (server: string, tool: string): string => `${server}\n${tool}`;

class Tools {
  list = $state.raw<KnownTool[]>([]);
  /** True once the list is loaded. */
  ready = $state(false);
  /** Why the last request for tools failed; empty if it succeeded. */
  problem = $state("");
  /** Call statistics by keyOf, of tools that have been called. */
  numbers = $state.raw<ReadonlyMap<string, Ranked>>(new Map());

  #revisions = new Map<string, string>();
  /** The servers of the last update. An answer that arrives later may still have tools of a removed server. */
  #servers: ReadonlySet<string> = new Set();
  #turn: Promise<void> = Promise.resolve();
  #counting: ReturnType<typeof setTimeout> | undefined;

  /** update loads the tools of servers whose lists have changed since the previous update. */
  update(servers: readonly Server[]): void {
    const revisions = new Map(servers.map((server) => [server.name, `${server.tools_rev} ${server.tool_tokens}`]));
    const changed = [...revisions].filter(([name, is]) => this.#revisions.get(name) !== is).map(([name]) => name);
    const gone = [...this.#revisions.keys()].some((name) => !revisions.has(name));
    this.#revisions = revisions;
    this.#servers = new Set(revisions.keys());
    if (gone) this.list = this.list.filter((tool) => revisions.has(tool.server));
    if (changed.length || !this.ready) this.#turn = this.#turn.then(() => this.#load(changed));
  }

  /** retry loads all tools. */
  retry(): void {
    this.#turn = this.#turn.then(() => this.#load(undefined));
  }

  /** count loads the call statistics. */
  async count(): Promise<void> {
    try {
      const all = await take(api.GET("/api/metrics/tools", { params: { query: { limit: "500" } } }));
      this.numbers = new Map((all ?? []).map((tool) => [keyOf(tool.server_name, tool.tool_name), tool]));
    } catch {
      // Ignore the failure: the page shows a lost connection, and the next call of a tool loads the statistics again.
    }
  }

  /** countSoon loads the call statistics after a delay, so that several calls of tools cause one request. */
  countSoon(): void {
    this.#counting ??= setTimeout(() => {
      this.#counting = undefined;
      void this.count();
    }, 1_000);
  }

  async #load(changed: string[] | undefined): Promise<void> {
    const some = this.ready && changed && changed.length < MANY ? changed : undefined;
    try {
      const lists = await Promise.all((some ?? [undefined]).map((server) => this.#ask(server)));
      const kept = some ? this.list.filter((tool) => !some.includes(tool.server)) : [];
      this.list = [...kept, ...lists.flat().filter((tool) => this.#servers.has(tool.server))];
      this.ready = true;
      this.problem = "";
    } catch (problem) {
      this.problem = messageOf(problem);
      this.#revisions.clear();
    }
  }

  async #ask(server: string | undefined): Promise<KnownTool[]> {
    return (await take(api.GET("/api/tools", { params: { query: { brief: "true", server } } }))) ?? [];
  }
}

export const tools = new Tools();
