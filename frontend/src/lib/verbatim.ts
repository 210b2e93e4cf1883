// Text that other programs or people wrote, shown so that nothing in it stays unseen and nothing in it controls the
// display. backend/base/safetext follows the same rule; both are tested with its testdata/vectors.json.

/** A run of text: as it was written, escaped, or in characters outside ASCII that may be mistaken for others. */
export interface Piece {
  text: string;
  kind: "plain" | "escaped" | "foreign";
}

// Everything that is no letter, mark, number, punctuation, symbol or the space U+0020, and everything without a shape.
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u;
// Text of several lines needs line feeds, tabs and wide spaces; scripts and emoji need joiners and selectors.
const HARMLESS = /[\n\t\u200c\u200d\ufe0e\ufe0f\p{Zs}]/u;
const ASCII = /^[\x20-\x7e]*$/;

/** escaped writes a character as JavaScript and Go do. */
function escaped(character: string): string {
  const short = { "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0" }[character];
  if (short) return short;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\u{${code.toString(16)}}`;
}

/**
 * pieces splits a text into runs and escapes the hidden characters. Prose may have several lines, and letters of any
 * script are plain in it.
 */
export function pieces(text: string, isProse = false): Piece[] {
  const out: Piece[] = [];
  for (const character of isProse ? text.replaceAll("\r\n", "\n") : text) {
    const hidden = HIDDEN.test(character) && !(isProse && HARMLESS.test(character));
    const kind = hidden ? "escaped" : !isProse && character > "\u007e" ? "foreign" : "plain";
    const shown = hidden ? escaped(character) : character;
    const last = out.at(-1);
    if (last?.kind === kind) last.text += shown;
    else out.push({ text: shown, kind });
  }
  return out;
}

const joined = (all: Piece[]): string => all.map((piece) => piece.text).join("");

/** visible returns a text on one line with every hidden character escaped. */
export const visible = (text: string): string => (ASCII.test(text) ? text : joined(pieces(text)));

/** prose is visible for text of several lines, in any script. */
export const prose = (text: string): string => (ASCII.test(text) ? text : joined(pieces(text, true)));

/** hides reports whether prose has characters that a person does not see but a model reads. */
export const hides = (text: string): boolean => pieces(text, true).some((piece) => piece.kind === "escaped");

/** quoted puts a word of a command line in quotes where its beginning and end would not be seen. */
export function quoted(word: string): string {
  if (word !== "" && !/[\s"'\\`$&|;<>()*?[\]{}!#~]/.test(word)) return word;
  return `"${word.replace(/["\\]/g, "\\$&")}"`;
}
