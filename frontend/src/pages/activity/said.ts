// What was sent and what came back, as it can be read.

import type { LogEntry } from "$lib/api/socket";

/** isCut tells whether the log kept only the beginning: such texts end with an ellipsis. */
export const isCut = (text: unknown): boolean => typeof text === "string" && text.endsWith("…");

/** print sets a value as JSON in two-space steps. */
export function print(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? "";
  } catch {
    return "(nested too deep to be shown)";
  }
}

/** pretty sets a text that is a JSON object or list in two-space steps, and leaves others as they are. */
export function pretty(text: string): { text: string; json: boolean } {
  if (!/^\s*[[{]/.test(text)) return { text, json: false };
  try {
    return { text: print(JSON.parse(text)), json: true };
  } catch {
    return { text, json: false };
  }
}

/** replayOf is the place where a call can be made again; undefined when it cannot. */
export function replayOf({ kind, server, tool, args }: LogEntry): string | undefined {
  if (kind !== "call" || typeof args !== "object" || args === null || Array.isArray(args)) return undefined;
  const query = new URLSearchParams({ tool, args: JSON.stringify(args) });
  return `#/test/${encodeURIComponent(server)}?${query}`;
}
