// Adding servers: each is configured, gets its secrets, is downloaded, and asked for its tools. What fails is said.

import { api, messageOf, take } from "$lib/api/client";
import { plural } from "$lib/format";
import type { Draft } from "./draft";

export interface Step {
  /** What is done, as it is said before, after, and when it failed. */
  words: Record<"doing" | "done" | "failed", string>;
  state: "doing" | "done" | "failed";
  note: string;
}

/** One server on its way in. */
export interface Coming {
  name: string;
  /** Of the server, once it is configured. */
  id: number | undefined;
  steps: Step[];
  state: "waiting" | "doing" | "done" | "failed";
  /** What its process wrote, where it failed. */
  stderr: string;
}

const AT_ONCE = 3;

const steps = {
  add: { doing: "Adding…", done: "Added", failed: "Not added" },
  keep: { doing: "Keeping secrets…", done: "Secrets kept", failed: "Secrets not kept" },
  warm: { doing: "Downloading…", done: "Downloaded", failed: "Not downloaded" },
  list: { doing: "Starting…", done: "Tools listed", failed: "Not started" },
  activate: { doing: "Activating…", done: "Active", failed: "Not active" },
};

/** Bringing adds servers, and shows how that goes. */
export class Bringing {
  coming = $state<Coming[]>([]);
  over = $derived(this.coming.length > 0 && this.coming.every(({ state }) => state === "done" || state === "failed"));
  failed = $derived(this.coming.filter(({ state }) => state === "failed"));

  /** add brings them in; it returns when all are through. */
  async add(drafts: Draft[], activate: boolean): Promise<void> {
    this.coming = drafts.map(({ name }) => ({ name, id: undefined, steps: [], state: "waiting", stderr: "" }));
    const queue = drafts.map((draft, i) => () => this.#one(this.coming[i] as Coming, draft, activate));
    const work = async () => {
      for (let job; (job = queue.shift());) await job();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  async #one(coming: Coming, draft: Draft, activate: boolean): Promise<void> {
    coming.state = "doing";
    try {
      await this.#step(coming, "add", async () => {
        coming.id = (await take(api.POST("/api/servers", { body: bodyOf(draft) }))).id;
        return "";
      });
      const path = { id: String(coming.id) };
      const secrets = Object.entries(draft.secrets);
      if (secrets.length > 0) {
        await this.#step(coming, "keep", async () => {
          for (const [key, value] of secrets)
            await take(
              api.PUT("/api/servers/{id}/secrets/{key}", { params: { path: { ...path, key } }, body: { value } }),
            );
          return secrets.map(([key]) => key).join(", ");
        });
      }
      if (/(^|[\\/])(npx|uvx)(\.\w+)?$/i.test(draft.command)) await this.#warm(coming);
      await this.#step(coming, "list", async () => {
        const { tool_count = 0 } = await take(api.POST("/api/servers/{id}/refresh", { params: { path } }));
        return plural(tool_count, "tool");
      });
      if (activate)
        await this.#step(coming, "activate", async () => {
          await take(api.POST("/api/servers/{id}/activate", { params: { path } }));
          return "its tools are in every list";
        });
      coming.state = "done";
    } catch {
      coming.stderr = await stderrOf(coming.id);
      coming.state = "failed";
    }
  }

  /** A download that fails is said and no more: the start may get by without. */
  async #warm(coming: Coming): Promise<void> {
    try {
      await this.#step(coming, "warm", async () => {
        const params = { path: { id: String(coming.id) } };
        const answer = await take(api.POST("/api/servers/{id}/preinstall", { params }));
        return answer.package ?? answer.reason ?? "";
      });
    } catch {
      // The start tells more.
    }
  }

  async #step(coming: Coming, name: keyof typeof steps, what: () => Promise<string>): Promise<void> {
    coming.steps.push({ words: steps[name], state: "doing", note: "" });
    const step = coming.steps.at(-1) as Step;
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

/** stderrOf returns the end of what a server's process wrote. */
async function stderrOf(id: number | undefined): Promise<string> {
  if (id === undefined) return "";
  try {
    const { stderr } = await take(api.GET("/api/servers/{id}", { params: { path: { id: String(id) } } }));
    return stderr?.split("\n").slice(-40).join("\n").trim() ?? "";
  } catch {
    return "";
  }
}
