// Toolsets: named lists of tools, with the states of their tools, and the toolset that each client has equipped.

import { api, take, type Schemas } from "../api/client.ts";
import { LiveQuery } from "./livequery.svelte.ts";

export type Toolset = Schemas["ToolsetView"];
export type ToolsetTool = Schemas["ToolsetTool"];
/** A reference to a tool, as sent to create or update a toolset. */
export interface Reference {
  server: string;
  tool: string;
  note?: string;
}

const SOON = 150; // ms

class Toolsets {
  #answer = new LiveQuery(() => take(api.GET("/api/toolsets")));

  /** All toolsets, sorted by name; undefined until loaded. */
  all = $derived(this.#answer.value?.toolsets);
  /**
   * The name of the toolset that each client has equipped, by the name of the client. The client "" stands for all
   * others.
   */
  equipped = $derived<Record<string, string>>(this.#answer.value?.equipped ?? {});
  /** Why the last request failed; empty if it succeeded. */
  problem = $derived(this.#answer.problem);

  /** keep loads the toolsets now and after each change until the returned function is called. Use it as an effect. */
  keep = (): (() => void) => this.#answer.keep(["toolsets"], SOON);
  load = (): Promise<void> => this.#answer.load();
  get = (name: string): Toolset | undefined => this.all?.find((one) => one.name === name);

  create = (body: { name: string; description: string; tools: Reference[] }): Promise<Toolset> =>
    this.#then(take(api.POST("/api/toolsets", { body })));

  update = ({ name, description }: Toolset, tools: Reference[]): Promise<Toolset> =>
    this.#then(take(api.PUT("/api/toolsets/{name}", { params: { path: { name } }, body: { description, tools } })));

  /** pin accepts the shown changes of tools in a toolset. The hash of each tool identifies the change that was shown. */
  pin = (name: string, tools: ToolsetTool[]): Promise<Toolset> => {
    const body = { tools: tools.map(({ server, tool, drift }) => ({ server, tool, hash: drift?.hash ?? "" })) };
    return this.#then(take(api.POST("/api/toolsets/{name}/pin", { params: { path: { name } }, body })));
  };

  note = (name: string, { server, tool }: ToolsetTool, note: string): Promise<Toolset> =>
    this.#then(
      take(api.POST("/api/toolsets/{name}/note", { params: { path: { name } }, body: { server, tool, note } })),
    );

  approve = ({ name, hash }: Toolset): Promise<Toolset> =>
    this.#then(take(api.POST("/api/toolsets/{name}/approve", { params: { path: { name } }, body: { hash } })));

  equip = (name: string, client: string): Promise<unknown> =>
    this.#then(take(api.POST("/api/toolsets/{name}/equip", { params: { path: { name } }, body: { client } })));

  unequip = (client: string): Promise<unknown> =>
    this.#then(take(api.POST("/api/toolsets/unequip", { body: { client } })));

  delete = (name: string): Promise<unknown> =>
    this.#then(take(api.DELETE("/api/toolsets/{name}", { params: { path: { name } } })));

  importFile = (file: string, name: string): Promise<Toolset> =>
    this.#then(take(api.POST("/api/toolsets/import", { body: { file, name } })));

  /** export returns the file of a toolset. */
  export = async (name: string): Promise<string> =>
    JSON.stringify(await take(api.GET("/api/toolsets/{name}/export", { params: { path: { name } } })), null, 2) + "\n";

  /** #then loads the list after a change. */
  async #then<T>(change: Promise<T>): Promise<T> {
    const answer = await change;
    void this.load();
    return answer;
  }
}

export const toolsets = new Toolsets();
