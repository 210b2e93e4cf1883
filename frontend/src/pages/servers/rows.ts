// The rows of the list of servers.

import type { Server } from "$lib/api/socket";
import { stateOf } from "$lib/ui/state";

/** The filters and the sort order in the address. An empty filter matches every server. */
export interface Choice {
  query: string;
  state: string;
  source: string;
  transport: string;
  tag: string;
  /** The column to sort by; a leading "-" sorts in descending order. */
  sort: string;
}

/** commandOf returns a server's command line or address. */
export const commandOf = (server: Server): string =>
  server.transport === "stdio"
    ? [server.command ?? "", ...(server.args ?? [])].join(" ").trim()
    : (server.homepage ?? "");

/** unusableTools says how many tools of a server agents may not use. It is undefined if there are none. */
export function unusableTools({ items_held: held, tools_disabled: disabled }: Server): string | undefined {
  return [held && `${held} held`, disabled && `${disabled} disabled by rules`].filter(Boolean).join(", ") || undefined;
}

/**
 * rowsOf returns the matching servers, sorted by name. Each word of the query must occur in the name, description,
 * tags or command of a server.
 */
export function rowsOf(servers: readonly Server[], choice: Choice, paused: boolean): Server[] {
  const words = choice.query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = servers.filter((server) => {
    if (choice.state === "listed" ? !server.active : choice.state && stateOf(server, paused).id !== choice.state)
      return false;
    if (choice.source && server.source !== choice.source) return false;
    if (choice.transport && server.transport !== choice.transport) return false;
    if (choice.tag && !server.tags?.includes(choice.tag)) return false;
    if (words.length === 0) return true;
    const text = [server.name, server.description, ...(server.tags ?? []), commandOf(server)].join("\n").toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** valuesOf returns the values of a property, such as the tags, with the number of servers that have each. */
export function valuesOf(servers: readonly Server[], of: (server: Server) => readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const server of servers)
    for (const value of new Set(of(server))) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** wordFor returns the display name of a transport. */
export const wordFor = (transport: string): string =>
  ({ stdio: "local", "streamable-http": "http", sse: "sse" })[transport] ?? transport;
