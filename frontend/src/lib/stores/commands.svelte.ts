// Commands that pages add to the command palette while they are open, besides pages, servers and tools.

import { untrack, type Component } from "svelte";

export interface Command {
  id: string;
  label: string;
  /** The heading of its group. */
  group: string;
  icon?: Component;
  /** Further words that match it. */
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
    // Read untracked: the effect must not run again when another component adds commands.
    untrack(() => (this.#sets = [...this.#sets, set]));
    return () => untrack(() => (this.#sets = this.#sets.filter((other) => other !== set)));
  }
}

export const commands = new Commands();
