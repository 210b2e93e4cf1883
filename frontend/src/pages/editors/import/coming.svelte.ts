// Servers that may come in from editors, a text or a bundle, what a person chose of them, and what became of that.

import { SvelteMap } from "svelte/reactivity";
import { messageOf } from "$lib/api/client";
import { api, take, type Schemas } from "$lib/api/client";
import { nameProblem } from "$lib/names";
import { editors } from "$lib/stores/editors.svelte";
import { hub } from "$lib/stores/hub.svelte";

type Candidate = Schemas["EditorImportCandidate"];
type Question = Schemas["EditorImportQuestion"];
type Report = Schemas["EditorImportReport"];

/** Where servers come from; all of editors when neither is given. */
export interface Origin {
  text?: string;
  bundle?: string;
}

type Found = Schemas["EditorImportScan"] & Partial<Schemas["Scanned"]>;

interface Choice {
  name?: string;
  chosen?: boolean;
}

export class Coming {
  /** Undefined until it is known. */
  scan = $state.raw<Found>();
  problem = $state("");
  busy = $state(false);
  takeOut = $state(false);
  report = $state.raw<Report>();
  /** What a person answered to what a bundle asks, by key. */
  values = new SvelteMap<string, string>();

  #origin: Origin = {};
  #turn = 0;
  #choices = new SvelteMap<string, Choice>();

  candidates = $derived(this.scan?.candidates ?? []);
  questions = $derived(this.scan?.questions ?? []);
  chosen = $derived(this.candidates.filter((one) => this.isChosen(one)));
  wrong = $derived(
    this.chosen.some((one) => this.wrongName(one)) || this.questions.some((question) => this.#open(question)),
  );
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- it is made anew when servers change
  #taken = $derived(new Set(hub.servers.map(({ name }) => name)));

  /** clear forgets what was found. */
  clear(): void {
    this.#turn++;
    [this.scan, this.problem, this.busy] = [undefined, "", false];
  }

  /** look reads what is there; what was chosen before is kept. */
  async look(origin: Origin = this.#origin): Promise<void> {
    const turn = ++this.#turn;
    this.#origin = origin;
    this.busy = true;
    let [scan, problem]: [Found | undefined, string] = [undefined, ""];
    try {
      scan = await (origin.text || origin.bundle
        ? take(api.POST("/api/editors/scan", { body: { ...origin } }))
        : take(api.GET("/api/editors/servers")));
    } catch (failure) {
      problem = messageOf(failure);
    }
    if (turn !== this.#turn) return;
    [this.scan, this.problem, this.busy] = [scan, problem, false];
    for (const { key, default: value } of this.questions) if (!this.values.has(key)) this.values.set(key, value);
  }

  /** possible reports whether something can be done with a server: it comes in, or what stands in editors goes. */
  possible = ({ problem, here, sources }: Candidate): boolean =>
    !problem && (!here || (this.takeOut && sources.some(({ can_take }) => can_take)));

  isChosen = (one: Candidate): boolean => this.possible(one) && (this.#choices.get(one.id)?.chosen ?? true);
  nameOf = ({ id, name }: Candidate): string => this.#choices.get(id)?.name ?? name;
  change = (id: string, to: Choice): void => void this.#choices.set(id, { ...this.#choices.get(id), ...to });

  wrongName = (one: Candidate): string | undefined => {
    if (one.here) return undefined;
    const name = this.nameOf(one);
    const twice = this.chosen.some((other) => other !== one && !other.here && this.nameOf(other) === name);
    return nameProblem(name, this.#taken) ?? (twice ? "Another one here has this name." : undefined);
  };

  #open = ({ key, required }: Question): boolean => required && !this.values.get(key)?.trim();

  /** bring does what was chosen. */
  async bring(): Promise<void> {
    this.busy = true;
    this.problem = "";
    try {
      this.report = await take(
        api.POST("/api/editors/import", {
          body: {
            servers: this.chosen.map((one) => ({ id: one.id, name: this.nameOf(one) })),
            take_out: this.takeOut,
            text: this.#origin.text ?? "",
            bundle: this.#origin.bundle ?? "",
            values: Object.fromEntries(this.values),
          },
        }),
      );
      void editors.load();
    } catch (problem) {
      this.problem = messageOf(problem);
    }
    this.busy = false;
  }
}
