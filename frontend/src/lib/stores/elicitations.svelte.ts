// The questions of servers that wait for an answer: loaded whenever the page connects, then kept up to date by events.

import { api, take } from "../api/client.ts";
import type { Messages } from "../api/socket.ts";
import { serverLabel } from "../words.ts";
import { hub } from "./hub.svelte.ts";
import { toasts } from "./toasts.svelte.ts";

export type PendingElicitation = Messages["elicitation_request"];

/** The message about a question that ended without an answer. */
const endings = {
  expired: (server: string) => `The question of ${server} was not answered in time. The server knows.`,
  withdrawn: (server: string) => `${server} does not need an answer any more: the call has ended.`,
};

class Elicitations {
  /** The unanswered elicitations, the oldest first. */
  list = $state.raw<PendingElicitation[]>([]);

  /**
   * The ids of the elicitations that were added or removed since the last request was sent. The answer to that
   * request may not reflect these changes.
   */
  #changed = new Set<string>();

  constructor() {
    hub.on("state", (message) => message.delta || void this.#load());
    hub.on("elicitation_request", (question) => this.#change(question.id, [question]));
    hub.on("elicitation_answered", ({ id, unanswered }) => {
      const ended = this.list.find((question) => question.id === id);
      this.remove(id);
      if (ended && unanswered) toasts.show(endings[unanswered](serverLabel(ended.serverName)), { kind: "note" });
    });
  }

  /** remove removes an elicitation that is no longer open. */
  remove = (id: string): void => this.#change(id, []);

  #change(id: string, added: PendingElicitation[]): void {
    this.#changed.add(id);
    this.list = [...this.list.filter((question) => question.id !== id), ...added];
  }

  /**
   * #load replaces the list by an answer of the hub, but keeps the changes that events have reported during the
   * request.
   */
  async #load(): Promise<void> {
    const changed = (this.#changed = new Set<string>());
    try {
      const { entries } = await take(api.GET("/api/elicitations"));
      if (changed !== this.#changed) return;
      const loaded = (entries ?? []).map((entry) => ({ ...entry, ts: new Date(entry.createdAt).toISOString() }));
      this.list = [...loaded.filter(({ id }) => !changed.has(id)), ...this.list.filter(({ id }) => changed.has(id))];
    } catch {
      // The next connection tries again.
    }
  }
}

export const elicitations = new Elicitations();
