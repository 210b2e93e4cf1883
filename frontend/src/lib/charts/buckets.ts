// Counts of calls in equal time steps, for the chart.

import type { LogEntry } from "../api/socket.ts";

/** The calls of one time step. */
export interface Bucket {
  /** The start of the time step, in ms since 1970. */
  at: number;
  calls: number;
  errors: number;
}

/** roll drops old buckets and appends as many empty ones, until the last bucket contains now. */
export function roll(buckets: Bucket[], step: number, now: number): Bucket[] {
  const last = buckets.at(-1);
  if (!last || now < last.at + step) return buckets;
  const passed = Math.floor((now - last.at) / step);
  const n = Math.min(passed, buckets.length);
  const fresh = Array.from({ length: n }, (_, i) => ({
    at: last.at + (passed - n + 1 + i) * step,
    calls: 0,
    errors: 0,
  }));
  return [...buckets.slice(n), ...fresh];
}

/** count returns the buckets with a call added to the one in which the call started. */
export function count(buckets: Bucket[], step: number, entry: Pick<LogEntry, "timestamp" | "success">): Bucket[] {
  const at = Date.parse(entry.timestamp);
  return buckets.map((bucket) =>
    at >= bucket.at && at < bucket.at + step
      ? { at: bucket.at, calls: bucket.calls + 1, errors: bucket.errors + (entry.success ? 0 : 1) }
      : bucket,
  );
}
