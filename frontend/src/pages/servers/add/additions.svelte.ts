// Addition of servers in steps: configure, download and start. Each step reports its own failure.

import { api, messageOf, take } from "$lib/api/client";
import { attempt } from "$lib/actions";
import { plural } from "$lib/format";
import type { Level } from "$lib/sandbox";
import { hub } from "$lib/stores/hub.svelte";
import type { Draft } from "./draft";

export interface Step {
  /** The label of the step in each of its states. */
  words: Record<"doing" | "done" | "failed", string>;
  state: "doing" | "done" | "failed";
  note: string;
  /** When the step began, in ms since 1970. */
  since: number;
}

/** A server that is being added. */
export interface Addition {
  name: string;
  /** The id of the server, once it is configured. */
  id: number | undefined;
  steps: Step[];
  state: "waiting" | "doing" | "done" | "failed" | "cancelled";
  /** The last lines that the server wrote to standard error, after a failure. */
  stderr: string;
  /** While the server is being added: the last lines of the output of its download and its process. */
  lines: string[];
}

const AT_ONCE = 3; // servers

const steps = {
  add: { doing: "Adding…", done: "Added", failed: "Not added" },
  warm: { doing: "Downloading…", done: "Downloaded", failed: "Not downloaded" },
  sign: { doing: "Sign in…", done: "Signed in", failed: "Not signed in" },
  list: { doing: "Starting…", done: "Tools listed", failed: "Not started" },
  activate: { doing: "Listing…", done: "Always listed", failed: "Not listed" },
};

const KEPT = 6; // lines of live output

/** Additions adds servers and holds the progress of each. */
export class Additions {
  all = $state<Addition[]>([]);
  over = $derived(this.all.length > 0 && this.all.every(({ state }) => state !== "waiting" && state !== "doing"));
  failed = $derived(this.all.filter(({ state }) => state === "failed"));

  /** add adds servers, a few at a time, and returns when each is added or has failed. */
  async add(drafts: Draft[], activate: boolean, level: Level): Promise<void> {
    this.all = drafts.map(({ name }) => ({ name, id: undefined, steps: [], state: "waiting", stderr: "", lines: [] }));
    const queue = drafts.map(
      (draft, i) => () =>
        this.#one(this.all[i] as Addition, { ...draft, sandbox: draft.command ? level : undefined }, activate),
    );
    const work = async () => {
      for (let job; (job = queue.shift());) await job();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- never rendered
  #aborts = new Map<string, AbortController>();

  /** cancel stops the addition of a server. A server that is configured already stays, and can be started later. */
  async cancel(server: Addition): Promise<void> {
    this.#aborts.get(server.name)?.abort();
    // Aborting the request does not stop a server that is already starting, so tell the hub to stop the server.
    if (server.id !== undefined)
      await attempt(() => take(api.POST("/api/servers/{id}/stop", { params: { path: { id: String(server.id) } } })));
  }

  /** #watch shows the output of the download and of the process, until the returned function is called. */
  #watch(server: Addition): () => void {
    const add = (...lines: string[]) => (server.lines = [...server.lines, ...lines].slice(-KEPT));
    const ends = [
      hub.follow(server.name),
      hub.on("output", ({ serverName, lines }) => {
        if (serverName === server.name) add(...lines.map(({ text }) => text));
      }),
      hub.on("progress", ({ serverName, payload }) => {
        if (serverName === server.name && payload.token === "agent-discover/download") add(payload.message ?? "");
      }),
    ];
    return () => ends.forEach((end) => end());
  }

  async #one(server: Addition, draft: Draft, activate: boolean): Promise<void> {
    if (server.state === "cancelled") return;
    server.state = "doing";
    const abort = new AbortController();
    const { signal } = abort;
    this.#aborts.set(server.name, abort);
    const unwatch = this.#watch(server);
    try {
      await this.#step(server, "add", async () => {
        const { id, notes } = await take(api.POST("/api/servers", { body: bodyOf(draft) }));
        server.id = id;
        return (notes ?? []).join(" ");
      });
      const path = { id: String(server.id) };
      if (draft.command) await this.#warm(server, signal);
      signal.throwIfAborted();
      const list = () =>
        this.#step(server, "list", async () => {
          const { tool_count = 0 } = await take(api.POST("/api/servers/{id}/refresh", { params: { path }, signal }));
          return plural(tool_count, "tool");
        });
      try {
        await list();
      } catch (problem) {
        const { state } = await take(api.GET("/api/servers/{id}/auth", { params: { path } }));
        if (state !== "required") throw problem;
        server.steps.pop();
        await this.#step(server, "sign", () => signedIn(server.name, signal));
        await list();
      }
      if (activate)
        await this.#step(server, "activate", async () => {
          await take(api.POST("/api/servers/{id}/activate", { params: { path } }));
          return "its tools are in every session's list";
        });
      server.state = "done";
    } catch {
      server.stderr = signal.aborted ? "" : await stderrOf(server.id);
      server.state = signal.aborted ? "cancelled" : "failed";
    } finally {
      unwatch();
    }
  }

  /** #warm downloads the package of a server. After a failure the addition continues: the server may start anyway. */
  async #warm(server: Addition, signal: AbortSignal): Promise<void> {
    try {
      let skipped = false;
      await this.#step(server, "warm", async () => {
        const params = { path: { id: String(server.id) } };
        const answer = await take(api.POST("/api/servers/{id}/preinstall", { params, signal }));
        skipped = answer.status === "skipped";
        return answer.package ?? "";
      });
      if (skipped) server.steps.pop();
    } catch {
      // The step shows the failure, and the next step starts the server anyway.
    }
  }

  async #step(server: Addition, name: keyof typeof steps, what: () => Promise<string>): Promise<void> {
    server.steps.push({ words: steps[name], state: "doing", note: "", since: Date.now() });
    const step = server.steps.at(-1) as Step;
    try {
      step.note = await what();
      step.state = "done";
    } catch (problem) {
      const stopped = problem instanceof DOMException && problem.name === "AbortError";
      step.note = stopped ? "cancelled" : messageOf(problem);
      step.state = "failed";
      throw problem;
    }
  }
}

const bodyOf = ({ transport, command, args, cwd, url, env, headers, sandbox, ...draft }: Draft) => ({
  name: draft.name,
  description: draft.description,
  transport,
  tags: draft.tags,
  secrets: draft.secrets,
  start_timeout: draft.start_timeout,
  call_timeout: draft.call_timeout,
  warm: false,
  ...(transport === "stdio" ? { command, args, cwd, env, sandbox } : { homepage: url, headers }),
});

/** signedIn waits until somebody has signed in to a server. */
const signedIn = (name: string, signal: AbortSignal): Promise<string> =>
  new Promise((done, failed) => {
    const end = hub.on("state", () => {
      if (hub.server(name)?.sign_in !== "signed_in") return;
      end();
      done("");
    });
    signal.addEventListener("abort", () => {
      end();
      failed(signal.reason as Error);
    });
  });

/** stderrOf returns the last lines of a server's standard error. */
async function stderrOf(id: number | undefined): Promise<string> {
  if (id === undefined) return "";
  try {
    const { stderr } = await take(api.GET("/api/servers/{id}", { params: { path: { id: String(id) } } }));
    return stderr?.split("\n").slice(-40).join("\n").trim() ?? "";
  } catch {
    return "";
  }
}
