// A form that is being filled: its values, what is wrong with them, and whether it is shown as fields or as JSON.

import { getContext, setContext } from "svelte";
import { SvelteSet } from "svelte/reactivity";
import { check, type Problems } from "./check.ts";
import { isObject, parse, print } from "./json.ts";
import { specOf, type Spec } from "./schema.ts";
import { initial } from "./values.ts";

const KEY = Symbol("form");

export class FormModel {
  readonly spec: Spec;
  /** undefined members are left out; text that is no JSON yet is an Unparsed. */
  value = $state.raw<unknown>();
  mode = $state<"form" | "raw">("form");
  /** The whole as JSON, while it is shown so. */
  text = $state("");
  /** Why the text is no JSON, or no object. */
  textProblem = $state("");
  /** Somebody tried to send it: everything that is wrong is shown. */
  tried = $state(false);
  readonly touched = new SvelteSet<string>();

  constructor(schema: unknown, value?: unknown) {
    this.spec = specOf(schema);
    this.fill(value === undefined ? (initial(this.spec) ?? {}) : value);
    if (this.spec.kind !== "object") this.show("raw");
  }

  problems: Problems = $derived.by(() => check(this.spec, this.value));

  /** The schema has no fields to show: arguments of no kind, or any. */
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

  /** reset goes back to the defaults. */
  reset(): void {
    this.fill(initial(this.spec) ?? {});
  }

  /** show switches between fields and JSON; JSON that cannot be read stays in sight. */
  show(mode: "form" | "raw"): void {
    if (mode === this.mode) return;
    if (mode === "raw") this.text = print(this.value);
    else if (this.textProblem) return;
    this.mode = mode;
  }

  /** write takes JSON that is being typed. */
  write(text: string): void {
    this.text = text;
    const parsed = parse(text.trim() === "" ? "{}" : text);
    if (!parsed.ok) this.textProblem = parsed.problem;
    else if (!isObject(parsed.value)) this.textProblem = "Arguments are an object: { … }.";
    else {
      this.textProblem = "";
      this.value = parsed.value;
    }
  }

  /** problem returns what to say at a field; nothing before somebody was there. */
  problem(place: string): string {
    return this.tried || this.touched.has(place) ? (this.problems.get(place) ?? "") : "";
  }

  /** take returns the values when they may be sent. As JSON everything may be that is an object: servers are tested with wrong values, too. */
  take(): Record<string, unknown> | undefined {
    this.tried = true;
    const wrong = this.mode === "raw" ? this.textProblem !== "" : this.problems.size > 0;
    return wrong || !isObject(this.value) ? undefined : this.value;
  }

  /** share makes the form known to the fields inside of a component. */
  share(): void {
    setContext(KEY, this);
  }
}

export const formOf = (): FormModel => getContext<FormModel>(KEY);
