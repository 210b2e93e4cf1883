// Results of calls that are kept back until a person releases them.

import { api, take, type Schemas } from "../api/client.ts";
import { LiveQuery } from "./livequery.svelte.ts";

export type KeptResult = Schemas["KeptResult"];

const SOON = 150; // ms: several changes often come together

class Kept {
  #query = new LiveQuery(async () => (await take(api.GET("/api/trust/results"))) ?? []);

  /** All results that are kept back, the latest first. */
  all = $derived((this.#query.value ?? []).toReversed());
  /** The results that are not released yet. */
  waiting = $derived(this.all.filter(({ released }) => !released));

  /** keep loads the results now and after each change until the returned function is called. Use it as an effect. */
  keep = (): (() => void) => this.#query.keep(["trust"], SOON);

  /** release makes the hub return a result to the next call with the same arguments. */
  release = async ({ id }: KeptResult): Promise<void> => {
    await take(api.POST("/api/trust/results/{id}/release", { params: { path: { id } } }));
    await this.#query.load();
  };

  discard = async ({ id }: KeptResult): Promise<void> => {
    await take(api.DELETE("/api/trust/results/{id}", { params: { path: { id } } }));
    await this.#query.load();
  };
}

export const kept = new Kept();
