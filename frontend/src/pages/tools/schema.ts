// Conversion of a JSON Schema to a table of properties. Schemas come from servers and may be hostile: unknown keywords
// are ignored, and depth and number of properties are limited.

/** A row of the table: a property of a schema. */
export interface Property {
  /** The path of the property, which is the key of the row. */
  path: string;
  /** The nesting depth: 0 for the tool's own properties. */
  depth: number;
  name: string;
  /** The type as text: "string", "array of integer", "string or null". */
  type: string;
  required: boolean;
  about: string;
  /** The default value as JSON, if any. */
  preset: string | undefined;
  /** The allowed values as JSON. */
  values: string[];
  /** The limits and format as text, such as "at least 3 characters". */
  limits: string[];
}

const DEEPEST = 8;
const MOST = 500; // properties
const VALUES = 100;
const LONG = 200; // characters of a value

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** memberOf returns an object's own member, never an inherited one: a property may be named __proto__. */
export const memberOf = (object: unknown, key: string): unknown =>
  isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** print formats a value as JSON. */
export function print(value: unknown, step?: number): string {
  try {
    return JSON.stringify(value, null, step) ?? "";
  } catch {
    return "(nested too deep to show)";
  }
}

const short = (value: unknown): string => {
  const whole = print(value);
  return whole.length > LONG ? `${whole.slice(0, LONG)}…` : whole;
};

/** propertiesOf returns the properties of a schema. Each is followed by its nested properties. */
export function propertiesOf(schema: unknown): Property[] {
  const out: Property[] = [];
  walk(resolved(schema, schema), { root: schema, path: "", depth: 0 }, out);
  return out;
}

interface Place {
  root: unknown;
  path: string;
  depth: number;
}

function walk(schema: unknown, place: Place, out: Property[]): void {
  if (place.depth > DEEPEST) return;
  const required = memberOf(schema, "required");
  for (const [name, given] of members(schema, place.root)) {
    if (out.length >= MOST) return;
    const path = `${place.path}/${name}`;
    const inner = resolved(given, place.root);
    out.push(describe(name, inner, { ...place, path }, Array.isArray(required) && required.includes(name)));
    descend(inner, { ...place, path, depth: place.depth + 1 }, out);
  }
}

/** members returns the properties of an object, including those of its allOf parts. */
function members(schema: unknown, root: unknown): [string, unknown][] {
  const inside = memberOf(schema, "properties");
  const found = isObject(inside) ? Object.entries(inside) : [];
  const parts = memberOf(schema, "allOf");
  if (!Array.isArray(parts)) return found;
  return [...found, ...parts.slice(0, 20).flatMap((part) => members(withoutParts(resolved(part, root)), root))];
}

const withoutParts = (schema: unknown): unknown => (isObject(schema) ? { ...schema, allOf: undefined } : schema);

/** descend adds the nested properties of a property: those of its members, items and variants. */
function descend(schema: unknown, place: Place, out: Property[]): void {
  walk(schema, place, out);
  const items = memberOf(schema, "items");
  if (isObject(items)) descend(resolved(items, place.root), { ...place, path: `${place.path}[]` }, out);
  const more = memberOf(schema, "additionalProperties");
  if (isObject(more)) descend(resolved(more, place.root), { ...place, path: `${place.path}{}` }, out);
  variants(schema).forEach((variant, i) =>
    walk(resolved(variant, place.root), { ...place, path: `${place.path}|${i}` }, out),
  );
}

function variants(schema: unknown): unknown[] {
  const found = memberOf(schema, "anyOf") ?? memberOf(schema, "oneOf");
  return Array.isArray(found) ? found.slice(0, 20) : [];
}

/** resolved follows a $ref within the schema. References to other documents are not fetched. */
function resolved(schema: unknown, root: unknown): unknown {
  let at = schema;
  for (let hops = 0; hops < 16; hops++) {
    const ref = memberOf(at, "$ref");
    if (typeof ref !== "string" || !ref.startsWith("#")) return at;
    const target = pointed(root, ref);
    if (!isObject(target)) return at;
    at = { ...target, ...(at as Fields), $ref: memberOf(target, "$ref") };
  }
  return at;
}

function pointed(root: unknown, ref: string): unknown {
  let at = root;
  for (const part of ref.slice(1).split("/").slice(1)) {
    at = memberOf(at, part.replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  return at;
}

function describe(name: string, schema: unknown, { path, depth, root }: Place, required: boolean): Property {
  const values = memberOf(schema, "enum");
  const preset = memberOf(schema, "default");
  return {
    path,
    depth,
    name,
    type: typeOf(schema, root),
    required,
    about: text(memberOf(schema, "description")) || text(memberOf(schema, "title")),
    preset: preset === undefined ? undefined : short(preset),
    values: Array.isArray(values) ? values.slice(0, VALUES).map(short) : [],
    limits: limitsOf(schema),
  };
}

function typeOf(schema: unknown, root: unknown, depth = 0): string {
  if (schema === true || schema === undefined || depth > 3) return "any";
  const given = memberOf(schema, "type");
  const types = (Array.isArray(given) ? given : [given]).filter((type): type is string => typeof type === "string");
  if (types.includes("array")) {
    const items = memberOf(schema, "items");
    const of = items === undefined ? "any" : typeOf(resolved(items, root), root, depth + 1);
    return types.map((type) => (type === "array" ? `array of ${of}` : type)).join(" or ");
  }
  if (types.length) return types.slice(0, 8).join(" or ");
  const kinds = variants(schema).map((variant) => typeOf(resolved(variant, root), root, depth + 1));
  if (kinds.length) return [...new Set(kinds)].join(" or ");
  const fixed = memberOf(schema, "const");
  if (fixed !== undefined) return `always ${short(fixed)}`;
  const values = memberOf(schema, "enum");
  if (Array.isArray(values)) return [...new Set(values.slice(0, VALUES).map((value) => typeof value))].join(" or ");
  return memberOf(schema, "properties") === undefined ? "any" : "object";
}

const many = (value: string, one: string): string => `${value} ${value === "1" ? one : `${one}s`}`;

const limits: [string, (value: string) => string][] = [
  ["format", (value) => value],
  ["minimum", (value) => `≥ ${value}`],
  ["maximum", (value) => `≤ ${value}`],
  ["exclusiveMinimum", (value) => `> ${value}`],
  ["exclusiveMaximum", (value) => `< ${value}`],
  ["multipleOf", (value) => `multiple of ${value}`],
  ["minLength", (value) => `at least ${many(value, "character")}`],
  ["maxLength", (value) => `at most ${many(value, "character")}`],
  ["pattern", (value) => `matches ${value}`],
  ["minItems", (value) => `at least ${many(value, "item")}`],
  ["maxItems", (value) => `at most ${many(value, "item")}`],
];

function limitsOf(schema: unknown): string[] {
  const out = limits.flatMap(([name, words]) => {
    const value = memberOf(schema, name);
    return typeof value === "string" || typeof value === "number" ? [words(String(value).slice(0, LONG))] : [];
  });
  if (memberOf(schema, "uniqueItems") === true) out.push("unique items");
  return out;
}
