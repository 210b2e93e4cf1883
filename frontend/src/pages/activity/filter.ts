// The filter of the log: read from the address, sent to the hub, and applied to new entries.

import type { LogEntry } from "$lib/api/socket";

export interface Filter {
  server: string;
  tool: string;
  kind: string;
  /** An outcome, or "failures" for every outcome except ok. */
  outcome: string;
  text: string;
  /** The name of a time span, "custom", or "" for any time. */
  range: string;
  /** The start of a custom range, in RFC 3339 format. */
  since: string;
  until: string;
}

export const names = ["server", "tool", "kind", "outcome", "text", "range", "since", "until"] as const;

const MINUTE = 60_000;
/** The lengths in ms of time spans that end now, by name. */
export const spans: Record<string, number> = {
  "15m": 15 * MINUTE,
  "1h": 60 * MINUTE,
  "24h": 1_440 * MINUTE,
  "7d": 10_080 * MINUTE,
};

/** filterOf reads a filter from query parameters. */
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

/** isSet reports whether a filter has any condition. */
export const isSet = (filter: Filter): boolean =>
  names.some((name) => filter[name] !== "" && !(name === "range" && filter.range === "custom"));

/** sinceOf returns the start of a filter's time range; undefined if it has none. */
export function sinceOf(filter: Filter, now = Date.now()): string | undefined {
  const span = spans[filter.range];
  return span ? new Date(now - span).toISOString() : filter.since || undefined;
}

/** queryOf returns the filter as query parameters of GET /api/logs. */
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

/** selects reports whether a new entry matches a filter. */
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
