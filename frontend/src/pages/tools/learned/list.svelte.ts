// The entries that the search has learned from the calls of agents.

import { attempt, later } from "$lib/actions";
import { api, messageOf, take, type Schemas } from "$lib/api/client";
import { hub } from "$lib/stores/hub.svelte";
import { toasts } from "$lib/stores/toasts.svelte";
import { prose } from "$lib/verbatim";
import { SvelteSet } from "svelte/reactivity";

export type Entry = Schemas["LearnedTool"];

const PAGE = 200;

/** The ids of hidden entries, whose deletion can still be undone. They outlive the panel. */
const hidden = new SvelteSet<number>();

export class LearnedStore {
  /** The loaded entries; undefined until loaded. */
  list = $state.raw<Schemas["LearnedList"]>();
  problem = $state("");
  entries = $derived((this.list?.entries ?? []).filter(({ id }) => !hidden.has(id)));
  /** The total number of entries, loaded or not, without hidden ones. */
  total = $derived((this.list?.total ?? 0) - (this.list?.entries ?? []).length + this.entries.length);

  #limit = PAGE;
  #turn = 0;

  /** follow loads the list now and after each change until the returned function is called. Use it as an effect. */
  follow(): () => void {
    void this.load();
    return hub.on("learned", () => void this.load());
  }

  more(): void {
    this.#limit += PAGE;
    void this.load();
  }

  async load(): Promise<void> {
    const turn = ++this.#turn;
    try {
      const list = await take(api.GET("/api/learned", { params: { query: { limit: Math.min(this.#limit, 5_000) } } }));
      if (turn !== this.#turn) return;
      this.list = list;
      this.problem = "";
    } catch (problem) {
      if (turn === this.#turn) this.problem = messageOf(problem);
    }
  }

  async switch(on: boolean): Promise<void> {
    await attempt(() => take(api.PUT("/api/learned", { body: { on } })));
    await this.load();
  }

  forget({ id, query }: Entry): void {
    const said = `“${prose(query.slice(0, 60))}${query.length > 60 ? "…" : ""}” deleted.`;
    later(`/api/learned/${id}`, said, (gone) => (gone ? hidden.add(id) : hidden.delete(id)));
  }

  async forgetAll(): Promise<void> {
    const done = await attempt(() => take(api.DELETE("/api/learned")));
    if (done) toasts.show("Everything learned is erased.");
    await this.load();
  }
}
