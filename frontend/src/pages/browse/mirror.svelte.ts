// The hub's copy of the official registry.

import { api, take, type Schemas } from "$lib/api/client";
import { attempt } from "$lib/actions";
import { hub } from "$lib/stores/hub.svelte";
import { LiveQuery } from "$lib/stores/livequery.svelte";

export type MirrorState = Schemas["MirrorState"];

export class Mirror {
  #query = new LiveQuery(() => take(api.GET("/api/market/mirror")));
  /** The state that events have reported since the last answer. */
  #event = $state.raw<{ of: MirrorState | undefined; state: MirrorState }>();

  state = $derived(this.#event && this.#event.of === this.#query.value ? this.#event.state : this.#query.value);

  keep(): () => void {
    const ends = [
      this.#query.keep([]),
      hub.on("market.mirror", ({ mirror }) => (this.#event = { of: this.#query.value, state: mirror })),
    ];
    return () => ends.forEach((end) => end());
  }

  /** refresh asks the registry for what has changed. Events report the progress. */
  async refresh(): Promise<void> {
    await attempt(() => take(api.POST("/api/market/sync")));
  }
}
