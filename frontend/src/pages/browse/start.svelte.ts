// Well-known servers and all categories, which the hub knows without a network.

import { api, take } from "$lib/api/client";
import { LiveQuery } from "$lib/stores/livequery.svelte";

export class StartPage {
  #query = new LiveQuery(() => take(api.GET("/api/market/start")));

  answer = $derived(this.#query.value);
  problem = $derived(this.#query.problem);
  load = (): Promise<void> => this.#query.load();

  /** keep loads the servers now and after an installation until the returned function is called. Use it as an effect. */
  keep = (): (() => void) => this.#query.keep(["state"]);
}
