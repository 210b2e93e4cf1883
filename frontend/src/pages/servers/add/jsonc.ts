// JSON as people paste it: with comments, trailing commas, a fence around it, or the outer braces missing.

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** What is wrong with a text, and where. */
export class JsonError extends Error {
  constructor(
    readonly reason: string,
    readonly line: number,
    readonly column: number,
  ) {
    super(`Line ${line}, column ${column}: ${reason}`);
  }
}

const DEEPEST = 100;
const escapes: Record<string, string> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\", "/": "/" };

/** parseJson reads a text. It throws a JsonError whose lines are those of the text that was given. */
export function parseJson(text: string): Json {
  return new Parser(text).whole();
}

class Parser {
  #at = 0;
  #text: string;

  constructor(text: string) {
    // Blanked out, not cut off: lines and columns stay what the person sees.
    this.#text = text.replace(/^\uFEFF/, " ").replace(/^\s*```\w*|```\s*$/g, (fence) => fence.replace(/\S/g, " "));
  }

  whole(): Json {
    this.#skip();
    if (this.#at === this.#text.length) this.#fail("there is nothing here yet");
    const value = this.#bare() ? this.#members("") : this.#value(0);
    this.#skip();
    if (this.#at < this.#text.length) this.#fail(`${this.#here()} comes after the end of the JSON`);
    return value;
  }

  /** Members without their braces: what is left when a part of a file was copied. */
  #bare(): boolean {
    return /^"(?:[^"\\\n]|\\.)*"\s*:/.test(this.#text.slice(this.#at, this.#at + 500));
  }

  #value(depth: number): Json {
    if (depth > DEEPEST) this.#fail("this is nested too deeply");
    this.#skip();
    const first = this.#text[this.#at];
    if (first === "{") {
      this.#at++;
      return this.#members("}", depth + 1);
    }
    if (first === "[") return this.#list(depth + 1);
    if (first === '"') return this.#string();
    return this.#word();
  }

  #members(end: string, depth = 0): Json {
    const opened = this.#at;
    const found: [string, Json][] = [];
    for (;;) {
      this.#skip();
      if (this.#ends(end, opened, "{")) break;
      if (this.#text[this.#at] !== '"') this.#fail(this.#noName());
      const name = this.#string();
      this.#skip();
      if (this.#text[this.#at] !== ":") this.#fail(`a colon is missing after "${shortened(name)}"`);
      this.#at++;
      found.push([name, this.#value(depth)]);
      if (!this.#comma(end, `a comma is missing after the value of "${shortened(name)}"`)) break;
    }
    return Object.fromEntries(found);
  }

  #list(depth: number): Json {
    const opened = ++this.#at;
    const found: Json[] = [];
    for (;;) {
      this.#skip();
      if (this.#ends("]", opened, "[")) break;
      found.push(this.#value(depth));
      if (!this.#comma("]", "a comma is missing between two items of a list")) break;
    }
    return found;
  }

  /** #ends steps over the end of an object or list, or says that there is none. */
  #ends(end: string, opened: number, by: string): boolean {
    if (this.#at >= this.#text.length) {
      if (end === "") return true;
      this.#at = opened - 1;
      this.#fail(`the "${by}" that begins here is never closed with "${end}"`);
    }
    if (this.#text[this.#at] !== end) return false;
    this.#at++;
    return true;
  }

  /** #comma steps over a comma; false after the end. */
  #comma(end: string, missing: string): boolean {
    this.#skip();
    const next = this.#text[this.#at];
    if (next === ",") {
      this.#at++;
      return true;
    }
    if (next === undefined) return true; // whoever goes on tells what is not closed
    if (/[}\]]/.test(next) && next !== end)
      this.#fail(`"${next}" closes nothing here${end && `; "${end}" is expected`}`);
    if (next !== end) this.#fail(missing);
    this.#at++;
    return false;
  }

  #string(): string {
    const opened = this.#at++;
    let out = "";
    for (;;) {
      const c = this.#text[this.#at];
      if (c === undefined || c === "\n") {
        this.#at = opened;
        this.#fail("a text begins here and its closing quote is missing");
      }
      this.#at++;
      if (c === '"') return out;
      out += c === "\\" ? this.#escape() : c;
    }
  }

  #escape(): string {
    const c = this.#text[this.#at++] ?? "";
    const known = escapes[c];
    if (known !== undefined) return known;
    const hex = c === "u" ? /^[0-9a-fA-F]{4}/.exec(this.#text.slice(this.#at, this.#at + 4)) : null;
    if (!hex) {
      this.#at -= 2;
      this.#fail(`a backslash stands alone; a path of Windows needs two: "C:\\\\folder"`);
    }
    this.#at += 4;
    return String.fromCharCode(parseInt(hex[0], 16));
  }

  #word(): Json {
    const word = /^[-+.\w]+/.exec(this.#text.slice(this.#at, this.#at + 400))?.[0] ?? "";
    const known: Record<string, Json> = { true: true, false: false, null: null };
    if (Object.hasOwn(known, word)) {
      this.#at += word.length;
      return known[word] ?? null;
    }
    if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(word)) {
      this.#at += word.length;
      return Number(word);
    }
    return this.#fail(
      word ? `"${shortened(word)}" must stand in double quotes` : `a value is expected, and ${this.#here()} is none`,
    );
  }

  /** #skip passes blanks and comments. */
  #skip(): void {
    const blank = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
    blank.lastIndex = this.#at;
    blank.test(this.#text);
    this.#at = blank.lastIndex;
    if (this.#text.startsWith("/*", this.#at)) this.#fail("a comment begins here and is never closed");
  }

  #noName(): string {
    if (/^['‘’]/.test(this.#text.slice(this.#at))) return "a name must stand in double quotes, not in single ones";
    return `a name in double quotes is expected, and ${this.#here()} is none`;
  }

  #here(): string {
    const c = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 32);
    if (/[“”„]/.test(c)) return `a curly quote (${c}), where JSON wants a straight one,`;
    return `"${shortened(c)}"`;
  }

  #fail(reason: string): never {
    const before = this.#text.slice(0, this.#at).split("\n");
    throw new JsonError(reason, before.length, (before.at(-1)?.length ?? 0) + 1);
  }
}

const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
