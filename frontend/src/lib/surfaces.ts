// What a client of the hub is shown.

const SERVER = "server:";

/** The surfaces of all servers, the usual one first. */
export const surfaces = [
  {
    value: "meta",
    label: "Find and call",
    text: "Finds tools, and calls them by what they may do: read, write or destroy. Plan modes can read.",
  },
  { value: "registry", label: "Tool registry", text: "One tool with actions, as in earlier versions." },
  { value: "native", label: "Active tools", text: "The tools of active servers, for models that handle many." },
];

/** serverOf returns the name of the only server that a surface shows; "" if it shows all. */
export const serverOf = (surface: string): string => (surface.startsWith(SERVER) ? surface.slice(SERVER.length) : "");

/** choices returns the surfaces for a list, with one for each server. */
export const choices = (servers: readonly { name: string }[]): { value: string; label: string }[] => [
  ...surfaces,
  ...servers.map(({ name }) => ({ value: SERVER + name, label: `Only ${name}` })),
];

/** labelOf returns the name of a surface. */
export const labelOf = (surface: string): string =>
  surfaces.find(({ value }) => value === surface)?.label ?? `Only ${serverOf(surface)}`;
