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
  /** The last request, with its number. */
  #last: { asked: number; done: Promise<void> } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ask: () => Promise<T>) {
    this.#ask = ask;
  }

  /**
   * load sends the request now. The answer is dropped if a later request has been sent meanwhile; then load waits for
   * that one, so that value is never older than the call.
   */
  load = (): Promise<void> => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const asked = ++this.#asked;
    const done = this.#send(asked);
    this.#last = { asked, done };
    return done;
  };

  async #send(asked: number): Promise<void> {
    let [value, problem]: [T | undefined, string] = [undefined, ""];
    try {
      value = await this.#ask();
    } catch (failure) {
      problem = messageOf(failure);
    }
    if (asked !== this.#asked) {
      if (this.#last && this.#last.asked > asked) await this.#last.done;
      return;
    }
    if (!problem) this.value = value;
    this.problem = problem;
  }

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
