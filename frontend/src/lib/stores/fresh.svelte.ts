// Something that the hub tells when it is asked, asked again when an event says that it may have changed.

import { messageOf } from "../api/client.ts";
import type { MessageType } from "../api/socket.ts";
import { hub } from "./hub.svelte.ts";

/** How long events are gathered before the hub is asked again, in ms, unless it is said otherwise. */
const GATHER = 1_500;

export class Fresh<T> {
  /** The last answer; undefined before the first. */
  value = $state.raw<T>();
  /** Why the last question had no answer, to be shown; empty when it had. */
  problem = $state("");

  #ask: () => Promise<T>;
  #asked = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ask: () => Promise<T>) {
    this.#ask = ask;
  }

  /** load asks now. An answer that a later question has overtaken is dropped. */
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
   * keep asks as soon as the hub is there, after messages of these types, and after the connection was lost. The returned
   * function ends that; use it as an effect.
   */
  keep(types: MessageType[], gather = GATHER): () => void {
    const later = () => (this.#timer ??= setTimeout(() => void this.load(), gather));
    const ends = types.map((type) => hub.on(type, later));
    ends.push(hub.on("state", (message) => message.delta || later()));
    if (hub.ready) void this.load();
    return () => {
      for (const end of ends) end();
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#asked++;
    };
  }
}
