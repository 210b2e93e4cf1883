// The answer of find_tool for a need, requested while the user types.

import { api, messageOf, take, type Schemas } from "$lib/api/client";

export type Answer = Schemas["FindReply"];

const PAUSE = 250; // ms after the last key until the request is sent

export class Find {
  answer = $state.raw<Answer>();
  /** The need that answer belongs to. */
  asked = $state("");
  busy = $state(false);
  problem = $state("");

  /** ask sends a request after a short pause. The returned function cancels it; use it as an effect. */
  ask(need: string): () => void {
    const query = need.trim();
    if (!query) {
      this.answer = undefined;
      this.problem = "";
      return () => {};
    }
    const abort = new AbortController();
    this.busy = true;
    const timer = setTimeout(() => void this.#send(query, abort.signal), PAUSE);
    return () => {
      clearTimeout(timer);
      abort.abort();
      this.busy = false;
    };
  }

  async #send(query: string, signal: AbortSignal): Promise<void> {
    try {
      const answer = await take(api.POST("/api/find", { body: { query }, signal }));
      if (signal.aborted) return;
      this.answer = answer;
      this.asked = query;
      this.problem = "";
    } catch (problem) {
      if (signal.aborted) return;
      this.problem = messageOf(problem);
    }
    this.busy = false;
  }
}
