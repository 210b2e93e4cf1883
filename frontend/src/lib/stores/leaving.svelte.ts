// Servers that a person has removed, while that can still be undone: no list shows them.

import { remove } from "../actions.ts";
import type { Server } from "../api/socket.ts";

class Leaving {
  /** By name; the time of creation tells a new server of the same name apart. */
  #since = $state<Record<string, string>>({});

  has(server: Server): boolean {
    return this.#since[server.name] === server.created_at;
  }

  /** remove hides a server and removes it when the time to undo is over. */
  remove(server: Server): void {
    remove(server, (name, gone) => {
      if (gone) this.#since[name] = server.created_at;
      else delete this.#since[name];
    });
  }
}

export const leaving = new Leaving();
