// How far tools are found by their meaning, kept fresh while it is looked at: often while that grows, else when tools
// change or somebody comes back.

import { api, take, type Schemas } from "$lib/api/client";
import { hub } from "$lib/stores/hub.svelte";

export type Status = Schemas["SearchStatus"];

const WHILE_WORKING = 2_000; // ms
const WHILE_FAILING = 30_000;
/** How often it is asked whether work that is to be done has begun; some tools can never be understood. */
const PATIENCE = 5;

export class Meaning {
  /** Undefined until it is known. */
  status = $state.raw<Status>();

  #patience = PATIENCE;
  #turn = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** follow keeps the status fresh until the returned function is called. */
  follow(): () => void {
    const seen = () => document.visibilityState === "visible" && this.look();
    document.addEventListener("visibilitychange", seen);
    return () => {
      document.removeEventListener("visibilitychange", seen);
      clearTimeout(this.#timer);
      this.#turn++;
    };
  }

  /** look asks now, and again for as long as something is on its way. */
  look(): void {
    this.#patience = PATIENCE;
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
      if (turn !== this.#turn) return; // the page itself says when the hub is away
    }
    const pause = this.#pause();
    if (pause && document.visibilityState === "visible" && hub.standing === "online")
      this.#timer = setTimeout(() => void this.#ask(), pause);
  }

  /** #pause is how long until the next question, in ms; 0 for ever. */
  #pause(): number {
    const { status } = this;
    if (!status || status.provider === "none") return 0;
    if (status.problem) return WHILE_FAILING;
    if (status.working) this.#patience = PATIENCE;
    else if (status.ready >= status.tools || this.#patience-- <= 0) return 0;
    return WHILE_WORKING;
  }
}

/** What of it is worth a line: vectors are being made, or a provider fails. */
export type Stage = "unknown" | "words" | "failing" | "working" | "well";

/** stageOf tells how tools are found just now. */
export function stageOf(status: Status | undefined): Stage {
  if (!status) return "unknown";
  if (status.provider === "none") return "words";
  if (status.problem) return "failing";
  return status.working ? "working" : "well";
}
