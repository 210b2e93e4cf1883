// Conversion of JSON Schema to form fields. Schemas come from servers and may be hostile: an unknown, recursive or too
// deeply nested schema becomes a field for raw JSON, and a member's schema is read only when its field is shown.

import { isObject, own, print, same, type Json } from "./json.ts";

export type Kind =
  "string" | "number" | "integer" | "boolean" | "enum" | "choices" | "array" | "object" | "variant" | "raw";

export interface Option {
  value: Json;
  label: string;
}

export interface Field {
  key: string;
  required: boolean;
  /** Returns the specification of the member, which is computed on the first call. */
  spec: () => Spec;
}

/** The specification of a form value, read from its schema. */
export interface Spec {
  kind: Kind;
  title?: string;
  hint?: string;
  default?: unknown;
  /** Whether null is valid, too. */
  nullable: boolean;
  /** For raw: what in the schema prevents a form, such as "too many $refs". */
  why?: string;
  /** For enum and choices: the allowed values. */
  options: Option[];
  /** For string: date-time, date, email, uri, or another format of the schema. */
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  above?: number;
  below?: number;
  multipleOf?: number;
  minItems?: number;
  maxItems?: number;
  unique: boolean;
  /** For array: the specification of its items. */
  item?: () => Spec;
  /** For object: its members, in the order of the schema. */
  fields: Field[];
  /** For variant: the alternatives. */
  variants: (() => Spec)[];
  /** For raw: the JSON types that are valid; empty for any. */
  types: string[];
}

interface Place {
  root: unknown;
  depth: number;
  /** The references followed so far, to detect recursion. */
  refs: readonly string[];
}

const MAX_DEPTH = 12;
const MAX_VARIANTS = 30;
const MAX_REFS = 32;
const MAX_PARTS = 20;
const MAX_OPTIONS = 20_000;

/** specOf converts a schema. It never throws. */
export const specOf = (schema: unknown): Spec => read(schema, { root: schema, depth: 0, refs: [] });

const blank = (kind: Kind): Spec => ({
  kind,
  nullable: false,
  options: [],
  unique: false,
  fields: [],
  variants: [],
  types: [],
});

