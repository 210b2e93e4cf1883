// How well a name fits what somebody types to find it.

/** score is 0 when a text does not fit, and more the better it does: its beginning, a word's, a part, or letters in their order. */
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
