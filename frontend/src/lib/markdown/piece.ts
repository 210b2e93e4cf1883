// The elements that Markdown is parsed into. The parser produces no HTML, so a text cannot create an element that is
// not listed here.

import { prose } from "../verbatim.ts";

export type Tag =
  | "a"
  | "blockquote"
  | "br"
  | "code"
  | "del"
  | "em"
  | `h${1 | 2 | 3 | 4 | 5 | 6}`
  | "hr"
  | "li"
  | "ol"
  | "p"
  | "pre"
  | "strong"
  | "table"
  | "tbody"
  | "td"
  | "th"
  | "thead"
  | "tr"
  | "ul";

export interface Piece {
  tag: Tag;
  within: Part[];
  /** The URL of a link: http, https or mailto, or the result of the caller's resolve function. */
  href?: string;
  title?: string;
  /** The first number of a numbered list, if it is not 1. */
  start?: number;
}
export type Part = Piece | string;

export const piece = (tag: Tag, within: Part[] = []): Piece => ({ tag, within });

/** Link definitions ("[label]: address") by label. shown is the paragraph to hide once a link uses the definition. */
export type Definitions = Map<string, { href: string; title?: string; shown: Piece }>;

/** labelOf normalises a link label for comparison. */
export const labelOf = (text: string): string => text.trim().replace(/\s+/g, " ").toLowerCase();

/** Resolve returns the href of a link's target, or undefined if the link is shown as written. */
export type Resolve = (target: string) => string | undefined;

/** address returns the URL of a link if its scheme is http, https or mailto. */
export function address(text: string): string | undefined {
  try {
    const { protocol, href } = new URL(text);
    return /^(https?|mailto):$/.test(protocol) ? href : undefined;
  } catch {
    return undefined;
  }
}

const named: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  copy: "©",
  hellip: "…",
  ndash: "–",
  mdash: "—",
  bull: "•",
  middot: "·",
  times: "×",
  larr: "←",
  rarr: "→",
};
const reference = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi;

/** decoded replaces character references such as &lt; and &#60;, except for references to hidden characters. */
export const decoded = (text: string): string =>
  text.replace(reference, (whole: string, decimal?: string, hex?: string, name?: string) => {
    if (name) return Object.hasOwn(named, name) ? (named[name] ?? whole) : whole;
    const code = decimal ? Number(decimal) : parseInt(hex ?? "", 16);
    const sign = code <= 0x10ffff ? String.fromCodePoint(code) : "";
    return sign && prose(sign) === sign ? sign : whole;
  });
