// Functions on JSON values. None changes its arguments, and a member named __proto__ gets no special treatment.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Text that is not valid JSON. It takes the place of a value until the user corrects it, and is never sent. */
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

/** own returns an object's own member, never an inherited one. */
export function own(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined;
}

/** withMember returns a copy of the object with a member set, or removed if the value is undefined. */
export function withMember(object: unknown, key: string, value: unknown): Record<string, unknown> {
  const entries = isObject(object) ? Object.entries(object) : [];
  const at = entries.findIndex(([name]) => name === key);
  if (value === undefined) return Object.fromEntries(entries.filter(([name]) => name !== key));
  if (at < 0) entries.push([key, value]);
  else entries[at] = [key, value];
  return Object.fromEntries(entries);
}

/** same reports whether two JSON values are equal, regardless of the order of members. */
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

/** print returns a value as indented JSON, or otherwise if the value is nested too deep for JSON.stringify. */
export function print(value: unknown, step = 2, otherwise = "(nested too deep to show)"): string {
  try {
    return JSON.stringify(value, null, step) ?? "";
  } catch {
    return otherwise;
  }
}

export type Parsed = { ok: true; value: Json } | { ok: false; problem: string; line: number; column: number };

/** parse parses JSON. On failure it returns the line and column of the first syntax error. */
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

/** firstFault finds the first syntax error in JSON text. The messages of JSON.parse differ between browsers. */
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
    const fault = (problem: string) => ({ at, problem: sign === undefined ? "unexpected end of text" : problem });
    if (want === "after") {
      const inside = open.at(-1);
      if (!inside) return sign === undefined ? fault("") : fault("unexpected text after the value");
      if (sign === ",") {
        at++;
        want = inside === "{" ? "name" : "value";
      } else if (sign === (inside === "{" ? "}" : "]")) {
        at++;
        open.pop();
      } else return fault(`expected a comma or ${inside === "{" ? "}" : "]"}`);
    } else if (want === "name" || want === "name or end") {
      if (want === "name or end" && sign === "}") {
        at++;
        open.pop();
        want = "after";
        continue;
      }
      if (!take(STRING)) return fault("expected a name in double quotes");
      take(SPACE);
      if (text[at] !== ":") return { at, problem: "expected a colon" };
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
    else return fault(sign === '"' ? "unterminated string or invalid escape" : "expected a value");
  }
}
