// Initial values of a form, and conversions between values and the text of inputs. undefined is a value that is not
// sent.

import { isObject, own, Unparsed } from "./json.ts";
import type { Spec } from "./schema.ts";

const MAX_FIELDS = 20_000; // a small schema with references can describe a form that does not fit into memory

/** initial returns the default of a schema, or an object of its members' defaults. */
export function initial(spec: Spec, left = { fields: MAX_FIELDS }): unknown {
  if (spec.default !== undefined) return clone(spec.default);
  if (spec.kind !== "object") return undefined;
  const entries: [string, unknown][] = [];
  for (const field of spec.fields) {
    if (left.fields-- <= 0) break;
    const value = initial(field.spec(), left);
    const empty = isObject(value) && Object.keys(value).length === 0;
    if (value !== undefined && (field.required || !empty)) entries.push([field.key, value]);
  }
  return Object.fromEntries(entries);
}

function clone(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value)) as unknown;
  } catch {
    return undefined;
  }
}

/** fresh returns the initial value of a new row of an array. */
export function fresh(spec: Spec): unknown {
  const value = initial(spec);
  if (value !== undefined) return value;
  if (spec.kind === "string") return "";
  if (spec.kind === "array" || spec.kind === "choices") return [];
  return spec.kind === "boolean" ? false : undefined;
}

/** others returns the names of members that the schema does not declare. Such members are sent unchanged. */
export function others(spec: Spec, value: unknown): string[] {
  if (spec.kind !== "object" || !isObject(value)) return [];
  const known = new Set(spec.fields.map((field) => field.key));
  return Object.keys(value).filter((key) => !known.has(key) && own(value, key) !== undefined);
}

/** numberOf parses a typed number. It returns undefined for no text and the text itself if it is not a number. */
export function numberOf(text: string): number | string | undefined {
  const typed = text.trim();
  if (typed === "") return undefined;
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(typed) ? Number(typed) : NaN;
  return Number.isFinite(value) ? value : text;
}

/** localOf turns a date-time into the value of a datetime-local input, in the user's zone; "" if it is invalid. */
export function localOf(value: unknown): string {
  if (typeof value !== "string" || !DATE_TIME.test(value)) return "";
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return "";
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}

/** zonedOf turns the value of a datetime-local input into a date-time with its zone. */
export function zonedOf(local: string): string | undefined {
  const at = new Date(local);
  if (local === "" || Number.isNaN(at.getTime())) return undefined;
  return at.toISOString().replace(".000Z", "Z");
}

export const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)$/;
export const DATE = /^\d{4}-\d\d-\d\d$/;

/** unparsed finds the first text in a value that could not be parsed as JSON. */
export function unparsed(value: unknown, depth = 0): Unparsed | undefined {
  if (value instanceof Unparsed) return value;
  if (typeof value !== "object" || value === null || depth > 64) return undefined;
  for (const inner of Object.values(value)) {
    const found = unparsed(inner, depth + 1);
    if (found) return found;
  }
  return undefined;
}
