// The log as the page shows it: what the hub has of it, page by page, and what arrives while it is looked at.

import { api, messageOf, take } from "$lib/api/client";
import type { LogEntry } from "$lib/api/socket";
import { hub } from "$lib/stores/hub.svelte";
import { queryOf, selects, type Filter } from "./filter";

const PAGE = 100; // entries asked for at once
const GATHER = 150; // ms in which arriving entries are gathered
const KEPT = 2_000; // entries kept where nobody scrolls; older ones are asked for again

export class Log {
  /** Newest first; undefined before the first answer. */
  entries = $state.raw<LogEntry[]>();
  /** Arrived, but not put above what is being read. Newest first. */
  fresh = $state.raw<LogEntry[]>([]);
  /** How many the hub has for this filter. */
  total = $state(0);
  /** There are no older ones. */
  ended = $state(false);
  problem = $state("");
  /** Arriving entries wait: the user has paused, or reads further down. */
  held = $state(false);

  #filter: Filter | undefined;
  #turn = 0;
  #asking = false;
  #arrived: LogEntry[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** follow shows what a filter selects, and what arrives of it. Use it as an effect. */
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

  /** reload forgets what is shown and asks anew. */
  async reload(): Promise<void> {
    const turn = ++this.#turn;
    this.fresh = [];
    this.problem = "";
    try {
      const { entries, total } = await this.#ask();
      if (turn !== this.#turn) return;
      this.entries = entries;
      this.total = total;
      this.ended = entries.length < PAGE;
    } catch (problem) {
      if (turn === this.#turn) this.problem = messageOf(problem);
    }
  }

  /** more asks for older entries than those that are shown. */
  more = async (): Promise<void> => {
    const last = this.entries?.at(-1);
    if (!last || this.ended || this.#asking || this.problem) return;
    const turn = this.#turn;
    this.#asking = true;
    try {
      const { entries } = await this.#ask(last.id);
      if (turn !== this.#turn) return;
      this.entries = [...(this.entries ?? []), ...entries];
      this.ended = entries.length < PAGE;
    } catch (problem) {
      if (turn === this.#turn) this.problem = messageOf(problem);
    } finally {
      this.#asking = false;
    }
  };

  /** retry goes on where the hub did not answer. */
  retry(): void {
    this.problem = "";
    void (this.entries ? this.more() : this.reload());
  }

  /** hold lets arriving entries wait, or shows those that do. */
  hold(on: boolean): void {
    this.held = on;
    if (!on) this.show();
  }

  /** show puts the entries that wait on top. */
  show(): void {
    if (!this.entries || !this.fresh.length) return;
    const all = [...this.fresh, ...this.entries];
    this.fresh = [];
    this.entries = all.slice(0, KEPT);
    if (all.length > KEPT) this.ended = false;
  }

  /** clear forgets the whole log, at the hub. */
  async clear(): Promise<void> {
    await take(api.DELETE("/api/logs"));
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

  #arrive(entry: LogEntry): void {
    if (!this.#filter || !selects(this.#filter, entry)) return;
    this.#arrived.push(entry);
    this.#timer ??= setTimeout(() => this.#gathered(), GATHER);
  }

  #gathered(): void {
    this.#timer = undefined;
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

  /** After a lost connection: what was missed in between, or all anew when that is more than a page. */
  async #catchUp(): Promise<void> {
    if (!this.entries) return void this.reload();
    const turn = this.#turn;
    try {
      const { entries } = await this.#ask();
      if (turn !== this.#turn) return;
      const known = this.fresh[0]?.id ?? this.entries[0]?.id ?? 0;
      if (known && entries.length === PAGE && entries.every((entry) => entry.id > known)) void this.reload();
      else this.#add(entries);
    } catch {
      // The next connection asks again.
    }
  }
}