const raw = (why: string, from: Spec): Spec => ({ ...from, kind: "raw", why });

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function figure(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function read(schema: unknown, place: Place): Spec {
  if (schema === true || schema === undefined) return raw("any value", blank("raw"));
  if (!isObject(schema)) return raw("an invalid schema", blank("raw"));
  if (place.depth > MAX_DEPTH) return raw("too many levels of nesting", described(schema));
  const ref = own(schema, "$ref");
  if (ref !== undefined) return follow(schema, ref, place);
  if (own(schema, "allOf") !== undefined) {
    const whole = merged(schema, place);
    return whole ? read(whole, place) : raw("allOf with parts that conflict", described(schema));
  }
  return chosen(schema, place) ?? plain(schema, place);
}

/** described reads the keywords that apply to every kind: title, description, default, limits and types. */
function described(schema: object): Spec {
  const spec = blank("raw");
  spec.title = text(own(schema, "title"));
  spec.hint = text(own(schema, "description"));
  spec.default = own(schema, "default");
  spec.format = text(own(schema, "format"));
  spec.pattern = text(own(schema, "pattern"));
  for (const [to, from] of [
    ["minLength", "minLength"],
    ["maxLength", "maxLength"],
    ["minimum", "minimum"],
    ["maximum", "maximum"],
    ["above", "exclusiveMinimum"],
    ["below", "exclusiveMaximum"],
    ["multipleOf", "multipleOf"],
    ["minItems", "minItems"],
    ["maxItems", "maxItems"],
  ] as const)
    spec[to] = figure(own(schema, from));
  spec.unique = own(schema, "uniqueItems") === true;
  const types = typesOf(schema);
  spec.nullable = types.includes("null") || own(schema, "nullable") === true;
  spec.types = types;
  return spec;
}

function typesOf(schema: object): string[] {
  const type = own(schema, "type");
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type.filter((one): one is string => typeof one === "string").slice(0, 8) : [];
}

function follow(schema: object, ref: unknown, place: Place): Spec {
  const from = described(schema);
  if (typeof ref !== "string") return raw("an invalid $ref", from);
  if (place.refs.includes(ref)) return raw("a recursive schema", from);
  if (place.refs.length >= MAX_REFS) return raw("too many $refs", from);
  const found = resolve(place.root, ref);
  if (found === undefined) return raw(`the unknown $ref ${ref.slice(0, 120)}`, from);
  const spec = read(found, { ...place, refs: [...place.refs, ref] });
  return {
    ...spec,
    title: from.title ?? spec.title,
    hint: from.hint ?? spec.hint,
    default: from.default ?? spec.default,
  };
}

/** resolve follows a $ref within the schema. References to other documents are not fetched. */
function resolve(root: unknown, ref: string): unknown {
  if (!ref.startsWith("#") || ref.length > 1_000) return undefined;
  let at: unknown = root;
  for (const part of ref.slice(1).split("/").slice(1)) {
    let key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    try {
      key = decodeURIComponent(key);
    } catch {
      // Take an invalid percent-encoding literally.
    }
    if (typeof at !== "object" || at === null) return undefined;
    at = own(at, key);
  }
  return ref === "#" || ref.startsWith("#/") ? at : undefined;
}

/** merged combines the parts of allOf into one schema; undefined if the parts contradict each other. */
function merged(schema: object, place: Place): object | undefined {
  const parts = own(schema, "allOf");
  if (!Array.isArray(parts) || parts.length > MAX_PARTS) return undefined;
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => key !== "allOf"));
  const properties = new Map<string, unknown>();
  const required = new Set<unknown>();
  const whole = new Map<string, unknown>();
  for (const part of [...parts, rest]) {
    const ref = isObject(part) ? own(part, "$ref") : undefined;
    const at = typeof ref === "string" ? resolve(place.root, ref) : part;
    if (!isObject(at) || own(at, "$ref") !== undefined || own(at, "allOf") !== undefined) return undefined;
    for (const [key, value] of Object.entries(at)) {
      if (key === "properties" && isObject(value)) {
        for (const [name, own] of Object.entries(value)) {
          if (properties.has(name) && !same(properties.get(name), own)) return undefined;
          properties.set(name, own);
        }
      } else if (key === "required" && Array.isArray(value)) value.forEach((name) => required.add(name));
      else if (["type", "anyOf", "oneOf", "enum"].includes(key) && whole.has(key) && !same(whole.get(key), value))
        return undefined;
      else whole.set(key, value);
    }
  }
  if (properties.size) whole.set("properties", Object.fromEntries(properties));
  if (required.size) whole.set("required", [...required]);
  return Object.fromEntries(whole);
}

/** chosen converts enum, const, anyOf and oneOf; undefined if the schema has none of them. */
function chosen(schema: object, place: Place): Spec | undefined {
  const from = described(schema);
  const options = optionsOf(schema);
  if (options) {
    const nullable = from.nullable || options.some((option) => option.value === null);
    return { ...from, kind: "enum", nullable, options: options.filter((option) => option.value !== null) };
  }
  for (const word of ["anyOf", "oneOf"] as const) {
    const parts = own(schema, word);
    if (parts === undefined) continue;
    if (!Array.isArray(parts)) return raw(`an invalid ${word}`, from);
    const real = parts.filter((part) => !isNull(part));
    if (real.length === 1 && real.length < parts.length) {
      const inner = read(real[0], deeper(place));
      return {
        ...inner,
        nullable: true,
        title: from.title ?? inner.title,
        hint: from.hint ?? inner.hint,
        default: from.default !== undefined ? from.default : inner.default,
      };
    }
    return alternatives(schema, word, real, from, place);
  }
  return undefined;
}

/**
 * alternatives converts anyOf or oneOf. Each part is merged with the rest of the schema, because a part may only say
 * which members of an object are required.
 */
