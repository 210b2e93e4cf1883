// One server of the marketplace, with its README.

import { api, ApiError, messageOf, take } from "$lib/api/client";
import type { Details } from "./types";

export class ServerDetails {
  value = $state.raw<Details>();
  problem = $state("");
  /** True if no source has this server. */
  missing = $state(false);

  /** load requests the details. The returned function cancels the request; use it as an effect. */
  load(id: string, version: string): () => void {
    const abort = new AbortController();
    this.problem = "";
    void this.#ask(id, version, abort.signal);
    return () => abort.abort();
  }

  async #ask(id: string, version: string, signal: AbortSignal): Promise<void> {
    try {
      const query = { id, version: version || undefined };
      const value = await take(api.GET("/api/market/details", { params: { query }, signal }));
      if (signal.aborted) return;
      this.value = value;
      this.missing = false;
    } catch (problem) {
      if (signal.aborted) return;
      this.problem = messageOf(problem);
      this.missing = problem instanceof ApiError && problem.status === 404;
    }
  }
}
