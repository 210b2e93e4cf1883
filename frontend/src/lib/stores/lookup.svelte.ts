// The hub's answers to questions that change while a person types.

import { api, messageOf, take, type Schemas } from "$lib/api/client";

const PAUSE = 200; // ms without a change until the hub is asked

/** Make one while a component is set up: it asks as long as the component lives. */
export class Lookup<Answer> {
  problem = $state("");
  #answer = $state.raw<Answer>() as Answer;
  /** The question that answer and problem belong to; "" before the first. */
  #answered = $state("");
  #question: () => string;

  /** An empty question has the answer `nothing`, and the hub is not asked. */
  constructor(question: () => string, ask: (question: string) => Promise<Answer>, nothing: Answer) {
    this.#answer = nothing;
    this.#question = question;
    const set = (of: string, to: Answer, problem = "") => {
      [this.#answered, this.#answer, this.problem] = [of, to, problem];
    };
    $effect(() => {
      const asked = question();
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

  /** current reports whether the hub has answered the question as it is now. */
  get current(): boolean {
    return this.#answered === this.#question();
  }
}

export type Parsed = Schemas["EditorImportParsed"];

/** parseServers reads the servers in a text: a configuration of any client, a command line, or a URL. */
export const parseServers = (text: () => string): Lookup<Parsed[]> =>
  new Lookup(
    () => text().trim(),
    async (text) => (await take(api.POST("/api/servers/parse", { body: { text } }))).servers,
    [],
  );

/** nameProblems returns why new servers cannot have these names: a text for each, empty where one can. */
export const nameProblems = async (names: string[]): Promise<string[]> =>
  (await take(api.POST("/api/servers/names", { body: { names } }))).problems;

/** checkNames keeps what nameProblems returns for names that change. */
export const checkNames = (names: () => string[]): Lookup<string[]> =>
  new Lookup(
    () => (names().length ? JSON.stringify(names()) : ""),
    (question) => nameProblems(JSON.parse(question) as string[]),
    [],
  );
