// Addition of servers in steps: configure, store secrets, download and start. Each step reports its own failure.

import { api, messageOf, take } from "$lib/api/client";
import { plural } from "$lib/format";
import type { Draft } from "./draft";

export interface Step {
  /** The label of the step in each of its states. */
  words: Record<"doing" | "done" | "failed", string>;
  state: "doing" | "done" | "failed";
  note: string;
}

/** A server that is being added. */
export interface Addition {
  name: string;
  /** The id of the server, once it is configured. */
  id: number | undefined;
  steps: Step[];
  state: "waiting" | "doing" | "done" | "failed";
  /** The last lines that the server wrote to standard error, after a failure. */
  stderr: string;
}

const AT_ONCE = 3; // servers

const steps = {
  add: { doing: "Adding…", done: "Added", failed: "Not added" },
  keep: { doing: "Storing secrets…", done: "Secrets stored", failed: "Secrets not stored" },
  warm: { doing: "Downloading…", done: "Downloaded", failed: "Not downloaded" },
  list: { doing: "Starting…", done: "Tools listed", failed: "Not started" },
  activate: { doing: "Activating…", done: "Active", failed: "Not active" },
};

/** Additions adds servers and holds the progress of each. */
export class Additions {
  all = $state<Addition[]>([]);
  over = $derived(this.all.length > 0 && this.all.every(({ state }) => state === "done" || state === "failed"));
  failed = $derived(this.all.filter(({ state }) => state === "failed"));

  /** add adds servers, a few at a time, and returns when each is added or has failed. */
  async add(drafts: Draft[], activate: boolean): Promise<void> {
    this.all = drafts.map(({ name }) => ({ name, id: undefined, steps: [], state: "waiting", stderr: "" }));
    const queue = drafts.map((draft, i) => () => this.#one(this.all[i] as Addition, draft, activate));
    const work = async () => {
      for (let job; (job = queue.shift());) await job();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  async #one(server: Addition, draft: Draft, activate: boolean): Promise<void> {
    server.state = "doing";
    try {
      await this.#step(server, "add", async () => {
        server.id = (await take(api.POST("/api/servers", { body: bodyOf(draft) }))).id;
        return "";
      });
      const path = { id: String(server.id) };
      const secrets = Object.entries(draft.secrets);
      if (secrets.length > 0) {
        await this.#step(server, "keep", async () => {
          for (const [key, value] of secrets)
            await take(
              api.PUT("/api/servers/{id}/secrets/{key}", { params: { path: { ...path, key } }, body: { value } }),
            );
          return secrets.map(([key]) => key).join(", ");
        });
      }
      if (/(^|[\\/])(npx|uvx)(\.\w+)?$/i.test(draft.command)) await this.#warm(server);
      await this.#step(server, "list", async () => {
        const { tool_count = 0 } = await take(api.POST("/api/servers/{id}/refresh", { params: { path } }));
        return plural(tool_count, "tool");
      });
      if (activate)
        await this.#step(server, "activate", async () => {
          await take(api.POST("/api/servers/{id}/activate", { params: { path } }));
          return "its tools are in every session's list";
        });
      server.state = "done";
    } catch {
      server.stderr = await stderrOf(server.id);
      server.state = "failed";
    }
  }

  /** #warm downloads the package of a server. After a failure the addition continues: the server may start anyway. */
  async #warm(server: Addition): Promise<void> {
    try {
      await this.#step(server, "warm", async () => {
        const params = { path: { id: String(server.id) } };
        const answer = await take(api.POST("/api/servers/{id}/preinstall", { params }));
        return answer.package ?? answer.reason ?? "";
      });
    } catch {
      // The step shows the failure, and the next step starts the server anyway.
    }
  }

  async #step(server: Addition, name: keyof typeof steps, what: () => Promise<string>): Promise<void> {
    server.steps.push({ words: steps[name], state: "doing", note: "" });
    const step = server.steps.at(-1) as Step;
    try {
      step.note = await what();
      step.state = "done";
    } catch (problem) {
      step.note = messageOf(problem);
      step.state = "failed";
      throw problem;
    }
  }
}

const bodyOf = ({ name, description, transport, command, args, url, env, headers, tags }: Draft) => ({
  name,
  description,
  transport,
  tags,
  warm: false,
  ...(transport === "stdio" ? { command, args, env } : { homepage: url, headers }),
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
