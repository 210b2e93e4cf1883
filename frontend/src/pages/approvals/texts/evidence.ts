// The places of findings in a definition, in which the hub shows hidden characters as ⟨U+XXXX⟩.

import type { Finding } from "$lib/stores/trust.svelte";

/** A part of a text. marked: evidence of a finding. hidden: a character that people cannot see, as ⟨U+XXXX⟩. */
export interface Part {
  text: string;
  marked: boolean;
  hidden: boolean;
}

/** A text of a definition with findings, and the parts of the text that are their evidence. */
export interface Place {
  field: string;
  text: string;
  spans: [from: number, to: number][];
}

const HIDDEN = /⟨U\+([0-9A-F]{4,6})⟩/uy;
const WRITTEN = /(⟨U\+[0-9A-F]{4,6}⟩)/u;

const bytesOf = (code: number): number => (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4);

/** indexOf converts an offset in bytes of the original text to an index in the shown text. */
function indexOf(text: string, byte: number): number {
  let at = 0;
  for (let bytes = 0; at < text.length && bytes < byte;) {
    HIDDEN.lastIndex = at;
    const hidden = HIDDEN.exec(text);
    const code = hidden ? parseInt(hidden[1] ?? "", 16) : (text.codePointAt(at) ?? 0);
    bytes += bytesOf(code);
    at += hidden ? hidden[0].length : code > 0xffff ? 2 : 1;
  }
  return at;
}

/** stringAt returns the string at a JSON pointer; undefined if there is none. */
function stringAt(definition: unknown, pointer: string): string | undefined {
  let value = definition;
  for (const part of pointer.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return typeof value === "string" ? value : undefined;
}

const bare = (text: string): string => text.replace(/[\s⟨⟩…]/gu, "");

/**
 * placesOf returns the texts of a definition (JSON) that have findings. It leaves out findings whose evidence is not in
 * the text itself, for instance because the scan has decoded the text.
 */
export function placesOf(definition: string, findings: readonly Finding[]): Place[] {
  let value: unknown;
  try {
    value = JSON.parse(definition);
  } catch {
    return [];
  }
  const places: Place[] = [];
  for (const { field, start, end, text: evidence } of findings) {
    const text = stringAt(value, field);
    if (text === undefined || end <= start) continue;
    const span: Place["spans"][number] = [indexOf(text, start), indexOf(text, end)];
    const found = bare(text.slice(...span));
    if (!found || !(bare(evidence).includes(found) || found.startsWith(bare(evidence)))) continue;
    const known = places.find((place) => place.field === field);
    if (known) known.spans.push(span);
    else places.push({ field, text, spans: [span] });
  }
  return places;
}

/** partsOf splits a text at its marks and hidden characters. */
export function partsOf(text: string, spans: Place["spans"] = []): Part[] {
  const cuts = [...new Set([0, ...spans.flat(), text.length])].sort((a, b) => a - b);
  return cuts.slice(0, -1).flatMap((from, i) => {
    const marked = spans.some(([begin, end]) => begin <= from && from < end);
    return text
      .slice(from, cuts[i + 1])
      .split(WRITTEN)
      .map((piece, n) => ({ text: piece, marked, hidden: n % 2 === 1 }))
      .filter((part) => part.text);
  });
}

const AROUND = 240; // characters on each side of evidence
const SHORT = 1_200; // characters of a text that is shown as a whole

/** excerptOf cuts parts of a long text that are far from all evidence; a cut part is replaced by "…". */
export function excerptOf(parts: Part[]): Part[] {
  if (parts.reduce((sum, part) => sum + part.text.length, 0) <= SHORT) return parts;
  const anyMarked = parts.some((part) => part.marked);
  if (!anyMarked) {
    const text = parts.map((part) => part.text).join("");
    return [...partsOf(text.slice(0, SHORT)), { text: " …", marked: false, hidden: false }];
  }
  return parts.map((part, i) => {
    if (part.marked || part.hidden || part.text.length <= 2 * AROUND) return part;
    const head = parts.slice(0, i).some((one) => one.marked) ? part.text.slice(0, AROUND) : "";
    const tail = parts.slice(i + 1).some((one) => one.marked) ? part.text.slice(-AROUND) : "";
    return { ...part, text: `${head} … ${tail}` };
  });
}
