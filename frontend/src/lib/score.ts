// Ranking of names for the search text of the command palette.

/**
 * score rates how well a name matches. A prefix scores highest, then the start of a word, a substring, and letters in
 * order; 0 is no match.
 */
export function score(text: string, typed: string): number {
  const name = text.toLowerCase();
  const wanted = typed.trim().toLowerCase();
  const at = name.indexOf(wanted);
  if (at === 0) return name.length === wanted.length ? 5 : 4;
  if (at > 0) return name.split(/[\s/_.:-]+/).some((word) => word.startsWith(wanted)) ? 3 : 2;
  let from = 0;
  for (const letter of wanted.replaceAll(/\s/g, "")) {
    from = name.indexOf(letter, from) + 1;
    if (from === 0) return 0;
  }
  return 1;
}
