// Counts of calls over time: loaded from the hub once, then updated as calls happen.

import { api, take, type Schemas } from "../api/client.ts";
import type { LogEntry } from "../api/socket.ts";
import { count, roll, type Bucket } from "../charts/buckets.ts";
import { LiveQuery } from "./livequery.svelte.ts";
import { hub } from "./hub.svelte.ts";

const HOUR = 3_600_000;

/**
 * The delay in ms between a call and the request that loads the counts again. The request corrects the counts if a
 * call that happened during the previous request was counted twice.
 */
const RECOUNT = 60_000;

/** The ranges that a user can choose, with their length and step in ms. */
export const ranges = {
  "1h": { label: "1 h", words: "the last hour", span: HOUR, step: 60_000 },
  "24h": { label: "24 h", words: "the last 24 hours", span: 24 * HOUR, step: 900_000 },
  "7d": { label: "7 d", words: "the last 7 days", span: 168 * HOUR, step: 2 * HOUR },
  "30d": { label: "30 d", words: "the last 30 days", span: 720 * HOUR, step: 6 * HOUR },
} as const;

export type Range = keyof typeof ranges;

export const isRange = (text: string | null): text is Range => text !== null && text in ranges;

const read = (series: Schemas["CallSeries"]): Bucket[] =>
  series.points.map(({ at, calls, errors }) => ({ at: Date.parse(at), calls, errors }));

/** The call counts of one time range, optionally of one server or tool. */
export class Calls {
  range = $state<Range>("24h");
  only: { server?: string; tool?: string };

  #shown = $state.raw<Bucket[]>();
  #query: LiveQuery<Bucket[]>;

  constructor(only: { server?: string; tool?: string } = {}) {
    this.only = only;
    this.#query = new LiveQuery(async () => {
      const { span, step } = ranges[this.range];
      // eslint-disable-next-line svelte/prefer-svelte-reactivity -- it lives for this line
      const since = new Date(Date.now() - span + step).toISOString();
      const query = { ...this.only, since, step: String(step / 1_000) };
      return (this.#shown = read(await take(api.GET("/api/metrics/series", { params: { query } }))));
    });
  }

  /** The counts per time step, oldest first; undefined until they are loaded. */
  get buckets(): Bucket[] | undefined {
    return this.#shown;
  }

  get problem(): string {
    return this.#query.problem;
  }

  get step(): number {
    return ranges[this.range].step;
  }

  load = (): Promise<void> => this.#query.load();

  /** follow loads a range and counts new calls until the returned function is called. Use it as an effect. */
  follow(range: Range): () => void {
    this.range = range;
    this.#shown = undefined;
    const { step } = ranges[range];
    const ends = [
      this.#query.keep(["log_entry"], RECOUNT),
      hub.on("log_entry", ({ entry }) => this.#called(entry, step)),
    ];
    // Move the range forward even if no tool is called.
    const clock = setInterval(() => this.#shown && (this.#shown = roll(this.#shown, step, Date.now())), 10_000);
    return () => {
      clearInterval(clock);
      for (const end of ends) end();
    };
  }

  #called(entry: LogEntry, step: number): void {
    const { server, tool } = this.only;
    if (entry.kind !== "call" || (server && entry.server !== server) || (tool && entry.tool !== tool)) return;
    if (this.#shown) this.#shown = count(roll(this.#shown, step, Date.now()), step, entry);
  }
}
