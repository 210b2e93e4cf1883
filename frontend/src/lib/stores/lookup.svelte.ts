// Requests to the hub that are repeated while the user types.

import { api, messageOf, take, type Schemas } from "$lib/api/client";

const PAUSE = 200; // ms without a change until a request is sent

/**
 * Lookup sends a request for a text whenever the text changes, after a short pause. Create it while a component is
 * initialised; its effect ends with the component.
 */
export class Lookup<Answer> {
  problem = $state("");
  #answer = $state.raw<Answer>() as Answer;
  /** The text that answer and problem belong to; "" before the first answer. */
  #answeredText = $state("");
  #text: () => string;

  /** No request is sent for an empty text; its answer is `nothing`. */
  constructor(text: () => string, ask: (text: string) => Promise<Answer>, nothing: Answer) {
    this.#answer = nothing;
    this.#text = text;
    const set = (of: string, to: Answer, problem = "") => {
      [this.#answeredText, this.#answer, this.problem] = [of, to, problem];
    };
    $effect(() => {
      const asked = text();
      if (!asked) return set("", nothing);
      let over = false;
      const timer = setTimeout(async () => {
        try {
          const got = await ask(asked);
          if (!over) set(asked, got);
        } catch (failure) {
          if (!over) set(asked, nothing, messageOf(failure));
        }
      }, PAUSE);
      return () => {
        over = true;
        clearTimeout(timer);
      };
    });
  }

  get answer(): Answer {
    return this.#answer;
  }

  /** current reports whether the answer belongs to the current text. */
  get current(): boolean {
    return this.#answeredText === this.#text();
  }
}

export type Parsed = Schemas["EditorImportParsed"];

/** parseServers lets the hub parse a text into servers: a configuration of any client, a command line, or a URL. */
export const parseServers = (text: () => string): Lookup<Parsed[]> =>
  new Lookup(
    () => text().trim(),
    async (text) => (await take(api.POST("/api/servers/parse", { body: { text } }))).servers,
    [],
  );

/** nameProblems returns for each name why a new server cannot have it, or "" if it can. */
export const nameProblems = async (names: string[]): Promise<string[]> =>
  (await take(api.POST("/api/servers/names", { body: { names } }))).problems;

/** checkNames returns a Lookup of nameProblems for names that the user edits. */
export const checkNames = (names: () => string[]): Lookup<string[]> =>
  new Lookup(
    () => (names().length ? JSON.stringify(names()) : ""),
    (json) => nameProblems(JSON.parse(json) as string[]),
    [],
  );
