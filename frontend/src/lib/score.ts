// Ranking of names for a text that a person types to find one.

/** score returns 0 for no match; a prefix scores highest, then a word's start, a substring, and letters in order. */
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
