// Servers whose removal can still be undone. Lists hide them.

import { remove } from "../actions.ts";
import type { Server } from "../api/socket.ts";

class Removals {
  /** The creation times of hidden servers by name. They distinguish a hidden server from a new one of the same name. */
  #since = $state<Record<string, string>>({});

  has(server: Server): boolean {
    return this.#since[server.name] === server.created_at;
  }

  /** remove hides a server and deletes it when the time to undo is over. */
  remove(server: Server): void {
    remove(server, (name, gone) => {
      if (gone) this.#since[name] = server.created_at;
      else delete this.#since[name];
    });
  }
}

export const removals = new Removals();
