// The settings that the hub uses, and the problem with the settings file, if any.

import { api, take, type Schemas } from "../api/client.ts";
import { LiveQuery } from "./livequery.svelte.ts";

export type Setting = Schemas["Setting"];

/** A rule for tools, as the settings file has it. */
export interface ToolRule {
  pattern?: string[];
  server?: string;
  enabled?: boolean;
  tags?: string[];
}

const SOON = 150; // ms

class Settings {
  #answer = new LiveQuery(() => take(api.GET("/api/config")));

  /** The settings; undefined until loaded. */
  value = $derived(this.#answer.value);
  /** Why the last request failed; empty if it succeeded. */
  problem = $derived(this.#answer.problem);
  /** The rules for tools, in their order. */
  rules = $derived((this.find("discovery.tool_rules")?.value ?? []) as ToolRule[]);

  /** keep loads the settings now and after each change until the returned function is called. Use it as an effect. */
  keep = (): (() => void) => this.#answer.keep(["config"], SOON);
  load = (): Promise<void> => this.#answer.load();
  find(key: string): Setting | undefined {
    return this.value?.settings.find((one) => one.key === key);
  }

  set = (key: string, value: string | number | boolean): Promise<unknown> =>
    this.#then(take(api.PUT("/api/config", { body: { key, value } })));
  addRule = (rule: ToolRule): Promise<unknown> => this.#then(take(api.POST("/api/config/rules", { body: { rule } })));
  removeRule = (rule: ToolRule, at: number): Promise<unknown> =>
    this.#then(take(api.POST("/api/config/rules/remove", { body: { rule, at } })));
  reload = (): Promise<unknown> => this.#then(take(api.POST("/api/config/reload")));

  /** then loads the settings after a change, also after one that failed. */
  async #then<T>(change: Promise<T>): Promise<T> {
    try {
      return await change;
    } finally {
      await this.load();
    }
  }
}

export const settings = new Settings();
