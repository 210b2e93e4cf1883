// The versions of the servers that were installed from the marketplace.

import { attempt } from "../actions.ts";
import { api, take, type Schemas } from "../api/client.ts";
import { LiveQuery } from "./livequery.svelte.ts";

export type Versions = Schemas["UpdateServer"];
export type Comparison = Schemas["UpdateComparison"];

const SOON = 150; // ms: several changes often come together

class Updates {
  #query = new LiveQuery(async () => (await take(api.GET("/api/market/updates"))).servers);

  /** All servers that were installed from the marketplace, by name; undefined until loaded. */
  all = $derived(this.#query.value);
  problem = $derived(this.#query.problem);

  /** keep loads the versions now and after each change until the returned function is called. Use it as an effect. */
  keep = (): (() => void) => this.#query.keep(["market.updates", "state"], SOON);

  of = (server: string): Versions | undefined => this.all?.find((one) => one.server === server);

  /** check asks the registries for newer versions. */
  async check(): Promise<void> {
    await attempt(() => take(api.POST("/api/market/updates/check")));
    await this.#query.load();
  }
}

export const updates = new Updates();
