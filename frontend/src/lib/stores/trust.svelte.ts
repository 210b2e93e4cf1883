// Tools, prompts, resources and instructions of servers that are held until a person decides, and those in use that the
// scan warns of.

import { api, take, type Schemas } from "../api/client.ts";
import { LiveQuery } from "./livequery.svelte.ts";

export type Item = Schemas["TrustItem"];
export type ItemDetail = Schemas["TrustDetail"];
export type ItemServer = Schemas["TrustServer"];
export type Finding = Schemas["Finding"];

const SOON = 150; // ms: several changes often come together

/** loadItem returns an item with its definitions and the changes between them. */
export const loadItem = ({ id }: Item): Promise<ItemDetail> =>
  take(api.GET("/api/trust/items/{id}", { params: { path: { id } } }));

/** itemsOf returns everything that a server lists, also the items that need no decision. */
export const itemsOf = async (server: string): Promise<Item[]> =>
  (await take(api.GET("/api/trust", { params: { query: { server, all: "true" } } }))).items;

class Trust {
  #query = new LiveQuery(() => take(api.GET("/api/trust")));

  /** The items that wait, are in use with a warning, or were rejected; undefined until loaded. */
  items = $derived(this.#query.value?.items);
  /** The servers of these items, by name. */
  servers = $derived(this.#query.value?.servers ?? []);
  /** Why the last request failed; empty if it succeeded. */
  problem = $derived(this.#query.problem);

  /** keep loads the items now and after each change until the returned function is called. Use it as an effect. */
  keep = (): (() => void) => this.#query.keep(["trust"], SOON);
  load = (): Promise<void> => this.#query.load();

  /** approve approves an item in the version that was shown. The hub approves a blocked item only if confirmed is set. */
  approve = ({ id, hash }: Item, confirmed = false): Promise<void> =>
    this.#then(
      take(
        api.POST("/api/trust/items/{id}/approve", {
          params: { path: { id } },
          body: { hash, confirmed },
        }),
      ),
    );

  /** reject hides an item from agents, in the version that was shown. */
  reject = ({ id, hash }: Item): Promise<void> =>
    this.#then(take(api.POST("/api/trust/items/{id}/reject", { params: { path: { id } }, body: { hash } })));

  /** approveClean approves the launch of a server as it was shown, and its held items in which the scan finds nothing. */
  approveClean = async ({ id, launch_hash }: ItemServer): Promise<Schemas["TrustApproval"]> => {
    let answer: Schemas["TrustApproval"] = { approved: 0, waiting: 0 };
    const request = take(
      api.POST("/api/trust/servers/{id}/approve", { params: { path: { id: String(id) } }, body: { launch_hash } }),
    );
    await this.#then(request.then((given) => (answer = given)));
    return answer;
  };

  /** #then loads the items after a decision, even after a failed one, because it fails if the item has changed. */
  async #then(decision: Promise<unknown>): Promise<void> {
    try {
      await decision;
    } finally {
      await this.load();
    }
  }
}

export const trust = new Trust();
