// The state of the search by meaning, kept fresh while it is shown: polled often while indexing is in progress, otherwise
// loaded when tools change or the person returns.

import { api, take, type Schemas } from "$lib/api/client";
import { hub } from "$lib/stores/hub.svelte";

export type Status = Schemas["SearchStatus"];

const WHILE_WORKING = 2_000; // ms
const WHILE_FAILING = 30_000;
/** The polling interval for pending work that has not begun; some tools can never be indexed. */
const IDLE_POLLS = 5;

export class SearchStatus {
  /** Undefined until loaded. */
  status = $state.raw<Status>();

  #idlePolls = IDLE_POLLS;
  #turn = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** follow keeps the status fresh until the returned function is called. */
  follow(): () => void {
    const seen = () => document.visibilityState === "visible" && this.load();
    document.addEventListener("visibilitychange", seen);
    return () => {
      document.removeEventListener("visibilitychange", seen);
      clearTimeout(this.#timer);
      this.#turn++;
    };
  }

  /** load loads now, and again as long as indexing is in progress. */
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

  /** #pause returns the time until the next request in ms; 0 for none. */
  #pause(): number {
    const { status } = this;
    if (!status || status.provider === "none") return 0;
    if (status.problem) return WHILE_FAILING;
    if (status.working) this.#idlePolls = IDLE_POLLS;
    else if (status.ready >= status.tools || this.#idlePolls-- <= 0) return 0;
    return WHILE_WORKING;
  }
}

/** The states worth a line: indexing is in progress, or a provider fails. */
export type Stage = "unknown" | "words" | "failing" | "working" | "well";

/** stageOf returns the current state of the search by meaning. */
export function stageOf(status: Status | undefined): Stage {
  if (!status) return "unknown";
  if (status.provider === "none") return "words";
  if (status.problem) return "failing";
  return status.working ? "working" : "well";
}
