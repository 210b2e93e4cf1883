// The order of tools in a toolset.

/** moved returns a list with one element at another place. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = list.filter((_, i) => i !== from);
  const one = list[from];
  if (one === undefined) return [...list];
  rest.splice(Math.max(0, Math.min(to, rest.length)), 0, one);
  return rest;
}