function alternatives(schema: object, word: "anyOf" | "oneOf", parts: unknown[], from: Spec, place: Place): Spec {
  if (!parts.length || parts.length > MAX_VARIANTS) return raw(`${word} with ${parts.length} alternatives`, from);
  const shared = new Set(["title", "description", "default", "nullable", "$schema", "$defs", "definitions", word]);
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => !shared.has(key)));
  const whole = parts.map((part) =>
    Object.keys(rest).length && isObject(part) ? merged({ ...rest, allOf: [part] }, place) : part,
  );
  if (whole.some((part) => !isObject(part))) return raw(`${word} with parts that conflict`, from);
  const nullable = from.nullable || parts.length < (own(schema, word) as unknown[]).length;
  return { ...from, kind: "variant", nullable, variants: whole.map((part) => once(() => read(part, deeper(place)))) };
}

const isNull = (part: unknown): boolean =>
  isObject(part) && (own(part, "type") === "null" || own(part, "const") === null);

/** optionsOf reads enum (with enumNames), const, and oneOf or anyOf of constants with titles. */
function optionsOf(schema: object): Option[] | undefined {
  const values = own(schema, "enum");
  if (Array.isArray(values)) {
    const names = own(schema, "enumNames");
    return values
      .slice(0, MAX_OPTIONS)
      .map((value: Json, i) => option(value, Array.isArray(names) ? names[i] : undefined));
  }
  if (own(schema, "const") !== undefined) return [option(own(schema, "const") as Json, own(schema, "title"))];
  for (const word of ["oneOf", "anyOf"]) {
    const parts = own(schema, word);
    if (
      Array.isArray(parts) &&
      parts.length &&
      parts.every((part) => isObject(part) && own(part, "const") !== undefined)
    )
      return parts.slice(0, MAX_OPTIONS).map((part) => option(own(part, "const") as Json, own(part, "title")));
  }
  return undefined;
}

function option(value: Json, name: unknown): Option {
  return { value, label: text(name) ?? (typeof value === "string" ? value : print(value, 0)) };
}

function plain(schema: object, place: Place): Spec {
  const from = described(schema);
  const types = from.types.filter((type) => type !== "null");
  if (types.length > 1) {
    // The title and the description are shown above the picker.
    const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => !["title", "description"].includes(key)));
    const variants = types.map((type) => once(() => plain({ ...rest, type }, deeper(place))));
    return { ...from, kind: "variant", variants };
  }
  const type = types[0] ?? guessed(schema);
  switch (type) {
    case "string":
    case "number":
    case "integer":
    case "boolean":
      return { ...from, kind: type };
    case "array":
      return list(schema, from, place);
    case "object":
      return fields(schema, from, place);
  }
  return raw(types.length ? `the type ${String(type).slice(0, 60)}` : "any value", from);
}

function guessed(schema: object): string | undefined {
  if (own(schema, "properties") !== undefined) return "object";
  return own(schema, "items") !== undefined ? "array" : undefined;
}

function list(schema: object, from: Spec, place: Place): Spec {
  const items = own(schema, "items");
  if (own(schema, "prefixItems") !== undefined || Array.isArray(items))
    return raw("a list with a schema for each position", from);
  if (items === undefined || items === true) return raw("a list of any values", from);
  if (isObject(items)) {
    const options = optionsOf(items);
    if (options && options.length <= 100) return { ...from, kind: "choices", options };
  }
  return { ...from, kind: "array", item: once(() => read(items, deeper(place))) };
}

const deeper = (place: Place): Place => ({ ...place, depth: place.depth + 1 });

function fields(schema: object, from: Spec, place: Place): Spec {
  const properties = own(schema, "properties") ?? {};
  if (!isObject(properties)) return raw("invalid properties", from);
  const names = Object.keys(properties);
  const patterns = own(schema, "patternProperties");
  if (patterns !== undefined) return raw("patternProperties", from);
  const more = own(schema, "additionalProperties");
  if (names.length === 0 && place.depth > 0 && more !== false) return raw("an object with any names", from);
  if (names.length === 0 && isObject(more)) return raw("an object with any names", from);
  const required = new Set(Array.isArray(own(schema, "required")) ? (own(schema, "required") as unknown[]) : []);
  const all = names.map((key) => ({
    key,
    required: required.has(key),
    spec: once(() => read(own(properties, key), deeper(place))),
  }));
  return { ...from, kind: "object", fields: all };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
