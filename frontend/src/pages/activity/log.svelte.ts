// The entries of the log: older ones are loaded page by page, new ones arrive over the socket.

import { api, messageOf, take } from "$lib/api/client";
import type { LogEntry } from "$lib/api/socket";
import { hub } from "$lib/stores/hub.svelte";
import { queryOf, selects, type Filter } from "./filter";

const PAGE = 100; // entries per request
const GATHER = 150; // ms in which arriving entries are batched
const KEPT = 2_000; // entries kept while the list is at the top; older ones are loaded again

export class Log {
  /** The entries on screen, newest first; undefined until loaded. */
  entries = $state.raw<LogEntry[]>();
  /** New entries that are not shown yet, so that the list does not move. Newest first. */
  fresh = $state.raw<LogEntry[]>([]);
  /** The number of matching entries on the hub. */
  total = $state(0);
  /** Whether all older entries are loaded. */
  ended = $state(false);
  problem = $state("");
  /** Whether new entries wait, because the user froze the list or scrolled down. */
  held = $state(false);

  #filter: Filter | undefined;
  #turn = 0;
  #loading = false;
  /**
   * The number of running requests for the newest page. Entries that arrive meanwhile are added after the answer:
   * #add drops entries that are older than the newest one in the list, so the answer has to be added first.
   */
  #asking = 0;
  #arrived: LogEntry[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * follow loads the entries that match a filter and adds new ones, until the returned function is called. Use it as an
   * effect.
   */
  follow(filter: Filter): () => void {
    this.#filter = filter;
    void this.reload();
    const ends = [
      hub.on("log_entry", ({ entry }) => this.#arrive(entry)),
      hub.on("state", (message) => message.delta || void this.#catchUp()),
    ];
    return () => {
      for (const end of ends) end();
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#arrived = [];
      this.#turn++;
    };
  }

  /** reload loads the newest page and discards all other entries. */
  async reload(): Promise<void> {
    const turn = ++this.#turn;
    this.fresh = [];
    this.problem = "";
    try {
      const { entries, total } = await this.#askNewest();
      if (turn !== this.#turn) return;
      this.entries = entries;
      this.total = total;
      this.ended = entries.length < PAGE;
    } catch (problem) {
      if (turn === this.#turn) this.problem = messageOf(problem);
    } finally {
      this.#gathered();
    }
  }

  /** more loads the next page of older entries. */
  more = async (): Promise<void> => {
    const last = this.entries?.at(-1);
    if (!last || this.ended || this.#loading || this.problem) return;
    const turn = this.#turn;
    this.#loading = true;
    try {
      const { entries } = await this.#ask(last.id);
      if (turn !== this.#turn) return;
      this.entries = [...(this.entries ?? []), ...entries];
      this.ended = entries.length < PAGE;
    } catch (problem) {
      if (turn === this.#turn) this.problem = messageOf(problem);
    } finally {
      this.#loading = false;
    }
  };

  /** retry repeats the request that failed. */
  retry(): void {
    this.problem = "";
    void (this.entries ? this.more() : this.reload());
  }

  /** hold makes new entries wait, or shows those that wait and all later ones. */
  hold(on: boolean): void {
    this.held = on;
    if (!on) this.show();
  }

  /** show adds the waiting entries to the top of the list. */
  show(): void {
    if (!this.entries || !this.fresh.length) return;
    const all = [...this.fresh, ...this.entries];
    this.fresh = [];
    this.entries = all.slice(0, KEPT);
    if (all.length > KEPT) this.ended = false;
  }

  /** clear deletes all log entries on the hub. */
  async clear(): Promise<void> {
    await take(api.DELETE("/api/logs"));
    this.#arrived = []; // these entries were deleted, or reload loads them
    await this.reload();
  }

  async #ask(before?: number): Promise<{ entries: LogEntry[]; total: number }> {
    const query = { ...(this.#filter && queryOf(this.#filter)), limit: String(PAGE) };
    const page = before === undefined ? query : { ...query, before_id: String(before) };
    const { kind, ...rest } = page as Record<string, string>;
    const params = { query: { ...rest, ...(kind ? { kind: kind.split(",") } : {}) } };
    const { entries, total } = await take(api.GET("/api/logs", { params }));
    return { entries: entries ?? [], total };
  }

  async #askNewest(): Promise<{ entries: LogEntry[]; total: number }> {
    this.#asking++;
    try {
      return await this.#ask();
    } finally {
      this.#asking--;
    }
  }

  #arrive(entry: LogEntry): void {
    if (!this.#filter || !selects(this.#filter, entry)) return;
    this.#arrived.push(entry);
    this.#timer ??= setTimeout(() => this.#gathered(), GATHER);
  }

  #gathered(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#asking) return;
    const arrived = this.#arrived;
    this.#arrived = [];
    if (this.entries) this.#add(arrived);
  }

  #add(arrived: LogEntry[]): void {
    const newest = Math.max(0, this.fresh[0]?.id ?? 0, this.entries?.[0]?.id ?? 0);
    const added = arrived.filter((entry) => entry.id > newest).sort((a, b) => b.id - a.id);
    if (!added.length) return;
    this.total += added.length;
    this.fresh = [...added, ...this.fresh];
    if (!this.held) this.show();
  }

  /** #catchUp loads the entries that were missed while disconnected. If they exceed a page, it reloads the list. */
  async #catchUp(): Promise<void> {
    if (!this.entries) return void this.reload();
    const turn = this.#turn;
    try {
      const { entries } = await this.#askNewest();
      if (turn !== this.#turn) return;
      const known = this.fresh[0]?.id ?? this.entries[0]?.id ?? 0;
      if (known && entries.length === PAGE && entries.every((entry) => entry.id > known)) void this.reload();
      else this.#add(entries);
    } catch {
      // Ignore the failure: the next reconnect tries again.
    } finally {
      this.#gathered();
    }
  }
}
