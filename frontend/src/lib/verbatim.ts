// Escaping of untrusted text for display, so that hidden characters become visible and control characters have no
// effect. The package backend/base/safetext has the same rules; testdata/vectors.json there tests both.

/**
 * A run of text. escaped: hidden characters. foreign: non-ASCII characters that may be mistaken for others. spaces: the
 * length of a long run of white space.
 */
export interface Piece {
  text: string;
  kind: "plain" | "escaped" | "foreign" | "spaces";
}

// Control and format characters, separators other than the space U+0020, and characters without a visible shape.
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u;
// Allowed in prose: line feeds, tabs and other spaces, and the selectors that emoji need.
const HARMLESS = /[\n\t\ufe0e\ufe0f\p{Zs}]/u;
const JOINER = /[\u200c\u200d]/;
// The characters after which a joiner is allowed in prose: emoji, and letters of scripts whose letters connect.
const EMOJI = /(?![\0-\xff])[\ufe0f\p{So}\p{Sk}]/u;
const UNJOINED = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]/u;
const joined = (before: string) => EMOJI.test(before) || !(HIDDEN.test(before) || UNJOINED.test(before));
// White space that is shown by its length, because it would push the text after it out of sight.
const RUN = /\s{16,}/g;
const ASCII = /^[\x20-\x7e]*$/;

/** escaped returns the escape sequence of a character in JavaScript and Go. */
function escaped(character: string): string {
  const short = { "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0" }[character];
  if (short) return short;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\u{${code.toString(16)}}`;
}

/**
 * pieces splits a text into runs and escapes hidden characters. Prose may have line breaks, and its letters of any
 * script are plain.
 */
export function pieces(text: string, isProse = false): Piece[] {
  const out: Piece[] = [];
  let before = "";
  for (const character of isProse ? text.replaceAll("\r\n", "\n") : text) {
    const harmless = isProse && (HARMLESS.test(character) || (JOINER.test(character) && before && joined(before)));
    const hidden = HIDDEN.test(character) && !harmless;
    before = character;
    const kind = hidden ? "escaped" : !isProse && character > "\u007e" ? "foreign" : "plain";
    const shown = hidden ? escaped(character) : character;
    const last = out.at(-1);
    if (last?.kind === kind) last.text += shown;
    else out.push({ text: shown, kind });
  }
  return out;
}

/** shownRuns is like pieces, but replaces each long run of white space by its length. */
export function shownRuns(text: string, isProse = false): Piece[] {
  const out: Piece[] = [];
  let end = 0;
  for (const run of text.matchAll(RUN)) {
    out.push(...pieces(text.slice(end, run.index), isProse), { text: `⟨${run[0].length} spaces⟩`, kind: "spaces" });
    end = run.index + run[0].length;
  }
  return end ? [...out, ...pieces(text.slice(end), isProse)] : pieces(text, isProse);
}

const textOf = (all: Piece[]): string => all.map((piece) => piece.text).join("");

/** visible returns a text on one line with every hidden character escaped. */
export const visible = (text: string): string => (ASCII.test(text) ? text : textOf(pieces(text)));

/** prose is like visible, but keeps line breaks and letters of any script. */
export const prose = (text: string): string => (ASCII.test(text) ? text : textOf(pieces(text, true)));

/** hides reports whether prose has characters that a user does not see but a model reads. */
export const hides = (text: string): boolean => pieces(text, true).some((piece) => piece.kind === "escaped");

/** quoted returns an argument of a command line, in quotes if its beginning or end would not be visible. */
export function quoted(word: string): string {
  if (word !== "" && !/[\s"'\\`$&|;<>()*?[\]{}!#~]/.test(word)) return word;
  return `"${word.replace(/["\\]/g, "\\$&")}"`;
}
