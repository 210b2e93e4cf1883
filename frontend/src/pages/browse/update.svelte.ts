// The update of a server: a comparison of its versions, and then the change.

import { ApiError, api, messageOf, take } from "$lib/api/client";
import { installations } from "$lib/stores/installations.svelte";
import type { Comparison } from "$lib/stores/updates.svelte";
import { Answers } from "./answers.svelte";

export class Update extends Answers {
  /** The last comparison; undefined if there is none. */
  comparison = $state.raw<Comparison>();
  loaded = $state(false);
  problem = $state("");
  /** Whether recorded calls are repeated with the newer version. */
  replay = $state(true);
  /** The id of the update or rollback that was started here. */
  changing = $state("");

  #server: string;

  constructor(server: string) {
    super();
    this.#server = server;
  }

  #params = () => ({ path: { server: this.#server } });

  async load(): Promise<void> {
    try {
      this.comparison = await take(api.GET("/api/market/updates/{server}", { params: this.#params() }));
      this.problem = "";
    } catch (problem) {
      const none = problem instanceof ApiError && problem.status === 404;
      this.comparison = undefined;
      this.problem = none ? "" : messageOf(problem);
    }
    this.loaded = true;
  }

  async compare(): Promise<void> {
    // The hash confirms that the user has seen the comparison. Without it, the hub does not start a version whose
    // start command differs from the current one.
    const body = { answers: $state.snapshot(this.answers), replay: this.replay, hash: this.comparison?.hash };
    const job = await take(api.POST("/api/market/updates/{server}/compare", { params: this.#params(), body }));
    installations.add(job);
  }

  /** apply makes exactly the change that the comparison shows. */
  async apply(): Promise<void> {
    const body = { hash: this.comparison?.hash ?? "", answers: $state.snapshot(this.answers) };
    const job = await take(api.POST("/api/market/updates/{server}/apply", { params: this.#params(), body }));
    this.changing = installations.add(job);
  }

  async rollBack(): Promise<void> {
    const job = await take(api.POST("/api/market/updates/{server}/rollback", { params: this.#params() }));
    this.changing = installations.add(job);
  }
}
