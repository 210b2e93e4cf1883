// An import of servers from editors, a text or a bundle: the servers found, the selection, and the results.

import { SvelteMap } from "svelte/reactivity";
import { messageOf } from "$lib/api/client";
import { api, take, type Schemas } from "$lib/api/client";
import { sentence } from "$lib/format";
import { nameProblems } from "$lib/stores/lookup.svelte";
import { editors } from "$lib/stores/editors.svelte";

type Candidate = Schemas["EditorImportCandidate"];
type Question = Schemas["EditorImportQuestion"];
type Report = Schemas["EditorImportReport"];

/** The source of an import: a text, the path of a bundle, or otherwise all editors. */
export interface Source {
  text?: string;
  bundle?: string;
}

type Found = Schemas["EditorImportScan"] & Partial<Schemas["Scanned"]>;

interface Choice {
  name?: string;
  chosen?: boolean;
}

export class ServerImport {
  /** The servers found in the source; undefined until loaded. */
  scan = $state.raw<Found>();
  problem = $state("");
  busy = $state(false);
  removeEntries = $state(false);
  /** Whether credentials stay readable in the configuration if they cannot be stored as secrets. */
  plainText = $state(false);
  /** Where secrets are stored; undefined while unknown. */
  vault = $state.raw<Schemas["VaultStatus"]>();
  report = $state.raw<Report>();
  /** The values that the user entered for a bundle's settings, by key. */
  values = new SvelteMap<string, string>();

  #source: Source = {};
  #turn = 0;
  #choices = new SvelteMap<string, Choice>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The names that the hub last checked, joined by line feeds, and the problem of each. */
  #checked = $state.raw<{ names: string; problems: Record<string, string> }>();

  candidates = $derived(this.scan?.candidates ?? []);
  questions = $derived(this.scan?.questions ?? []);
  storable = $derived(this.vault?.keeper !== "none");
  chosen = $derived(this.candidates.filter((one) => this.isChosen(one)));
  /** Whether a server to import has credentials. */
  sensitive = $derived(this.chosen.some((one) => !one.here && one.secrets.length > 0) || this.#asksSecret());
  #names = $derived(this.chosen.filter(({ here }) => !here).map((one) => this.nameOf(one)));
  // Names that the hub proposed need no check.
  #renamed = $derived(this.chosen.some((one) => !one.here && this.nameOf(one) !== one.name));
  wrong = $derived(
    (this.sensitive && !this.storable && !this.plainText) ||
      (this.#renamed && this.#checked?.names !== this.#names.join("\n")) ||
      this.chosen.some((one) => this.wrongName(one)) ||
      this.questions.some((question) => this.#open(question)),
  );

  #asksSecret(): boolean {
    return (this.scan?.questions ?? []).some(({ secret }) => secret);
  }

  /** look asks where secrets are stored. */
  async look(): Promise<void> {
    try {
      this.vault = (await take(api.GET("/api/secrets"))).status;
    } catch {
      this.vault = undefined; // the import reports the reason
    }
  }

  /** clear discards the servers that were found. */
  clear(): void {
    this.#turn++;
    [this.scan, this.problem, this.busy] = [undefined, "", false];
  }

  /** load lets the hub read the source. The selection stays. */
  async load(source: Source = this.#source): Promise<void> {
    const turn = ++this.#turn;
    this.#source = source;
    this.busy = true;
    void this.look();
    let [scan, problem]: [Found | undefined, string] = [undefined, ""];
    try {
      scan = await (source.text || source.bundle
        ? take(api.POST("/api/editors/scan", { body: { ...source } }))
        : take(api.GET("/api/editors/servers")));
    } catch (failure) {
      problem = messageOf(failure);
    }
    if (turn !== this.#turn) return;
    [this.scan, this.problem, this.busy] = [scan, problem, false];
    this.#check();
    for (const { key, default: value } of this.questions) if (!this.values.has(key)) this.values.set(key, value);
  }

  /** selectable reports whether a server can be imported, or its entries can be removed. */
  selectable = ({ problem, here, sources }: Candidate): boolean =>
    !problem && (!here || (this.removeEntries && sources.some(({ can_take }) => can_take)));

  isChosen = (one: Candidate): boolean => this.selectable(one) && (this.#choices.get(one.id)?.chosen ?? true);
  nameOf = ({ id, name }: Candidate): string => this.#choices.get(id)?.name ?? name;
  change = (id: string, to: Choice): void => {
    this.#choices.set(id, { ...this.#choices.get(id), ...to });
    this.#check();
  };

  /** #check lets the hub check the chosen names once the user has stopped typing. */
  #check(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(async () => {
      const names = this.#names;
      if (!this.#renamed) return;
      const problems = await nameProblems(names).catch((failure: unknown) => names.map(() => messageOf(failure)));
      this.#checked = {
        names: names.join("\n"),
        problems: Object.fromEntries(names.map((name, i) => [name, problems[i] ?? ""])),
      };
    }, 200);
  }

  wrongName = (one: Candidate): string | undefined => {
    if (one.here || !this.#renamed) return undefined;
    return sentence(this.#checked?.problems[this.nameOf(one)] ?? "") || undefined;
  };

  #open = ({ key, required }: Question): boolean => required && !this.values.get(key)?.trim();

  /** run imports the selected servers. */
  async run(): Promise<void> {
    this.busy = true;
    this.problem = "";
    try {
      this.report = await take(
        api.POST("/api/editors/import", {
          body: {
            servers: this.chosen.map((one) => ({ id: one.id, name: this.nameOf(one) })),
            take_out: this.removeEntries,
            plain_text: this.plainText,
            text: this.#source.text ?? "",
            bundle: this.#source.bundle ?? "",
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
