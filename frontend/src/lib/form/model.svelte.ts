// The state of a form: its values, their problems, and whether it shows fields or JSON.

import { getContext, setContext } from "svelte";
import { SvelteMap, SvelteSet } from "svelte/reactivity";
import { check, type Problems } from "./check.ts";
import { isObject, parse, print } from "./json.ts";
import { specOf, type Spec } from "./schema.ts";
import { initial } from "./values.ts";

const KEY = Symbol("form");

export class FormModel {
  readonly spec: Spec;
  /** The values to send, without members that are undefined. Invalid JSON text is an Unparsed. */
  value = $state.raw<unknown>();
  mode = $state<"form" | "raw">("form");
  /** The text of the JSON editor, in raw mode. */
  text = $state("");
  /** Why the text of the JSON editor is not a JSON object; "" if it is one. */
  textProblem = $state("");
  /** Whether the user has tried to submit, after which all problems are shown. */
  tried = $state(false);
  /** complete returns suggestions for the text of a member; undefined if the form has no suggestions. */
  complete?: (member: string, text: string) => Promise<string[]>;
  readonly touched = new SvelteSet<string>();
  /** The alternatives that the user has picked, by JSON pointer. */
  readonly picks = new SvelteMap<string, number>();
  /** The text fields that have several lines because the user asked for them, by JSON pointer. */
  readonly tall = new SvelteSet<string>();

  constructor(schema: unknown, value?: unknown) {
    this.spec = specOf(schema);
    this.fill(value === undefined ? (initial(this.spec) ?? {}) : value);
    if (!this.fielded) this.show("raw");
  }

  /** Whether there are fields for the schema besides the JSON editor. */
  get fielded(): boolean {
    const { kind, variants } = this.spec;
    return kind === "object" || (kind === "variant" && variants.every((variant) => variant().kind === "object"));
  }

  problems: Problems = $derived.by(() => check(this.spec, this.value, true, this.picks));

  /** Whether the schema declares no fields. It may still allow any members. */
  get empty(): boolean {
    return this.spec.kind === "object" && this.spec.fields.length === 0;
  }

  /** fill replaces all values. */
  fill(value: unknown): void {
    this.value = isObject(value) ? value : {};
    this.text = print(this.value);
    this.textProblem = "";
    this.tried = false;
    this.touched.clear();
    this.picks.clear();
  }

  /** reset restores the defaults. */
  reset(): void {
    this.fill(initial(this.spec) ?? {});
  }

  /** show switches between fields and the JSON editor. Invalid JSON keeps the editor open. */
  show(mode: "form" | "raw"): void {
    if (mode === this.mode) return;
    if (mode === "raw") this.text = print(this.value);
    else if (this.textProblem) return;
    this.mode = mode;
  }

  /** write sets the text of the JSON editor, and the values if the text is valid. */
  write(text: string): void {
    this.text = text;
    const parsed = parse(text.trim() === "" ? "{}" : text);
    if (!parsed.ok) this.textProblem = parsed.problem;
    else if (!isObject(parsed.value)) this.textProblem = "Arguments must be an object: { … }.";
    else {
      this.textProblem = "";
      this.value = parsed.value;
    }
  }

  /**
   * problem returns the message for a field, or "" if the user has neither visited the field nor submitted the form.
   */
  problem(place: string): string {
    return this.tried || this.touched.has(place) ? (this.problems.get(place) ?? "") : "";
  }

  /** take returns the values, or undefined if they are invalid. In JSON mode every JSON object is allowed, so that servers
   * can be tested with invalid values. */
  take(): Record<string, unknown> | undefined {
    this.tried = true;
    const wrong = this.mode === "raw" ? this.textProblem !== "" : this.problems.size > 0;
    return wrong || !isObject(this.value) ? undefined : this.value;
  }

  /** share makes the form available to the components below the current one, which call formOf. */
  share(): void {
    setContext(KEY, this);
  }
}

export const formOf = (): FormModel => getContext<FormModel>(KEY);
