// What the command palette offers beside pages, servers and tools: each page adds its own while it is open.

import type { Component } from "svelte";

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
    this.#sets = [...this.#sets, set];
    return () => (this.#sets = this.#sets.filter((other) => other !== set));
  }
}

export const commands = new Commands();
