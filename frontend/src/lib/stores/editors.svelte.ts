// The editors on this machine and the state of our entry in each, kept fresh by the socket.

import { api, take, type Schemas } from "../api/client.ts";
import { LiveQuery } from "./livequery.svelte.ts";

type Editor = Schemas["EditorStatus"];

const SOON = 150; // ms: several files often change together

/** broken reports whether our entry exists in the editor but does not work. */
export const broken = ({ state }: Editor): boolean => state === "stale" || state === "dropped";

class Editors {
  #answer = new LiveQuery(() => take(api.GET("/api/editors", { params: { query: { all: true } } })));

  /** All supported editors, in the hub's order; undefined until loaded. */
  answer = $derived(this.#answer.value);
  /** Why the last request failed; empty if it succeeded. */
  problem = $derived(this.#answer.problem);
  /** All supported editors, in the hub's order. */
  all = $derived(this.answer?.editors ?? []);
  /** Editors that are installed, and uninstalled ones that still have our entry. */
  here = $derived(this.all.filter(({ detected, state }) => detected || state !== "absent"));
  broken = $derived(this.here.filter(broken));

  /** keep loads now and whenever editors may have changed. The returned function ends that; use it as an effect. */
  keep = (): (() => void) => this.#answer.keep(["editors"], SOON);
  load = (): Promise<void> => this.#answer.load();

  /** nameOf returns the display name of an editor. */
  nameOf = (id: string): string => this.all.find((editor) => editor.id === id)?.name ?? id;
}

export const editors = new Editors();
