// Which editors there are and whether our entry is in them, kept fresh by the socket.

import { api, take, type Schemas } from "../api/client.ts";
import { Fresh } from "./fresh.svelte.ts";

type Editor = Schemas["EditorStatus"];

const SOON = 150; // ms: several files often change at once

/** broken reports whether our entry was there and does not work. */
export const broken = ({ state }: Editor): boolean => state === "stale" || state === "dropped";

class Editors {
  #answer = new Fresh(() => take(api.GET("/api/editors", { params: { query: { all: true } } })));

  /** Undefined until it is known. */
  answer = $derived(this.#answer.value);
  /** Why the last question had no answer. */
  problem = $derived(this.#answer.problem);
  /** All that are known of, in the hub's order. */
  all = $derived(this.answer?.editors ?? []);
  /** Those of this machine, and those that were and have our entry. */
  here = $derived(this.all.filter(({ detected, state }) => detected || state !== "absent"));
  broken = $derived(this.here.filter(broken));

  /** keep asks now, and whenever editors may have changed; the returned function ends that. Use it as an effect. */
  keep = (): (() => void) => this.#answer.keep(["editors"], SOON);
  load = (): Promise<void> => this.#answer.load();

  /** nameOf returns the name of an editor that a person knows. */
  nameOf = (id: string): string => this.all.find((editor) => editor.id === id)?.name ?? id;
}

export const editors = new Editors();
