// The filter of the log: in the address, as a query to the hub, and applied to entries that arrive.

import type { LogEntry } from "$lib/api/socket";

export interface Filter {
  server: string;
  tool: string;
  kind: string;
  /** An outcome, or "failures" for all but ok. */
  outcome: string;
  text: string;
  /** A time span by name, "custom", or empty for any time. */
  range: string;
  /** For custom: RFC 3339. */
  since: string;
  until: string;
}

export const names = ["server", "tool", "kind", "outcome", "text", "range", "since", "until"] as const;

const MINUTE = 60_000;
/** Time spans that end now, in ms. */
export const spans: Record<string, number> = {
  "15m": 15 * MINUTE,
  "1h": 60 * MINUTE,
  "24h": 1_440 * MINUTE,
  "7d": 10_080 * MINUTE,
};

/** filterOf reads a filter from an address. */
export function filterOf(query: URLSearchParams): Filter {
  const of = (name: (typeof names)[number]) => query.get(name) ?? "";
  const custom = of("range") === "custom";
  return {
    server: of("server"),
    tool: of("tool"),
    kind: of("kind"),
    outcome: of("outcome"),
    text: of("text"),
    range: custom || of("range") in spans ? of("range") : "",
    since: custom ? of("since") : "",
    until: custom ? of("until") : "",
  };
}

/** isSet reports whether a filter excludes anything. */
export const isSet = (filter: Filter): boolean =>
  names.some((name) => filter[name] !== "" && !(name === "range" && filter.range === "custom"));

/** sinceOf returns the start of the wanted time; undefined for any. */
export function sinceOf(filter: Filter, now = Date.now()): string | undefined {
  const span = spans[filter.range];
  return span ? new Date(now - span).toISOString() : filter.since || undefined;
}

/** queryOf returns the query for the hub. */
export function queryOf(filter: Filter): Record<string, string> {
  const all: Record<string, string | undefined> = {
    server: filter.server,
    tool: filter.tool,
    kind: filter.kind,
    text: filter.text.trim(),
    since: sinceOf(filter),
    until: filter.until,
    ...(filter.outcome === "failures" ? { success: "false" } : { outcome: filter.outcome }),
  };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

/** selects reports whether an entry that has just arrived matches. */
export function selects(filter: Filter, entry: LogEntry): boolean {
  const { server, tool, kind, outcome, text, since, until } = filter;
  const at = Date.parse(entry.timestamp);
  return (
    (!server || entry.server === server) &&
    (!tool || entry.tool === tool) &&
    (!kind || kind.split(",").includes(entry.kind)) &&
    (!outcome || (outcome === "failures" ? !entry.success : entry.outcome === outcome)) &&
    (!since || at >= Date.parse(since)) &&
    (!until || at < Date.parse(until)) &&
    (!text.trim() || holds(entry, text.trim().toLowerCase()))
  );
}

function holds({ tool, args, response }: LogEntry, text: string): boolean {
  const sent = typeof args === "string" ? args : (JSON.stringify(args) ?? "");
  return [tool, sent, response].some((part) => part.toLowerCase().includes(text));
}
