// The editors on this machine and the state of the Agent Discover entry in each.

import { api, take, type Schemas } from "../api/client.ts";
import { LiveQuery } from "./livequery.svelte.ts";

type Editor = Schemas["EditorStatus"];

const SOON = 150; // ms: several files often change together

/** broken reports whether the entry of an editor starts the wrong program or was removed by another program. */
export const broken = ({ state }: Editor): boolean => state === "stale" || state === "dropped";

class Editors {
  #answer = new LiveQuery(() => take(api.GET("/api/editors", { params: { query: { all: true } } })));

  /** The answer of the hub about all supported editors; undefined until loaded. */
  answer = $derived(this.#answer.value);
  /** Why the last request failed; empty if it succeeded. */
  problem = $derived(this.#answer.problem);
  /** All supported editors, in the hub's order. */
  all = $derived(this.answer?.editors ?? []);
  /** Installed editors, and uninstalled ones whose files still have the Agent Discover entry. */
  here = $derived(this.all.filter(({ detected, state }) => detected || state !== "absent"));
  broken = $derived(this.here.filter(broken));

  /** keep loads the editors now and after each change until the returned function is called. Use it as an effect. */
  keep = (): (() => void) => this.#answer.keep(["editors"], SOON);
  load = (): Promise<void> => this.#answer.load();

  /** nameOf returns the display name of an editor. */
  nameOf = (id: string): string => this.all.find((editor) => editor.id === id)?.name ?? id;
}

export const editors = new Editors();
