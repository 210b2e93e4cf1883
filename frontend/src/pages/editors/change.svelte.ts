// A change of editors' files, which is planned, shown to the user, and then applied exactly as shown.

import { SvelteSet } from "svelte/reactivity";
import { attempt } from "$lib/actions";
import { api, messageOf, take, type Schemas } from "$lib/api/client";
import { sentence } from "$lib/format";
import { editors } from "$lib/stores/editors.svelte";
import { toasts } from "$lib/stores/toasts.svelte";
import { listed, describeAction } from "./labels";

type Outcome = Schemas["EditorOutcome"];
type Plan = Schemas["EditorPlan"];

export interface ChangeRequest {
  action: "register" | "unregister" | "undo";
  /** The start of the button label, before the editors' names. */
  verb: string;
  /** Ids of editors. */
  editors?: string[];
  /** To register: all editors on this machine that can get the entry. To unregister: all that have it. */
  all?: boolean;
  /** Whether to replace an entry of another program that has the name "discover". */
  replace?: boolean;
  /**
   * To register: the surface for the entries, which determines the tools that models see. If missing, an existing
   * entry keeps its surface.
   */
  surface?: string;
  /** To undo: the ids of changes in the history. */
  changes?: string[];
}

/** changing reports whether applying a plan changes a file. */
export const changing = (plan: Plan): boolean => !plan.nothing && !plan.problem;

export class EditorChange {
  readonly request: ChangeRequest;
  /** The plans of the hub, one for each file; undefined until loaded. */
  plans = $state.raw<Plan[]>();
  problem = $state("");
  busy = $state(false);
  /** The results, after the plans were applied. */
  outcomes = $state.raw<Outcome[]>([]);
  /** The ids of editors that the user deselected. */
  deselected = new SvelteSet<string>();

  chosen = $derived((this.plans ?? []).filter((plan) => changing(plan) && !this.deselected.has(plan.editor)));
  /** The ids of selected editors whose files would change. */
  editors = $derived(this.chosen.map(({ editor }) => editor).filter((id, i, all) => all.indexOf(id) === i));

  #turn = 0;

  constructor(request: ChangeRequest) {
    this.request = request;
  }

  /** plan loads the plans. The answer is dropped if plan or apply is called meanwhile. */
  plan = async (): Promise<void> => {
    const turn = ++this.#turn;
    try {
      const { action, editors, all, replace, surface, changes } = this.request;
      const body = { action, editors, all, replace, surface, changes };
      const { plans } = await take(api.POST("/api/editors/plan", { body }));
      if (turn === this.#turn) [this.plans, this.problem, this.outcomes] = [plans, "", []];
    } catch (problem) {
      if (turn === this.#turn) this.problem = messageOf(problem);
    }
  };

  /**
   * apply applies the selected plans and reports whether all succeeded. The hub refuses a change that is no longer the
   * one that was shown.
   */
  apply = async (): Promise<boolean> => {
    this.#turn++;
    this.busy = true;
    this.problem = "";
    try {
      const { action, changes, replace, surface } = this.request;
      const expect = Object.fromEntries(
        this.chosen.map(({ path, change, difference, before }) => [change || path, difference || before]),
      );
      const body = { editors: this.editors, replace, surface, expect };
      this.outcomes = await (action === "undo"
        ? undo(changes, expect)
        : action === "register"
          ? outcomesOf(api.POST("/api/editors/register", { body }))
          : outcomesOf(api.POST("/api/editors/unregister", { body })));
      if (this.outcomes.every(succeeded)) report(surface ? "show" : action, this.outcomes);
    } catch (problem) {
      this.problem = messageOf(problem);
    }
    this.busy = false;
    void editors.load();
    return !this.problem && this.outcomes.every(succeeded);
  };

  outcomeOf = ({ editor, path }: Plan): Outcome | undefined =>
    this.outcomes.find((outcome) => outcome.editor === editor && outcome.path === path);
}

/**
 * show changes what the model of an editor is shown, without a preview: the hub keeps a backup of each file, and a toast
 * offers to undo the change.
 */
export async function show(editor: string, surface: string): Promise<void> {
  const change = new EditorChange({ action: "register", verb: "Change", editors: [editor], surface });
  await change.plan();
  const refused = change.plans?.find(({ problem }) => problem)?.problem;
  if (change.chosen.length) await change.apply();
  await editors.load();
  const failed = change.outcomes.find((outcome) => !succeeded(outcome))?.problem;
  const problem = change.problem || failed || refused;
  if (problem) toasts.show(sentence(problem), { kind: "failed" });
}

const outcomesOf = async (answer: Parameters<typeof take<Schemas["Outcomes"]>>[0]) => (await take(answer)).outcomes;
const undo = (changes: string[] = [], expect?: Record<string, string>) =>
  outcomesOf(api.POST("/api/editors/undo", { body: { changes, expect } }));
const succeeded = ({ status }: Outcome): boolean => status !== "refused" && status !== "failed";

/** report shows a toast with the results and an Undo button. */
function report(action: ChangeRequest["action"] | "show", outcomes: Outcome[]): void {
  const names = (status: string) => [
    ...new Set(outcomes.filter((outcome) => outcome.status === status).map(({ editor }) => editors.nameOf(editor))),
  ];
  const [done, waiting] = [names("done"), names("waiting")];
  // With several outcomes, their hints to reload the editor are shown in the list instead.
  const [only, ...others] = outcomes;
  const words = [
    done.length ? describeAction(action, listed(done)) : "",
    waiting.length ? `${listed(waiting)}: pending until the editor is closed.` : "",
    (!others.length && only?.status === "done" && only.reload) || "",
  ].filter(Boolean);
  const changes = outcomes.flatMap(({ change }) => change || []);
  if (!words.length) return;
  toasts.show(words.join(" "), {
    ms: 15_000,
    action: changes.length && action !== "undo" ? { label: "Undo", run: () => void undoChanges(changes) } : undefined,
  });
}

/** undoChanges undoes changes and reports the result in a toast. */
async function undoChanges(changes: string[]): Promise<void> {
  await attempt(async () => {
    const outcomes = await undo(changes);
    report("undo", outcomes);
    for (const outcome of outcomes) if (!succeeded(outcome)) throw new Error(outcome.problem);
  });
  void editors.load();
}
