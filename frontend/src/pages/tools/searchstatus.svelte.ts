// The status of the search by meaning. It is polled while indexing is in progress, and otherwise loaded when tools
// change or the user returns to the page.

import { api, take, type Schemas } from "$lib/api/client";
import { hub } from "$lib/stores/hub.svelte";

export type Status = Schemas["SearchStatus"];

const WHILE_WORKING = 2_000; // ms
const WHILE_FAILING = 30_000;
/**
 * The number of polls after indexing has ended while some tools are not indexed. It is limited, because the hub can
 * never index some tools.
 */
const IDLE_POLLS = 5;

export class SearchStatus {
  /** The status that the hub reported last; undefined until loaded. */
  status = $state.raw<Status>();

  #idlePolls = IDLE_POLLS;
  #turn = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** follow loads the status when the user returns to the page, until the returned function is called. */
  follow(): () => void {
    const seen = () => document.visibilityState === "visible" && this.load();
    document.addEventListener("visibilitychange", seen);
    return () => {
      document.removeEventListener("visibilitychange", seen);
      clearTimeout(this.#timer);
      this.#turn++;
    };
  }

  /** load loads the status now, and repeatedly while indexing is in progress or the provider fails. */
  load(): void {
    this.#idlePolls = IDLE_POLLS;
    void this.#ask();
  }

  async #ask(): Promise<void> {
    clearTimeout(this.#timer);
    const turn = ++this.#turn;
    try {
      const status = await take(api.GET("/api/search/status"));
      if (turn !== this.#turn) return;
      this.status = status;
    } catch {
      if (turn !== this.#turn) return; // the page reports a lost connection itself
    }
    const pause = this.#pause();
    if (pause && document.visibilityState === "visible" && hub.connection === "online")
      this.#timer = setTimeout(() => void this.#ask(), pause);
  }

  /** #pause returns the time in ms until the next poll; 0 if none follows. */
  #pause(): number {
    const { status } = this;
    if (!status || status.provider === "none") return 0;
    if (status.problem) return WHILE_FAILING;
    if (status.working) this.#idlePolls = IDLE_POLLS;
    else if (status.ready >= status.tools || this.#idlePolls-- <= 0) return 0;
    return WHILE_WORKING;
  }
}

/** words: no provider. failing: the provider fails. working: indexing is in progress. well: all done. */
export type Stage = "unknown" | "words" | "failing" | "working" | "well";

/** stageOf returns the current state of the search by meaning. */
export function stageOf(status: Status | undefined): Stage {
  if (!status) return "unknown";
  if (status.provider === "none") return "words";
  if (status.problem) return "failing";
  return status.working ? "working" : "well";
}
