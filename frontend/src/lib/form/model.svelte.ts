// The state of a form: its values, their problems, and whether it shows fields or JSON.

import { getContext, setContext } from "svelte";
import { SvelteSet } from "svelte/reactivity";
import { check, type Problems } from "./check.ts";
import { isObject, parse, print } from "./json.ts";
import { specOf, type Spec } from "./schema.ts";
import { initial } from "./values.ts";

const KEY = Symbol("form");

export class FormModel {
  readonly spec: Spec;
  /** undefined members are left out; text that cannot be parsed as JSON is an Unparsed. */
  value = $state.raw<unknown>();
  mode = $state<"form" | "raw">("form");
  /** The values as JSON text, in JSON mode. */
  text = $state("");
  /** Why the text is not a JSON object. */
  textProblem = $state("");
  /** A submit was attempted, so all problems are shown. */
  tried = $state(false);
  readonly touched = new SvelteSet<string>();

  constructor(schema: unknown, value?: unknown) {
    this.spec = specOf(schema);
    this.fill(value === undefined ? (initial(this.spec) ?? {}) : value);
    if (this.spec.kind !== "object") this.show("raw");
  }

  problems: Problems = $derived.by(() => check(this.spec, this.value));

  /** The schema has no fields: it allows no arguments, or any. */
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
  }

  /** reset restores the defaults. */
  reset(): void {
    this.fill(initial(this.spec) ?? {});
  }

  /** show switches between fields and JSON; JSON that cannot be parsed stays visible. */
  show(mode: "form" | "raw"): void {
    if (mode === this.mode) return;
    if (mode === "raw") this.text = print(this.value);
    else if (this.textProblem) return;
    this.mode = mode;
  }

  /** write takes over JSON text as it is typed. */
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

  /** problem returns the message for a field; empty until the person has visited it. */
  problem(place: string): string {
    return this.tried || this.touched.has(place) ? (this.problems.get(place) ?? "") : "";
  }

  /** take returns the values if they can be sent. In JSON mode any object can, so that servers can be tested with invalid
   * values. */
  take(): Record<string, unknown> | undefined {
    this.tried = true;
    const wrong = this.mode === "raw" ? this.textProblem !== "" : this.problems.size > 0;
    return wrong || !isObject(this.value) ? undefined : this.value;
  }

  /** share provides the form to the fields inside a component. */
  share(): void {
    setContext(KEY, this);
  }
}

export const formOf = (): FormModel => getContext<FormModel>(KEY);
