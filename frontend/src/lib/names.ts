// What servers may be called.

/** Names that the hub has for itself. */
export const reserved = new Set(["mcp", "registry"]);

/** nameProblem tells why the hub would not take a name; undefined when it would. */
export function nameProblem(name: string, taken: ReadonlySet<string> = new Set()): string | undefined {
  if (!name) return "It needs a name.";
  if (!/^[A-Za-z0-9._-]+$/.test(name)) return "Letters, digits, dots, dashes and underscores only.";
  if (name.includes("__")) return "Not “__”: it stands between a server and its tool.";
  if (name.endsWith("_")) return "It cannot end with an underscore.";
  if (name.length > 64) return "At most 64 characters.";
  if (reserved.has(name)) return `“${name}” is taken by the hub itself.`;
  return taken.has(name) ? "A server of this name is there already." : undefined;
}
