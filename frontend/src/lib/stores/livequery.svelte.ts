// Requests to the hub that are repeated when an event reports that the answer may have changed.

import { untrack } from "svelte";
import { messageOf } from "../api/client.ts";
import type { MessageType } from "../api/socket.ts";
import { hub } from "./hub.svelte.ts";

/** The default delay in ms between an event and the request, so that several events cause one request. */
const GATHER = 1_500;

export class LiveQuery<T> {
  /** The last answer; undefined before the first. */
  value = $state.raw<T>();
  /** Why the last request failed, as a message for people; empty if it succeeded. */
  problem = $state("");

  #ask: () => Promise<T>;
  #asked = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ask: () => Promise<T>) {
    this.#ask = ask;
  }

  /** load sends the request now. The answer is dropped if a later request has been sent meanwhile. */
  load = async (): Promise<void> => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const asked = ++this.#asked;
    try {
      const value = await this.#ask();
      if (asked !== this.#asked) return;
      this.value = value;
      this.problem = "";
    } catch (problem) {
      if (asked === this.#asked) this.problem = messageOf(problem);
    }
  };

  /**
   * keep loads the answer once the hub is connected, and again after messages of these types and after a reconnect,
   * until the returned function is called. Use it as an effect; state that the request reads does not rerun the effect.
   */
  keep(types: MessageType[], gather = GATHER): () => void {
    const later = () => (this.#timer ??= setTimeout(() => void this.load(), gather));
    const ends = types.map((type) => hub.on(type, later));
    ends.push(hub.on("state", (message) => message.delta || later()));
    if (hub.ready) untrack(() => void this.load());
    return () => {
      for (const end of ends) end();
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#asked++;
    };
  }
}
