// Servers that a person removed and can still restore; lists hide them.

import { remove } from "../actions.ts";
import type { Server } from "../api/socket.ts";

class Removals {
  /** Creation times by name, so that a new server with the same name is shown. */
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
