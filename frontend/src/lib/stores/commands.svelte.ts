// What the command palette offers beside pages, servers and tools: each page adds its own while it is open.

import { untrack, type Component } from "svelte";

export interface Command {
  id: string;
  label: string;
  /** The heading it stands under. */
  group: string;
  icon?: Component;
  /** More words to find it by. */
  keywords?: string[];
  keys?: string;
  run: () => void;
}

class Commands {
  open = $state(false);
  #sets = $state.raw<Command[][]>([]);

  get all(): Command[] {
    return this.#sets.flat();
  }

  /** add offers commands until the returned function is called; use it as an effect of a component. */
  add(set: Command[]): () => void {
    // The effect that adds does not depend on what others have added.
    untrack(() => (this.#sets = [...this.#sets, set]));
    return () => untrack(() => (this.#sets = this.#sets.filter((other) => other !== set)));
  }
}

export const commands = new Commands();
