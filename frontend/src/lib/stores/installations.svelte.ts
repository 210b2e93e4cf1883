// Installations from the marketplace: the running ones and the latest that have ended.

import { api, take, type Schemas } from "../api/client.ts";
import { plural } from "../format.ts";
import { hub } from "./hub.svelte.ts";
import { LiveQuery } from "./livequery.svelte.ts";
import { toasts } from "./toasts.svelte.ts";

export type Job = Schemas["InstallProgress"];

/** The state of a server after a job, by the kind of the job. */
const ends: Record<string, string> = { install: "installed", update: "updated", rollback: "rolled back" };

const KEPT = 1_000; // lines of output, as many as the hub keeps

class Installations {
  #query = new LiveQuery(async () => {
    const before = new Set(this.list.map(({ id }) => id));
    this.#merge((await take(api.GET("/api/market/jobs"))).jobs ?? [], before);
  });
  /** The jobs, the newest first. */
  list = $state.raw<Job[]>([]);
  /**
   * The number of components that show the end of a job, by the id of the job. If no component shows it, a toast
   * does.
   */
  #shown = new Map<string, number>();

  constructor() {
    hub.on("market.job", ({ job }) => this.#changed(job));
  }

  /** keep loads the jobs now and after a reconnect until the returned function is called. Use it as an effect. */
  keep = (): (() => void) => this.#query.keep([]);

  job = (id: string): Job | undefined => this.list.find((job) => job.id === id);

  /** running returns the job of a kind that runs for a listing or a program. */
  running = (kind: Job["kind"], of: string): Job | undefined =>
    this.list.find((job) => job.state === "running" && job.kind === kind && (job.listing === of || job.server === of));

  /** last returns the newest job of a kind for a server. */
  last = (kind: string, server: string): Job | undefined =>
    this.list.find((job) => job.kind === kind && job.server === server);

  /** add adds a job that was just started, and returns its id. */
  add(job: Job): string {
    if (!this.job(job.id)) this.list = [job, ...this.list];
    return job.id;
  }

  /** show marks a job as shown until the returned function is called. Use it as an effect. */
  show(id: string): () => void {
    this.#shown.set(id, (this.#shown.get(id) ?? 0) + 1);
    return () => this.#shown.set(id, (this.#shown.get(id) ?? 1) - 1);
  }

  cancel = (id: string): Promise<unknown> =>
    take(api.POST("/api/market/jobs/{id}/cancel", { params: { path: { id } } }));

  /**
   * #merge replaces the list by an answer of the hub. It keeps the states of jobs that are newer than the answer, and
   * the jobs that were added during the request and are missing from the answer.
   */
  #merge(jobs: Job[], before: Set<string>): void {
    const known = new Map(this.list.map((job) => [job.id, job]));
    const answered = new Set(jobs.map(({ id }) => id));
    const started = this.list.filter(({ id }) => !answered.has(id) && !before.has(id));
    const merged = jobs.map((job) => {
      const other = known.get(job.id);
      return other && (other.state !== "running" || other.elapsed_ms > job.elapsed_ms) ? other : job;
    });
    this.list = [...started, ...merged];
  }

  #changed(job: Job): void {
    const before = this.job(job.id);
    this.list = before ? this.list.map((other) => (other.id === job.id ? job : other)) : [job, ...this.list];
    if (job.state === "running" || (before && before.state !== "running") || this.#shown.get(job.id)) return;
    const done = ends[job.kind];
    if (done && job.state === "done")
      toasts.show(`${job.server} is ${done}${job.tools ? ` and has ${plural(job.tools, "tool")}` : ""}.`);
    else if (done && job.state === "failed")
      toasts.show(`${job.server} was not ${done}: ${job.error ?? ""}`, { kind: "failed" });
  }
}

export const installations = new Installations();

/** Output holds the lines that the programs of a job have printed. */
export class Output {
  lines = $state.raw<string[]>([]);

  /** follow loads the lines of a job and adds new ones until the returned function is called. Use it as an effect. */
  follow(id: string): () => void {
    let late: string[] = [];
    let loaded = false;
    let over = false;
    this.lines = [];
    const end = hub.on("market.output", (output) => {
      if (output.id !== id) return;
      if (loaded) this.lines = [...this.lines, output.line].slice(-KEPT);
      else late.push(output.line);
    });
    const load = async () => {
      const { lines } = await take(api.GET("/api/market/jobs/{id}/lines", { params: { path: { id } } }));
      if (over) return;
      const all = lines ?? [];
      // Lines that arrived during the request may be at the end of the answer.
      while (late.length && all.slice(-late.length).join("\n") !== late.join("\n")) late = late.slice(1);
      this.lines = all;
      loaded = true;
    };
    void load().catch(() => (loaded = true));
    return () => {
      over = true;
      end();
    };
  }
}
