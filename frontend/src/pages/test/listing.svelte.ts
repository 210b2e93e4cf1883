// A paginated list of a server: tools, resources, templates or prompts.

import { messageOf } from "$lib/api/client";
import type { Target } from "./target";

export class Listing<T> {
  /** The items of the loaded pages; undefined until loaded. */
  items = $state.raw<T[]>();
  problem = $state("");
  loading = $state(false);
  /** The cursor of the next page; empty if there is none. */
  cursor = $state("");
  #round = 0;

  constructor(
    private readonly target: Target,
    private readonly path: string,
    private readonly member: string,
    private readonly read: (list: unknown) => T[],
  ) {}

  /** load loads the first page unless it was loaded before. */
  load(): void {
    if (!this.items && !this.loading && !this.problem) void this.reload();
  }

  /** reload loads the first page again. */
  async reload(): Promise<void> {
    await this.#page("");
  }

  /** more loads the next page. */
  async more(): Promise<void> {
    if (this.cursor && !this.loading) await this.#page(this.cursor);
  }

  async #page(cursor: string): Promise<void> {
    const round = ++this.#round;
    this.loading = true;
    this.problem = "";
    try {
      const answer = await this.target.ask(this.path + (cursor ? `?cursor=${encodeURIComponent(cursor)}` : ""));
      if (round !== this.#round) return;
      const page = this.read(answer[this.member]);
      this.items = cursor ? [...(this.items ?? []), ...page] : page;
      const next = answer.nextCursor;
      // A server that repeats a cursor would otherwise cause an endless list.
      this.cursor = typeof next === "string" && next !== cursor ? next : "";
    } catch (problem) {
      if (round === this.#round) this.problem = messageOf(problem);
    }
    if (round === this.#round) this.loading = false;
  }
}
