// Validation of form values against their schema, with a message for each field.

import { isObject, own, print, same, Unparsed } from "./json.ts";
import type { Spec } from "./schema.ts";
import { DATE, DATE_TIME } from "./values.ts";
import { variantOf, type Picks } from "./variant.ts";

/** Error messages by JSON pointer, such as /address/street; "" points to the whole value. */
export type Problems = ReadonlyMap<string, string>;

export const pointer = (place: string, key: string | number): string =>
  `${place}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;

const MAX_VISITS = 50_000;

/** check returns all problems of a value that the schema reveals. The server may still reject the value. */
export function check(
  spec: Spec,
  value: unknown,
  required = true,
  picks: Picks = new Map(),
  left = { visits: MAX_VISITS },
): Problems {
  const found = new Map<string, string>();
  visit(spec, value, required, "", { found, picks, left });
  return found;
}

interface Visit {
  found: Map<string, string>;
  picks: Picks;
  /**
   * The number of values that visit may still check. It is limited, because nested alternatives would otherwise take
   * exponential time.
   */
  left: { visits: number };
}

function visit(spec: Spec, value: unknown, required: boolean, place: string, to: Visit): void {
  if (to.left.visits-- <= 0) return;
  const problem = value === undefined ? (required ? "This is required." : "") : wrong(spec, value);
  if (problem) {
    to.found.set(place, problem);
    return;
  }
  if (spec.kind === "variant" && value !== undefined && value !== null) {
    const variant = spec.variants[variantOf(spec, value, to.picks.get(place), to.left)]?.();
    if (variant) visit(variant, value, required, place, to);
  } else if (spec.kind === "object" && isObject(value)) {
    for (const field of spec.fields) {
      const inner = own(value, field.key);
      if (inner !== undefined || field.required)
        visit(field.spec(), inner, field.required, pointer(place, field.key), to);
    }
  } else if (spec.kind === "array" && Array.isArray(value) && spec.item) {
    const item = spec.item();
    value.forEach((inner, i) => visit(item, inner, true, pointer(place, i), to));
  }
}

function wrong(spec: Spec, value: unknown): string {
  if (value instanceof Unparsed) return value.problem;
  if (value === null) {
    const any = spec.kind === "raw" && (spec.types.length === 0 || spec.types.includes("null"));
    return spec.nullable || any ? "" : "null is not allowed here.";
  }
  switch (spec.kind) {
    case "string":
      return typeof value === "string" ? wrongText(spec, value) : "This must be text.";
    case "number":
    case "integer":
      return wrongNumber(spec, value);
    case "boolean":
      return typeof value === "boolean" ? "" : "This must be true or false.";
    case "enum":
      return spec.options.some((option) => same(option.value, value))
        ? ""
        : `${short(value)} is not one of the choices.`;
    case "choices":
      if (Array.isArray(value)) {
        const strange = value.find((one) => !spec.options.some((option) => same(option.value, one)));
        if (strange !== undefined) return `${short(strange)} is not one of the choices.`;
      }
      return wrongList(spec, value);
    case "array":
      return wrongList(spec, value);
    case "object":
      return isObject(value) ? "" : "This must be an object: { … }.";
    case "variant":
      return ""; // visit checks the alternative
    case "raw":
      return spec.types.length === 0 || spec.types.some((type) => isOf(type, value))
        ? ""
        : `This must be: ${spec.types.join(" or ")}.`;
  }
}

const short = (value: unknown): string => {
  const text = print(value, 0);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
};

function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
  }
  return true; // not a type of JSON Schema
}

function wrongText(spec: Spec, value: string): string {
  const length = [...value].length;
  if (spec.minLength !== undefined && length < spec.minLength) return `Use at least ${spec.minLength} characters.`;
  if (spec.maxLength !== undefined && length > spec.maxLength) return `Use at most ${spec.maxLength} characters.`;
  if (spec.pattern !== undefined && !matches(spec.pattern, value)) return `This must match ${spec.pattern}`;
  switch (spec.format) {
    case "email":
      return /^[^\s@]+@[^\s@]+$/.test(value) ? "" : "This must be an e-mail address.";
    case "uri":
    case "url":
      return /^[a-z][a-z\d+.-]*:\S+$/i.test(value) ? "" : "This must be an address with its scheme, such as https://….";
    case "date":
      return DATE.test(value) && isDay(value) ? "" : "This must be a date: YYYY-MM-DD.";
    case "date-time":
      return DATE_TIME.test(value) && isDay(value.slice(0, 10)) && !Number.isNaN(Date.parse(value))
        ? ""
        : "This must be a date and time with its zone, such as 2026-01-31T18:00:00Z.";
  }
  return "";
}

/** isDay rejects days that Date.parse shifts, such as 31 February to 3 March. */
function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

const MAX_STEPS = 1e6;

/**
 * matches reports whether a value matches a regular expression of a server. It returns true without a test if matching
 * might take exponential time or JavaScript does not support the expression; the server then checks the value.
 */
export function matches(pattern: string, value: string): boolean {
  if (pattern.length > 500) return true;
  const bare = pattern.replace(/\\./g, "x").replace(/\[[^\]]*\]/g, "x");
  const repeatedGroup = /\)\s*(?:[*+]|\{\d)/.test(bare);
  const unbounded = bare.match(/[*+]|\{\d*(?:,\d*)?\}/g)?.length ?? 0;
  if (/\\[1-9k]/.test(pattern)) return true;
  if (repeatedGroup && value.length > 12) return true;
  if (value.length ** unbounded > MAX_STEPS) return true;
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true; // not a valid pattern in JavaScript
  }
}

function wrongNumber(spec: Spec, value: unknown): string {
  if (typeof value !== "number" || !Number.isFinite(value)) return "This must be a number.";
  if (spec.kind === "integer" && !Number.isInteger(value)) return "This must be a whole number.";
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return "This number is too large to be sent exactly.";
  if (spec.minimum !== undefined && value < spec.minimum) return `This must be at least ${spec.minimum}.`;
  if (spec.maximum !== undefined && value > spec.maximum) return `This must be at most ${spec.maximum}.`;
  if (spec.above !== undefined && value <= spec.above) return `This must be more than ${spec.above}.`;
  if (spec.below !== undefined && value >= spec.below) return `This must be less than ${spec.below}.`;
  const step = spec.multipleOf;
  if (step !== undefined && step > 0 && Math.abs(value / step - Math.round(value / step)) > 1e-9)
    return `This must be a multiple of ${step}.`;
  return "";
}

const MAX_COMPARED = 500;

function wrongList(spec: Spec, value: unknown): string {
  if (!Array.isArray(value)) return "This must be a list: [ … ].";
  if (spec.minItems !== undefined && value.length < spec.minItems) return `Add at least ${spec.minItems} values.`;
  if (spec.maxItems !== undefined && value.length > spec.maxItems) return `Use at most ${spec.maxItems} values.`;
  if (spec.unique && value.length <= MAX_COMPARED) {
    const twice = value.some((one, i) => value.slice(0, i).some((other) => same(one, other)));
    if (twice) return "This value appears twice.";
  }
  return "";
}
