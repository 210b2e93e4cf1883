// A parser for untrusted Markdown with tables, task lists and bare URLs. HTML stays text.
//
// The `marked` library is not used for two reasons. Its lexer takes longer than 20 seconds for 10,000 nested emphases
// or table cells and overflows the stack for 10,000 nested quotes, and any MCP server may send such a text. It also
// adds 15 kB (gzipped) to the dashboard's scripts, whose limit is 250 kB (tests/bench.ts); this parser adds 4 kB.

import { inline } from "./inline.ts";
import { address, labelOf, piece, type Definitions, type Piece, type Resolve, type Tag } from "./piece.ts";

/** The deepest nesting of lists and quotes that is parsed. */
const DEEPEST = 12;
/** The number of characters that are parsed; the text after them is shown as written. */
const MOST = 100_000;

const rule = /^ {0,3}(?:(?:\*[ ]*){3,}|(?:-[ ]*){3,}|(?:_[ ]*){3,})$/;
const heading = /^ {0,3}(#{1,6})(?= |$)/;
const fence = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/;
const quote = /^ {0,3}> ?/;
const bullet = /^( {0,3})([-*+]|\d{1,9}[.)])( +|$)/;
const underline = /^ {0,3}(?:=+|-+) *$/;
const definition = /^ {0,3}\[([^[\]]{1,999})\]: *<?([^\s<>]+)>?(?: +["'(](.*)["')])? *$/;
const isBlank = (line: string | undefined) => !line?.trim();

/**
 * markdown parses Markdown. It never fails and takes time linear in the length of the text. Pass another function than
 * address as resolve only for texts of this product, not for untrusted ones.
 */
export function markdown(text: string, resolve: Resolve = address): Piece[] {
  const read = new Blocks(resolve);
  const lines = text
    .slice(0, MOST)
    .split(/\r\n?|\n/)
    .map((line) => line.replace(/^[ \t]+/, (space) => space.replaceAll("\t", "    ")));
  const pieces = read.blocks(lines, 0);
  read.fill();
  if (text.length > MOST) pieces.push(piece("p", [text.slice(MOST)]));
  return pieces;
}

class Blocks {
  readonly #resolve: Resolve;
  #definitions: Definitions = new Map();
  /** Pieces with unparsed inline text. It is parsed last, when all link definitions are known. */
  #texts: { into: Piece; text: string }[] = [];
  /** Items of tight lists, whose text is not wrapped in paragraphs. */
  #tight: Piece[] = [];
  #lines: string[] = [];
  #at = 0;
  #depth = 0;

  constructor(resolve: Resolve) {
    this.#resolve = resolve;
  }

  fill(): void {
    for (const { into, text } of this.#texts)
      into.within = into.within.concat(inline(text, this.#definitions, this.#resolve));
    for (const entry of this.#tight)
      entry.within = entry.within.flatMap((part) =>
        typeof part === "object" && part.tag === "p" ? part.within : part,
      );
  }

  /** blocks parses the lines inside a list item or quote of the given nesting depth. */
  blocks(lines: string[], depth: number): Piece[] {
    if (depth > DEEPEST) return [piece("p", [lines.join("\n")])];
    const outer = [this.#lines, this.#at, this.#depth] as const;
    [this.#lines, this.#at, this.#depth] = [lines, 0, depth];
    const pieces: Piece[] = [];
    while (this.#at < lines.length) {
      if (isBlank(this.#line)) this.#at++;
      else pieces.push(this.#block());
    }
    [this.#lines, this.#at, this.#depth] = outer;
    return pieces;
  }

  get #line(): string {
    return this.#lines[this.#at] ?? "";
  }

  #text(tag: Tag, text: string): Piece {
    const into = piece(tag);
    this.#texts.push({ into, text });
    return into;
  }

  #block(): Piece {
    const line = this.#line;
    if (line.startsWith("    ")) return this.#indented();
    const fenced = fence.exec(line);
    if (fenced) return this.#fenced(fenced[1] ?? "", fenced[2] ?? "");
    const level = heading.exec(line)?.[1]?.length;
    if (level) return this.#heading(level);
    if (rule.test(line)) return (this.#at++, piece("hr"));
    if (quote.test(line)) return this.#quote();
    if (bullet.test(line)) return this.#list();
    if (this.#isTable()) return this.#table();
    return this.#definition() ?? this.#paragraph();
  }

  #indented(): Piece {
    const from = this.#at;
    while (this.#at < this.#lines.length && (this.#line.startsWith("    ") || isBlank(this.#line))) this.#at++;
    const code = this.#lines.slice(from, this.#at).map((line) => line.slice(4));
    return piece("pre", [piece("code", [code.join("\n").trimEnd()])]);
  }

  #fenced(indent: string, marks: string): Piece {
    const from = ++this.#at;
    const ends = (line: string) => {
      const text = line.trim();
      return text.length >= marks.length && text.startsWith(marks) && !text.replaceAll(marks[0] ?? "", "");
    };
    while (this.#at < this.#lines.length && !ends(this.#line)) this.#at++;
    const spaces = new RegExp(`^ {0,${indent.length}}`);
    const code = this.#lines.slice(from, this.#at++).map((line) => line.replace(spaces, ""));
    return piece("pre", [piece("code", [code.join("\n")])]);
  }

  #heading(level: number): Piece {
    const text = this.#line.trim().slice(level).trim();
    this.#at++;
    return this.#text(`h${level as 1 | 2 | 3 | 4 | 5 | 6}`, text.replace(/(^| )#+$/, "").trim());
  }

  /** #begins reports whether a line begins a new block and so ends the paragraph before it. */
  #begins(line: string): boolean {
    if (isBlank(line) || heading.test(line) || fence.test(line) || rule.test(line) || quote.test(line)) return true;
    const item = bullet.exec(line);
    return item !== null && item[0].length < line.length && !/[02-9]|1\d/.test(item[2] ?? "");
  }

  #quote(): Piece {
    const inner: string[] = [];
    for (; this.#at < this.#lines.length; this.#at++) {
      const goesOn = !isBlank(inner.at(-1)) && !this.#begins(this.#line);
      if (!quote.test(this.#line) && !goesOn) break;
      inner.push(this.#line.replace(quote, ""));
    }
    return piece("blockquote", this.blocks(inner, this.#depth + 1));
  }

  #list(): Piece {
    const first = bullet.exec(this.#line)?.[2] ?? "";
    const kind = first.at(-1);
    const items: string[][] = [];
    let loose = false;
    for (let item = bullet.exec(this.#line); item && item[2]?.at(-1) === kind && !rule.test(this.#line);) {
      const lines = this.#item(item);
      const blanks =
        lines.length -
        1 -
        Math.max(
          0,
          lines.findLastIndex((line) => !isBlank(line)),
        );
      lines.length -= blanks;
      item = bullet.exec(this.#line);
      loose ||= lines.slice(1).some(isBlank) || (blanks > 0 && item?.[2]?.at(-1) === kind);
      items.push(lines);
    }
    const list = piece(/\d/.test(first) ? "ol" : "ul");
    list.within = items.map((lines) => this.#entry(lines, loose));
    return list.tag === "ol" && parseInt(first) !== 1 ? { ...list, start: parseInt(first) } : list;
  }

  /** #item consumes the lines of a list item and removes their indentation. */
  #item(item: RegExpExecArray): string[] {
    const spaces = item[3]?.length ?? 0;
    const code = spaces > 4 || spaces === 0;
    const width = (item[1]?.length ?? 0) + (item[2]?.length ?? 0) + (code ? 1 : spaces);
    const lines = [this.#line.slice(width)];
    for (this.#at++; this.#at < this.#lines.length; this.#at++) {
      const line = this.#line;
      const indented = line.search(/\S/) >= width;
      const afterBlank = isBlank(lines.at(-1));
      if (!isBlank(line) && !indented && (afterBlank || this.#begins(line) || bullet.test(line))) break;
      lines.push(indented ? line.slice(width) : line.trimStart());
    }
    return lines;
  }

  #entry(lines: string[], loose: boolean): Piece {
    const task = /^\[([ x])\] /i.exec(lines[0] ?? "");
    if (task) lines[0] = (lines[0] ?? "").slice(4);
    const within = this.blocks(lines, this.#depth + 1);
    if (task) {
      const box = task[1] === " " ? "☐ " : "☑ ";
      if (within[0]?.tag === "p") within[0].within.unshift(box);
      else within.unshift(piece("p", [box]));
    }
    const entry = piece("li", within);
    if (!loose) this.#tight.push(entry);
    return entry;
  }

  #isTable(): boolean {
    const line = this.#line;
    const next = this.#lines[this.#at + 1] ?? "";
    if (!line.includes("|") || !/^[ |:-]+$/.test(next) || !next.includes("-")) return false;
    const marks = cells(next);
    return marks.length === cells(line).length && marks.every((mark) => /^:?-+:?$/.test(mark));
  }

  #table(): Piece {
    const row = (tag: "th" | "td") =>
      piece(
        "tr",
        cells(this.#line).map((cell) => this.#text(tag, cell)),
      );
    const head = piece("thead", [row("th")]);
    const body = piece("tbody");
    for (this.#at += 2; this.#at < this.#lines.length && !this.#begins(this.#line); this.#at++)
      body.within.push(row("td"));
    return piece("table", [head, body]);
  }

  /**
   * #definition parses a link definition, "[label]: address". Unused definitions and those with a title stay visible.
   */
  #definition(): Piece | undefined {
    const [line, label, to, title] = definition.exec(this.#line) ?? [];
    const href = to && address(to);
    if (!line || !label || !href) return undefined;
    this.#at++;
    const shown = piece("p", [line]);
    const key = labelOf(label);
    if (!this.#definitions.has(key)) this.#definitions.set(key, { href, title, shown });
    return shown;
  }

  #paragraph(): Piece {
    const from = this.#at++;
    const text = () => this.#lines.slice(from, this.#at).map((line) => line.trimStart());
    for (; this.#at < this.#lines.length; this.#at++) {
      if (underline.test(this.#line)) {
        const level = this.#line.includes("=") ? "h1" : "h2";
        const title = text().join("\n");
        this.#at++;
        return this.#text(level, title);
      }
      if (this.#begins(this.#line) || this.#isTable()) break;
    }
    return this.#text("p", text().join("\n").trimEnd());
  }
}

/** cells splits a table row at unescaped pipes. */
function cells(line: string): string[] {
  const parts = line.trim().replace(/^\|/, "").split("|");
  const found: string[] = [];
  for (const [i, part] of parts.entries()) {
    if (i > 0 && parts[i - 1]?.endsWith("\\")) found.push(`${(found.pop() ?? "").slice(0, -1)}|${part}`);
    else found.push(part);
  }
  if (found.length > 1 && !found.at(-1)?.trim()) found.pop();
  return found.map((cell) => cell.trim());
}
