// Values for which a schema has several alternatives (anyOf, oneOf, or several types).

import { check } from "./check.ts";
import { isObject, own } from "./json.ts";
import type { Spec } from "./schema.ts";
import { kindOf } from "./types.ts";

/** The alternatives that the user has picked, by JSON pointer. */
export type Picks = ReadonlyMap<string, number>;

/** variantOf returns the index of the alternative for a value: the picked one, or the first that fits the value. */
export function variantOf(spec: Spec, value: unknown, picked?: number, left?: { visits: number }): number {
  if (picked !== undefined && picked < spec.variants.length) return picked;
  const valid = spec.variants.findIndex((variant) => check(variant(), value, true, undefined, left).size === 0);
  return Math.max(0, valid >= 0 ? valid : spec.variants.findIndex((variant) => isOfKind(variant(), value)));
}

function isOfKind({ kind }: Spec, value: unknown): boolean {
  if (kind === "object") return isObject(value);
  if (kind === "array" || kind === "choices") return Array.isArray(value);
  return typeof value === (kind === "integer" ? "number" : kind);
}

const NAMED = 3; // members in a label

/** labelsOf returns a label for each alternative, such as its title, its constant or its members. */
export function labelsOf(spec: Spec): string[] {
  const all = spec.variants.map((variant) => variant());
  return all.map((one) => {
    const others = all.filter((other) => other !== one);
    if (one.title && !others.some(({ title }) => title === one.title)) return one.title.slice(0, 80);
    if (one.kind === "object") return objectLabel(one, others);
    if (one.kind === "array" && one.item) return `list of ${kindOf(one.item())}`;
    return kindOf(one);
  });
}

/**
 * objectLabel returns a label for one of several object schemas: its member that has only one allowed value, or else
 * the names of the members that only this schema declares or requires.
 */
function objectLabel(one: Spec, others: Spec[]): string {
  for (const { key, spec } of one.fields) {
    const { options } = spec();
    if (options.length === 1 && options[0]) return `${key}: ${options[0].label}`.slice(0, 80);
  }
  const has = (list: Spec[], key: string) => list.some(({ fields }) => fields.some((field) => field.key === key));
  const requires = (list: Spec[], key: string) =>
    list.some(({ fields }) => fields.some((field) => field.key === key && field.required));
  const own = one.fields.filter(({ key, required }) => (required ? !requires(others, key) : !has(others, key)));
  const keys = (own.length ? own : one.fields).slice(0, NAMED).map(({ key }) => key);
  return keys.length ? `with ${keys.join(", ")}`.slice(0, 80) : "object";
}

/**
 * moved returns the members of value that are also valid for another alternative, so that they stay when the user
 * picks that alternative.
 */
export function moved(to: Spec, value: unknown): Record<string, unknown> {
  if (to.kind !== "object" || !isObject(value)) return {};
  const entries = to.fields.flatMap(({ key, spec }) => {
    const member = own(value, key);
    return member !== undefined && check(spec(), member).size === 0 ? [[key, member] as const] : [];
  });
  return Object.fromEntries(entries);
}
