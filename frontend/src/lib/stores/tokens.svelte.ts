// Information about the tokens of MCP clients that connect to the hub over HTTP. It does not include the tokens
// themselves.

import { api, take, type Schemas } from "../api/client.ts";
import { LiveQuery } from "./livequery.svelte.ts";

export type ClientToken = Schemas["ClientToken"];

const SOON = 150; // ms: the list shows a token right after its creation

class Tokens {
  #answer = new LiveQuery(() => take(api.GET("/api/tokens")));

  /** All tokens, sorted by name; undefined until loaded. */
  all = $derived(this.#answer.value === undefined ? undefined : (this.#answer.value ?? []));
  /** Why the last request failed; empty if it succeeded. */
  problem = $derived(this.#answer.problem);

  /** keep loads the tokens now and after each change until the returned function is called. Use it as an effect. */
  keep = (): (() => void) => this.#answer.keep(["tokens"], SOON);
  load = (): Promise<void> => this.#answer.load();

  /**
   * create creates a token. Only this answer contains the token itself: drop the answer when the dialog that shows it
   * closes.
   */
  create = (body: { name: string; client: string; surface: string }): Promise<Schemas["NewClientToken"]> =>
    take(api.POST("/api/tokens", { body }));

  revoke = (name: string): Promise<unknown> => take(api.DELETE("/api/tokens/{name}", { params: { path: { name } } }));
}

export const tokens = new Tokens();
