// A server that is about to be installed: the answers to its questions, and the plan that the hub makes of them.

import { api, messageOf, take, type Schemas } from "$lib/api/client";
import { installations } from "$lib/stores/installations.svelte";
import { Answers } from "./answers.svelte";
import type { Plan } from "./types";

const PAUSE = 250; // ms without a change until a new plan is requested

export class Draft extends Answers {
  plan = $state.raw<Plan>();
  /** Why the last request failed; empty if it succeeded. */
  problem = $state("");
  /** True while the plan does not belong to the current answers. */
  busy = $state(true);
  option = $state("");
  name = $state("");
  /** The ids of the jobs that this draft has started; "" before. */
  preparation = $state("");
  installation = $state("");

  #id: string;
  #version: string;
  #revision = $state(0);
  #first = true;

  constructor(id: string, version = "", option = "") {
    super();
    this.#id = id;
    this.#version = version;
    this.option = option;
  }

  /** choose selects another way to run the server, which has other questions. */
  choose(option: string): void {
    this.option = option;
    this.answers = {};
  }

  /** again requests a new plan. */
  again(): void {
    this.#revision++;
  }

  /** follow requests a plan now and after each change of the answers. Use it as an effect. */
  follow(): () => void {
    void this.#revision;
    const choice = this.#choice();
    const abort = new AbortController();
    this.busy = true;
    const timer = setTimeout(() => void this.#ask(choice, abort.signal), this.#first ? 0 : PAUSE);
    this.#first = false;
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }

  /** packages returns what npx or uvx would download for the current answers. */
  packages(): Promise<Schemas["Download"]> {
    return take(api.POST("/api/market/download", { body: this.#choice() }));
  }

  async prepare(): Promise<void> {
    this.preparation = installations.add(await take(api.POST("/api/market/prepare", { body: this.#choice() })));
  }

  /** install installs exactly what the current plan shows. */
  async install(): Promise<void> {
    const request = { ...this.#choice(), option: this.plan?.option.id, version: this.#version || this.plan?.version };
    const hash = this.plan?.hash ?? "";
    this.installation = installations.add(await take(api.POST("/api/market/install", { body: { request, hash } })));
  }

  #choice() {
    return {
      id: this.#id,
      ...(this.#version && { version: this.#version }),
      ...(this.option && { option: this.option }),
      ...(this.name.trim() && { name: this.name.trim() }),
      answers: $state.snapshot(this.answers),
    };
  }

  async #ask(choice: Schemas["MarketChoice"], signal: AbortSignal): Promise<void> {
    try {
      const plan = await take(api.POST("/api/market/plan", { body: choice, signal }));
      if (signal.aborted) return;
      this.plan = plan;
      this.problem = "";
    } catch (problem) {
      if (signal.aborted) return;
      this.problem = messageOf(problem);
    }
    this.busy = false;
  }
}
