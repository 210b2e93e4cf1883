// The first run: one plan for editors and servers, which the hub carries out with one request and can undo as a whole.

import { api, messageOf, take, type Schemas } from "$lib/api/client";
import { editors } from "$lib/stores/editors.svelte";
import { LiveQuery } from "$lib/stores/livequery.svelte";
import { EditorChange } from "../../editors/change.svelte";
import { ServerImport } from "../../editors/import/import.svelte";

type Plan = Schemas["SetupPlan"];
type Result = Schemas["SetupResult"];
type Undone = Schemas["SetupUndone"];

const PAUSE = 200; // ms after the last change of the selection until the hub plans again
const GATHER = 150; // ms between an event and the request for the states of the servers

export class Setup {
  /** The selection of servers, and how their credentials are stored. */
  readonly servers = new ServerImport();
  /** The selection of editors. */
  readonly editors = new EditorChange({ action: "register", verb: "Add to", all: true });
  /** Whether the selected editors are connected. */
  connect = $state(true);
  /** The imports and removals from editors that the current selection leads to; undefined until planned. */
  planned = $state.raw<Plan["import"]>();
  /** Why the last request failed; empty if it succeeded. */
  problem = $state("");
  busy = $state(false);
  result = $state.raw<Result>();
  undone = $state.raw<Undone>();
  /** How far the first starts of the imported servers are. */
  readonly starts = new LiveQuery(() => take(api.GET("/api/onboarding/starts")));

  /** The editors that would get the entry. */
  targets = $derived(this.connect ? this.editors.editors : []);
  /** The number of editors whose entries of imported servers can be removed: those that have the hub's entry. */
  connected = $derived(
    this.targets.length + (this.editors.plans ?? []).filter(({ nothing, problem }) => nothing && !problem).length,
  );
  imported = $derived((this.result?.import.servers ?? []).filter(({ status }) => status === "imported"));
  /** The number of imported servers whose first start has not ended. */
  starting = $derived(this.starts.value?.starting ?? this.imported.length);

  #turn = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.servers.removeEntries = true;
  }

  /** load lets the hub plan a run for everything that it finds. */
  load = async (): Promise<void> => {
    [this.result, this.undone, this.problem] = [undefined, undefined, ""];
    void this.servers.look();
    await this.#plan({ take_out: true }, (plan) => {
      this.editors.plans = plan.editors;
      this.servers.scan = plan.found;
    });
  };

  /** replan lets the hub plan again for the selection, once the user has stopped changing it. */
  replan = (): void => {
    clearTimeout(this.#timer);
    const { plain_text, take_out, servers, editors } = this.#selection();
    this.#timer = setTimeout(() => void this.#plan({ plain_text, take_out, servers, editors }), PAUSE);
  };

  async #plan(body: Schemas["OnboardingFields"], use?: (plan: Plan) => void): Promise<void> {
    const turn = ++this.#turn;
    try {
      const plan = await take(api.POST("/api/onboarding/plan", { body }));
      if (turn !== this.#turn) return;
      [this.planned, this.problem] = [plan.import, ""];
      use?.(plan);
    } catch (problem) {
      if (turn === this.#turn) this.problem = messageOf(problem);
    }
  }

  /** #selection returns what the user has selected, as the hub expects it. */
  #selection(): Schemas["OnboardingFields"] {
    const { plans = [], chosen } = this.editors;
    const ready = plans.filter(({ nothing, problem }) => nothing && !problem).map(({ editor }) => editor);
    return {
      editors: [...this.targets, ...ready],
      expect: Object.fromEntries(chosen.map(({ path, difference, before }) => [path, difference || before])),
      servers: this.servers.chosen.map((one) => ({ id: one.id, name: this.servers.nameOf(one) })),
      take_out: this.servers.removeEntries,
      plain_text: this.servers.plainText,
    };
  }

  /** run carries out the plan with the current selection. */
  run = async (): Promise<void> => {
    clearTimeout(this.#timer);
    this.#turn++;
    [this.busy, this.problem] = [true, ""];
    try {
      this.result = await take(api.POST("/api/onboarding", { body: this.#selection() }));
      void this.starts.load();
    } catch (problem) {
      this.problem = messageOf(problem);
    }
    this.busy = false;
    void editors.load();
  };

  /** undo undoes the whole run. */
  undo = async (): Promise<void> => {
    [this.busy, this.problem] = [true, ""];
    try {
      this.undone = await take(api.POST("/api/onboarding/undo"));
    } catch (problem) {
      this.problem = messageOf(problem);
    }
    this.busy = false;
    void editors.load();
  };

  /** follow keeps the states of the servers fresh until the returned function is called. Use it as an effect. */
  follow = (): (() => void) | undefined =>
    this.result && !this.undone ? this.starts.keep(["state", "tools"], GATHER) : undefined;
}

/** The first run of this window. It stays while the user visits other pages, such as that of a server that fails. */
class Welcome {
  setup = $state.raw<Setup>();
  over = $state(false);

  begin = (): void => {
    if (this.setup || this.over) return;
    this.setup = new Setup();
    void this.setup.load();
  };
  end = (): void => {
    [this.setup, this.over] = [undefined, true];
  };
}

export const welcome = new Welcome();
