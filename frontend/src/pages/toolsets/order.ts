// The order of tools in a toolset, and its name.

/** moved returns a list with one element at another place. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = list.filter((_, i) => i !== from);
  const one = list[from];
  if (one === undefined) return [...list];
  rest.splice(Math.max(0, Math.min(to, rest.length)), 0, one);
  return rest;
}

const NAME = /^[a-z0-9-]{2,50}$/;

/** nameProblem returns why a toolset cannot have a name; "" if it can. */
export const nameProblem = (name: string): string =>
  !name || NAME.test(name) ? "" : "Use 2 to 50 lower-case letters, digits and hyphens.";
