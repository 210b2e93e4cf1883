// Commands that an open page adds to the command palette.

import { untrack, type Component } from "svelte";

export interface Command {
  id: string;
  label: string;
  /** The heading under which the palette lists the command. */
  group: string;
  icon?: Component;
  /** Words besides the label that find the command. */
  keywords?: string[];
  keys?: string;
  /** A text beside the label, such as the server of a tool. */
  note?: string;
  /** Whether the palette shows the command only if it is among the best matches for a typed text. */
  searched?: boolean;
  run: () => void;
}

class Commands {
  open = $state(false);
  /** Whether the list of keyboard shortcuts is shown. */
  help = $state(false);
  #sets = $state.raw<Command[][]>([]);

  get all(): Command[] {
    return this.#sets.flat();
  }

  /** add adds commands until the returned function is called. Use it as an effect. */
  add(set: Command[]): () => void {
    // Read untracked: the effect must not run again when another component adds commands.
    untrack(() => (this.#sets = [...this.#sets, set]));
    return () => untrack(() => (this.#sets = this.#sets.filter((other) => other !== set)));
  }
}

export const commands = new Commands();
