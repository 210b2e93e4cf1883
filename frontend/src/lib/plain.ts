// Foreign text in one line, for lists: nothing in it hides, and nothing is marked.

import { pieces, visible } from "./verbatim.ts";

const EASY = /^[\x20-\x7e]*$/;

/** plain writes out what cannot be seen or would move other letters. prose: scripts and emoji keep their joiners. */
export const plain = (text: string, prose = false): string => (EASY.test(text) ? text : visible(text, prose));

/** hides tells whether a longer text has characters that are not seen but are read by a model. */
export const hides = (text: string): boolean =>
  pieces(text.replaceAll("\r\n", "\n"), true).some((piece) => piece.kind === "escaped");
