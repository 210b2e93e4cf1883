// Foreign text, shown so that nothing in it hides: what steers the screen, or cannot be seen, is written out.

/** A stretch of text: as it is, written out, or of letters that may be taken for others. */
export interface Piece {
  text: string;
  kind: "plain" | "escaped" | "foreign";
}

// Controls, formats and directions, separators, spaces but the one of the keyboard, and what has no shape.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u;
// In prose, lines and tabs are harmless, and scripts and emoji need their joiners.
const HARMLESS = /[\n\t\u00a0\u200c\u200d\ufe0f]/u;

/** escaped writes a character out as JavaScript and Go do. */
function escaped(character: string): string {
  const short = { "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0" }[character];
  if (short) return short;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\u{${code.toString(16)}}`;
}

/** pieces cuts a text up. prose: lines and joiners stay as they are, and letters of any script are at home. */
export function pieces(text: string, prose = false): Piece[] {
  const out: Piece[] = [];
  for (const character of text) {
    const hidden = HIDDEN.test(character) && !(prose && HARMLESS.test(character));
    const kind = hidden ? "escaped" : !prose && character > "\u007e" ? "foreign" : "plain";
    const shown = hidden ? escaped(character) : character;
    const last = out.at(-1);
    if (last?.kind === kind) last.text += shown;
    else out.push({ text: shown, kind });
  }
  return out;
}

/** visible is a text with everything in it that would hide written out. */
export const visible = (text: string, prose = false): string =>
  pieces(text, prose)
    .map((piece) => piece.text)
    .join("");

/** quoted is a word of a command line: in quotes where it would not be seen where it begins and ends. */
export function quoted(word: string): string {
  if (word !== "" && !/[\s"'\\`$&|;<>()*?[\]{}!#~]/.test(word)) return word;
  return `"${word.replace(/["\\]/g, "\\$&")}"`;
}
