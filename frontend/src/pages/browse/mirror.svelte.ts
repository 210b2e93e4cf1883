// The hub's copy of the official registry.

import { api, take, type Schemas } from "$lib/api/client";
import { attempt } from "$lib/actions";
import { hub } from "$lib/stores/hub.svelte";
import { LiveQuery } from "$lib/stores/livequery.svelte";

export type MirrorState = Schemas["MirrorState"];

export class Mirror {
  state = $state.raw<MirrorState>();

  /** The number of events. An answer is dropped if an event arrived during its request. */
  #events = 0;
  #query = new LiveQuery(async () => {
    const events = this.#events;
    const state = await take(api.GET("/api/market/mirror"));
    if (events === this.#events) this.state = state;
  });

  keep(): () => void {
    const ends = [
      this.#query.keep([]),
      hub.on("market.mirror", ({ mirror }) => {
        this.#events++;
        this.state = mirror;
      }),
    ];
    return () => ends.forEach((end) => end());
  }

  /** refresh asks the registry for what has changed. Events report the progress. */
  async refresh(): Promise<void> {
    await attempt(() => take(api.POST("/api/market/sync")));
  }
}
