// Formatting of the arguments and response of a log entry.

import type { LogEntry } from "$lib/api/socket";

/** isTruncated reports whether the log has only the beginning of a text. The hub ends such texts with an ellipsis. */
export const isTruncated = (text: unknown): boolean => typeof text === "string" && text.endsWith("…");

/** print formats a value as indented JSON. */
export function print(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? "";
  } catch {
    return "(nested too deep to show)";
  }
}

/** pretty indents a text that is a JSON object or array, and returns other texts unchanged. */
export function pretty(text: string): { text: string; json: boolean } {
  if (!/^\s*[[{]/.test(text)) return { text, json: false };
  try {
    return { text: print(JSON.parse(text)), json: true };
  } catch {
    return { text, json: false };
  }
}

/** replayOf returns the address of the inspector with the arguments of a call; undefined if they are incomplete. */
export function replayOf({ kind, server, tool, args }: LogEntry): string | undefined {
  if (kind !== "call" || typeof args !== "object" || args === null || Array.isArray(args)) return undefined;
  const query = new URLSearchParams({ tool, args: JSON.stringify(args) });
  return `#/test/${encodeURIComponent(server)}?${query}`;
}
