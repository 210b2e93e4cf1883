// A parser for inline Markdown: emphasis, code and links. It takes linear time even for hostile text.

import { address, decoded, labelOf, piece, type Definitions, type Part, type Piece, type Resolve } from "./piece.ts";

/** The deepest nesting of emphasis and brackets that is parsed; deeper marks are shown as written. */
const DEEPEST = 16;

interface Mark {
  sign: string;
  count: number;
  opens: boolean;
  closes: boolean;
}
interface Bracket {
  /** The index of the bracket among the parts. */
  at: number;
  /** The index of the bracket in the text. */
  from: number;
  image: boolean;
}
type Found = Part | Mark;
const isMark = (part: Found | undefined): part is Mark => typeof part === "object" && "sign" in part;

const word = /[\p{L}\p{N}]+/uy;
const bare = /(?:https?:\/\/|www\.)[^\s<]{1,2000}/iy;
const mail = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/y;
const angle = /<(?:([a-z][a-z\d+.-]{1,31}:[^\s<>]*)|([\w.+-]{1,64}@[\w.-]{1,255}))>/iy;
const newline = /<br {0,9}\/?>/iy;
const target =
  /\([ \n]{0,9}(?:<([^<>\n]*)>|([^\s()<]*(?:\([^\s()]*\)[^\s()]*){0,9}))(?:[ \n]{1,9}(?:"([^"]*)"|'([^']*)'|\(([^()]*)\)))?[ \n]{0,9}\)/y;
const label = /\[([^[\]]{0,999})\]/y;

const punctuation = /[\p{P}\p{S}]/u;
const blank = (sign: string) => sign === "" || /\s/.test(sign);

/** inline parses the inline Markdown of a block. */
export function inline(text: string, definitions: Definitions, resolve: Resolve = address): Part[] {
  return new Reader(text, definitions, resolve).read();
}

class Reader {
  #parts: Found[] = [];
  #brackets: Bracket[] = [];
  #plain = "";
  #at = 0;

  readonly text: string;
  readonly definitions: Definitions;
  readonly resolve: Resolve;

  constructor(text: string, definitions: Definitions, resolve: Resolve) {
    this.text = text;
    this.definitions = definitions;
    this.resolve = resolve;
  }

  read(): Part[] {
    while (this.#at < this.text.length) this.#step();
    this.#flush();
    return emphasized(this.#parts);
  }

  /** #match matches a sticky regular expression at a position, by default the current one. */
  #match(pattern: RegExp, at = this.#at): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(this.text);
  }

  #flush(): void {
    if (this.#plain) this.#parts.push(decoded(this.#plain));
    this.#plain = "";
  }

  #add(part: Found, length: number): void {
    this.#flush();
    this.#parts.push(part);
    this.#at += length;
  }

  #take(length: number): void {
    this.#plain += this.text.slice(this.#at, this.#at + length);
    this.#at += length;
  }

  #step(): void {
    const sign = this.text[this.#at] ?? "";
    if (sign === "\\") this.#escape();
    else if (sign === "`") this.#code();
    else if (sign === "<") this.#angle();
    else if (sign === "[" || (sign === "!" && this.text[this.#at + 1] === "[")) this.#open(sign === "!");
    else if (sign === "]") this.#close();
    else if (sign === "*" || sign === "_" || sign === "~") this.#mark(sign);
    else if (sign === "\n") this.#newline();
    else this.#words();
  }

  #escape(): void {
    const next = this.text[this.#at + 1] ?? "";
    if (next === "\n") this.#add(piece("br"), 2);
    else if (/[!-/:-@[-`{-~]/.test(next)) this.#add(next, 2);
    else this.#take(1);
  }

  #code(): void {
    const length = this.#run("`");
    const from = this.#at + length;
    for (let end = this.text.indexOf("`", from); end >= 0;) {
      const closing = runOf(this.text, end);
      if (closing === length) {
        const code = this.text.slice(from, end).replaceAll("\n", " ");
        const padded = /^ .*[^ ].* $/.test(code) ? code.slice(1, -1) : code;
        return this.#add(piece("code", [padded]), end + length - this.#at);
      }
      end = this.text.indexOf("`", end + closing);
    }
    this.#take(length);
  }

  #run(sign: string): number {
    return this.text[this.#at] === sign ? runOf(this.text, this.#at) : 0;
  }

  #angle(): void {
    const broken = this.#match(newline);
    if (broken) return this.#add(piece("br"), broken[0].length);
    const found = this.#match(angle);
    const to = found?.[1] ?? found?.[2] ?? "";
    const href = found && address(found[2] ? `mailto:${to}` : to);
    if (href) this.#add({ ...piece("a", [to]), href }, found[0].length);
    else this.#take(1);
  }

  #open(image: boolean): void {
    this.#flush();
    const length = image ? 2 : 1;
    if (this.#brackets.length === DEEPEST) this.#brackets.shift();
    this.#brackets.push({ at: this.#parts.length, from: this.#at + length, image });
    this.#add(image ? "![" : "[", length);
  }

  /** #close handles a "]", which may complete a link or an image. */
  #close(): void {
    const bracket = this.#brackets.pop();
    const to = bracket && this.#target(bracket);
    if (!to) return this.#take(1);
    this.#flush();
    const within = emphasized(this.#parts.splice(bracket.at).slice(1));
    if (bracket.image) this.#parts = this.#parts.concat(within);
    else {
      this.#parts.push({ tag: "a", within: unlinked(within), href: to.href, title: to.title });
      this.#brackets = []; // links do not nest
    }
    this.#at += to.length;
  }

  /** #target parses the target of a link: (address), [label], [] or nothing. */
  #target({ from, image }: Bracket): { href: string; title?: string; length: number } | undefined {
    const direct = this.#match(target, this.#at + 1);
    if (direct) {
      const to = decoded(direct[1] ?? direct[2] ?? "");
      const href = image ? to : this.resolve(to);
      const title = direct[3] ?? direct[4] ?? direct[5];
      return href === undefined ? undefined : { href, title, length: 1 + direct[0].length };
    }
    const named = this.#match(label, this.#at + 1);
    const own = this.text.slice(from, Math.min(this.#at, from + 999));
    const known = this.definitions.get(labelOf(named?.[1] || own));
    if (!known) return undefined;
    if (!known.title) known.shown.within = [];
    return { href: known.href, length: 1 + (named?.[0].length ?? 0) };
  }

  #mark(sign: string): void {
    const count = this.#run(sign);
    const before = this.text[this.#at - 1] ?? "";
    const after = this.text[this.#at + count] ?? "";
    const left = !blank(after) && (!punctuation.test(after) || blank(before) || punctuation.test(before));
    const right = !blank(before) && (!punctuation.test(before) || blank(after) || punctuation.test(after));
    const inside = sign === "_" && left && right; // in_a_word
    if (count > (sign === "~" ? 2 : 3)) return this.#take(count);
    this.#add(
      {
        sign,
        count,
        opens: left && (!inside || punctuation.test(before)),
        closes: right && (!inside || punctuation.test(after)),
      },
      count,
    );
  }

  #newline(): void {
    const hard = this.#plain.endsWith("  ");
    this.#plain = this.#plain.trimEnd();
    if (hard) this.#add(piece("br"), 1);
    else this.#take(1);
  }

  /** #words consumes plain words, bare URLs and bare e-mail addresses. */
  #words(): void {
    const before = this.text[this.#at - 1] ?? "";
    const found = this.#match(word);
    if (!found) return this.#take(1);
    if (!/[\w.+@/-]/.test(before) || before === "_") {
      const raw = this.#match(bare)?.[0];
      const link = raw && trimmed(raw);
      const href = link && address(/^www/i.test(link) ? `https://${link}` : link);
      if (href) return this.#add({ ...piece("a", [link]), href }, link.length);
      const person = this.#match(mail)?.[0];
      if (person) return this.#add({ ...piece("a", [person]), href: `mailto:${person}` }, person.length);
    }
    this.#take(found[0].length);
  }
}

function runOf(text: string, at: number): number {
  let end = at;
  while (text[end] === text[at]) end++;
  return end - at;
}

/** trimmed removes punctuation from the end of a bare URL, because it belongs to the sentence around the URL. */
function trimmed(link: string): string {
  let end = link.length;
  let open = 0;
  for (const sign of link) open += sign === "(" ? 1 : sign === ")" ? -1 : 0;
  for (; end > 0; end--) {
    const last = link[end - 1] ?? "";
    if (last === ")" && open < 0) open++;
    else if (!"?!.,:;*_~'\"".includes(last)) break;
  }
  return link.slice(0, end);
}

/** unlinked replaces links inside a link by their text, because links do not nest. */
const unlinked = (parts: Part[]): Part[] =>
  parts.flatMap((part) => (typeof part === "string" ? part : part.tag === "a" ? part.within : nested(part)));
const nested = (part: Piece): Piece => ({ ...part, within: unlinked(part.within) });

/** emphasized turns pairs of emphasis marks into elements and unpaired marks into text. */
function emphasized(found: Found[]): Part[] {
  const parts: Found[] = [];
  const open: number[] = [];
  const waiting: Record<string, number> = {};
  const drop = () => {
    const mark = parts[open.pop() ?? -1];
    if (isMark(mark)) waiting[mark.sign] = (waiting[mark.sign] ?? 0) - 1;
  };
  for (const part of found) {
    if (!isMark(part)) {
      parts.push(part);
      continue;
    }
    const mark = { ...part };
    while (mark.closes && mark.count > 0 && (waiting[mark.sign] ?? 0) > 0) {
      let at = open.at(-1) ?? 0;
      for (let opener = parts[at]; !isMark(opener) || opener.sign !== mark.sign; opener = parts[at]) {
        drop();
        at = open.at(-1) ?? 0;
      }
      const opener = parts[at] as Mark;
      const count = Math.min(2, mark.count, opener.count);
      const tag = mark.sign === "~" ? "del" : count === 2 ? "strong" : "em";
      const within = texts(parts.splice(at + 1));
      opener.count -= count;
      mark.count -= count;
      if (opener.count === 0) {
        drop();
        parts.pop();
      }
      parts.push(piece(tag, within));
    }
    if (mark.count === 0) continue;
    if (mark.opens && open.length < DEEPEST) {
      open.push(parts.length);
      waiting[mark.sign] = (waiting[mark.sign] ?? 0) + 1;
    }
    parts.push(mark);
  }
  return texts(parts);
}

/** texts turns unpaired emphasis marks into text. */
const texts = (parts: Found[]): Part[] => parts.map((part) => (isMark(part) ? part.sign.repeat(part.count) : part));
