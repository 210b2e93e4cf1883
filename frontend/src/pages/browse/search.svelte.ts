// The search in all registries. The first answers are shown while slow registries are still searched.

import { api, messageOf, take } from "$lib/api/client";
import type { Answer } from "./types";

export interface Query {
  text: string;
  source: string;
  runtime: string;
  category: string;
}

const PAUSE = 200; // ms without a change until a request is sent
/**
 * How long the hub waits for slow registries before it answers, in ms: FIRST in the first request of a search, and
 * NEXT in the following ones.
 */
const FIRST = 300;
const NEXT = 1_500;
/** The number of results that are shown first, and added at a time. */
const PAGE = 30;

/** any reports whether a query searches or filters at all. */
export const any = ({ text, source, runtime, category }: Query): boolean =>
  Boolean(text.trim() || source || runtime || category);

export class MarketSearch {
  answer = $state.raw<Answer>();
  problem = $state("");
  /** True until all registries have answered. */
  busy = $state(false);
  /** The number of results to show. */
  limit = $state(PAGE);
  #asked = "";

  more(): void {
    this.limit += PAGE;
  }

  /** ask searches after a short pause. The returned function cancels it; use it as an effect. */
  ask(query: Query, limit: number): () => void {
    const key = JSON.stringify(query);
    const same = key === this.#asked;
    if (!same) this.limit = PAGE;
    this.#asked = key;
    if (!any(query)) {
      this.answer = undefined;
      this.problem = "";
      this.busy = false;
      return () => {};
    }
    this.busy = true;
    const abort = new AbortController();
    const timer = setTimeout(() => void this.#search(query, same ? limit : PAGE, abort.signal), PAUSE);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }

  async #search({ text, source, runtime, category }: Query, limit: number, signal: AbortSignal): Promise<void> {
    const of = {
      query: text.trim(),
      source: (source || undefined) as "npm" | undefined,
      runtime: (runtime || undefined) as "npm" | undefined,
      category: category || undefined,
      limit,
    };
    try {
      for (let wait_ms = FIRST; !signal.aborted; wait_ms = NEXT) {
        const answer = await take(api.GET("/api/market/search", { params: { query: { ...of, wait_ms } }, signal }));
        if (signal.aborted) return;
        this.answer = answer;
        this.problem = "";
        if (answer.done) break;
      }
    } catch (problem) {
      if (signal.aborted) return;
      this.problem = messageOf(problem);
    }
    this.busy = false;
  }
}
