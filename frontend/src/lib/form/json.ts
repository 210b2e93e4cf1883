// Values as JSON has them, changed by making new ones. A name such as __proto__ is a name like any other here.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Text that was to be JSON and is not yet. It stands in a value where it was written, and keeps that from being sent. */
export class Unparsed {
  constructor(
    readonly text: string,
    readonly problem: string,
  ) {}

  toJSON(): string {
    return this.text;
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Unparsed);

/** own reads a member that an object itself has. */
export function own(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined;
}

/** withMember returns the object with a member changed, or without it when the value is undefined. */
export function withMember(object: unknown, key: string, value: unknown): Record<string, unknown> {
  const entries = isObject(object) ? Object.entries(object) : [];
  const at = entries.findIndex(([name]) => name === key);
  if (value === undefined) return Object.fromEntries(entries.filter(([name]) => name !== key));
  if (at < 0) entries.push([key, value]);
  else entries[at] = [key, value];
  return Object.fromEntries(entries);
}

/** same tells whether two values are the same JSON, the order of members aside. */
export function same(a: unknown, b: unknown, depth = 0): boolean {
  if (a === b) return true;
  if (depth > 200) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((v, i) => same(v, b[i], depth + 1));
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && same(a[name], b[name], depth + 1))
  );
}

/** print sets a value in two-space steps; for what nests deeper than JavaScript can go another text is returned. */
export function print(value: unknown, step = 2, otherwise = "(nested too deep to be shown)"): string {
  try {
    return JSON.stringify(value, null, step) ?? "";
  } catch {
    return otherwise;
  }
}

export type Parsed = { ok: true; value: Json } | { ok: false; problem: string; line: number; column: number };

/** parse reads JSON, or says in which line it stops being JSON. */
export function parse(text: string): Parsed {
  try {
    return { ok: true, value: JSON.parse(text) as Json };
  } catch {
    const { at, problem } = firstFault(text);
    const before = text.slice(0, at).split("\n");
    const [line, column] = [before.length, (before.at(-1)?.length ?? 0) + 1];
    return { ok: false, line, column, problem: `Line ${line}, column ${column}: ${problem}` };
  }
}

const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const SPACE = /[ \t\r\n]*/y;

/** firstFault finds where a text stops being JSON: browsers do not agree on how to say it. */
function firstFault(text: string): { at: number; problem: string } {
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return Boolean(found);
  };
  const open: ("{" | "[")[] = [];
  let want: "value" | "value or end" | "name" | "name or end" | "after" = "value";
  for (;;) {
    take(SPACE);
    const sign = text[at];
    const fault = (problem: string) => ({ at, problem: sign === undefined ? "the text ends too early" : problem });
    if (want === "after") {
      const inside = open.at(-1);
      if (!inside) return sign === undefined ? fault("") : fault("nothing may follow the value");
      if (sign === ",") {
        at++;
        want = inside === "{" ? "name" : "value";
      } else if (sign === (inside === "{" ? "}" : "]")) {
        at++;
        open.pop();
      } else return fault(`a comma or ${inside === "{" ? "}" : "]"} is expected`);
    } else if (want === "name" || want === "name or end") {
      if (want === "name or end" && sign === "}") {
        at++;
        open.pop();
        want = "after";
        continue;
      }
      if (!take(STRING)) return fault("a name in double quotes is expected");
      take(SPACE);
      if (text[at] !== ":") return { at, problem: "a colon is expected" };
      at++;
      want = "value";
    } else if (want === "value or end" && sign === "]") {
      at++;
      open.pop();
      want = "after";
    } else if (sign === "{" || sign === "[") {
      at++;
      open.push(sign);
      want = sign === "{" ? "name or end" : "value or end";
    } else if (take(STRING) || take(LITERAL)) want = "after";
    else return fault(sign === '"' ? "this text in quotes is not closed or not escaped well" : "a value is expected");
  }
}
