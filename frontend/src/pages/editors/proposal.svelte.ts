// What would be done to files of editors: shown first, then done as it was shown and in no other way.

import { SvelteSet } from "svelte/reactivity";
import { attempt } from "$lib/actions";
import { messageOf } from "$lib/api/client";
import { ask, type Outcome, type Plan } from "$lib/api/editors";
import { editors } from "$lib/stores/editors.svelte";
import { toasts } from "$lib/stores/toasts.svelte";
import { listed, said } from "./words";

export interface Wish {
  action: "register" | "unregister" | "undo";
  /** What a button says that does it, before the names of editors. */
  verb: string;
  /** Ids. */
  editors?: string[];
  /** All that are here and can have our entry; to unregister, all that have it. */
  all?: boolean;
  /** Also an entry of our name that is not ours. */
  replace?: boolean;
  /** To undo: ids of changes. */
  changes?: string[];
}

const apply = (path: string, body: object) => ask<{ outcomes: Outcome[] | null }>("POST", path, body);

/** changing reports whether a plan would do something. */
export const changing = (plan: Plan): boolean => !plan.nothing && !plan.problem;

export class Proposal {
  readonly wish: Wish;
  /** Undefined until they are known. */
  plans = $state.raw<Plan[]>();
  problem = $state("");
  busy = $state(false);
  /** What became of the plans, once something was done. */
  outcomes = $state.raw<Outcome[]>([]);
  /** Editors that are to stay as they are. */
  left = new SvelteSet<string>();

  chosen = $derived((this.plans ?? []).filter((plan) => changing(plan) && !this.left.has(plan.editor)));
  /** Ids of the editors that something would be done to. */
  editors = $derived([...new Set(this.chosen.map(({ editor }) => editor))]);

  constructor(wish: Wish) {
    this.wish = wish;
  }

  /** look asks what would be done. */
  look = async (): Promise<void> => {
    try {
      const { verb: _, ...wish } = this.wish;
      const { plans } = await ask<{ plans: Plan[] | null }>("POST", "/plan", wish);
      [this.plans, this.problem, this.outcomes] = [plans ?? [], "", []];
    } catch (problem) {
      this.problem = messageOf(problem);
    }
  };

  /** apply does what was shown; it reports whether all of it was done. */
  apply = async (): Promise<boolean> => {
    this.busy = true;
    this.problem = "";
    try {
      const { action, changes, replace } = this.wish;
      const expect = Object.fromEntries(this.chosen.map(({ path, before }) => [path, before]));
      const body = action === "undo" ? { changes } : { editors: this.editors, replace, expect };
      this.outcomes = (await apply(`/${action}`, body)).outcomes ?? [];
      tell(action, this.outcomes);
    } catch (problem) {
      this.problem = messageOf(problem);
    }
    this.busy = false;
    void editors.load();
    return !this.problem && this.outcomes.every(well);
  };

  outcomeOf = ({ editor, path }: Plan): Outcome | undefined =>
    this.outcomes.find((outcome) => outcome.editor === editor && outcome.path === path);
}

const well = ({ status }: Outcome): boolean => status !== "refused" && status !== "failed";

/** tell says what was done, with a way back. */
function tell(action: Wish["action"], outcomes: Outcome[]): void {
  const names = (status: string) => [
    ...new Set(outcomes.filter((outcome) => outcome.status === status).map(({ editor }) => editors.nameOf(editor))),
  ];
  const [done, waiting] = [names("done"), names("waiting")];
  const words = [
    done.length ? said(action, listed(done)) : "",
    waiting.length ? `${listed(waiting)}: as soon as it is closed.` : "",
    ...new Set(outcomes.map(({ status, reload }) => (status === "done" && reload) || "")),
  ].filter(Boolean);
  const changes = outcomes.flatMap(({ change }) => change || []);
  if (!words.length) return;
  toasts.show(words.slice(0, 4).join(" "), {
    ms: 15_000,
    action: changes.length && action !== "undo" ? { label: "Undo", run: () => void undo(changes) } : undefined,
  });
}

/** undo takes changes back that were made a moment ago. */
async function undo(changes: string[]): Promise<void> {
  await attempt(async () => {
    const outcomes = (await apply("/undo", { changes })).outcomes ?? [];
    tell("undo", outcomes);
    for (const outcome of outcomes) if (!well(outcome)) throw new Error(outcome.problem);
  });
  void editors.load();
}
