// What the search has learned from the calls of agents, kept fresh while it is shown.

import { attempt, later } from "$lib/actions";
import { api, messageOf, take, type Schemas } from "$lib/api/client";
import { hub } from "$lib/stores/hub.svelte";
import { toasts } from "$lib/stores/toasts.svelte";
import { prose } from "$lib/verbatim";
import { SvelteSet } from "svelte/reactivity";

export type Entry = Schemas["LearnedTool"];

const PAGE = 200;

/** Entries that are hidden because their removal can still be undone, even while the panel is closed. */
const leaving = new SvelteSet<number>();

export class LearnedStore {
  /** Undefined until loaded. */
  list = $state.raw<Schemas["LearnedList"]>();
  problem = $state("");
  entries = $derived((this.list?.entries ?? []).filter(({ id }) => !leaving.has(id)));
  /** The total number, including entries that are not loaded. */
  total = $derived((this.list?.total ?? 0) - (this.list?.entries ?? []).length + this.entries.length);

  #limit = PAGE;
  #turn = 0;

  /** follow loads the list whenever it changes. The returned function ends that; use it as an effect. */
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
    later(`/api/learned/${id}`, said, (gone) => (gone ? leaving.add(id) : leaving.delete(id)));
  }

  async forgetAll(): Promise<void> {
    const done = await attempt(() => take(api.DELETE("/api/learned")));
    if (done) toasts.show("Everything learned is erased.");
    await this.load();
  }
}
