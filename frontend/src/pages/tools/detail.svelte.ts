// The details of one tool, which are loaded again after each of its calls.

import { ApiError, api, messageOf, take, type Schemas } from "$lib/api/client";
import { hub } from "$lib/stores/hub.svelte";
import { tools } from "$lib/stores/tools.svelte";

export type ToolDetail = Schemas["ToolDetail"];

const GATHER = 1_000; // ms in which calls are batched before the figures are loaded again

export class LiveTool {
  tool = $state.raw<ToolDetail>();
  /** Whether the hub does not know the tool. */
  missing = $state(false);
  problem = $state("");

  #turn = 0;

  /** follow loads a tool, and again after its calls, until the returned function is called. Use it as an effect. */
  follow(server: string, name: string): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    void this.load(server, name);
    const end = hub.on("log_entry", ({ entry }) => {
      if (entry.server !== server || entry.tool !== name) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        void this.load(server, name);
      }, GATHER);
    });
    return () => {
      end();
      clearTimeout(timer);
      this.#turn++;
    };
  }

  async load(server: string, name: string): Promise<void> {
    const turn = ++this.#turn;
    try {
      const id = await idOf(server, name);
      const tool =
        id === undefined ? undefined : await take(api.GET("/api/tools/{id}", { params: { path: { id: String(id) } } }));
      if (turn !== this.#turn) return;
      this.tool = tool;
      this.missing = !tool;
      this.problem = "";
    } catch (problem) {
      if (turn !== this.#turn) return;
      this.missing = problem instanceof ApiError && problem.status === 404;
      this.problem = this.missing ? "" : messageOf(problem);
    }
  }
}

/** idOf returns the id of a tool, from the loaded list or by a request; undefined if it is unknown. */
async function idOf(server: string, name: string): Promise<number | undefined> {
  const known = tools.list.find((tool) => tool.server === server && tool.name === name);
  if (known) return known.id;
  const [found] = (await take(api.GET("/api/tools", { params: { query: { server, name, brief: "true" } } }))) ?? [];
  return found?.id;
}
