// Calls in equal steps of time, counted on as time passes and as they happen.

import type { LogEntry } from "../api/socket.ts";

/** What was called in one step of time. */
export interface Bucket {
  /** Where it begins, in ms. */
  at: number;
  calls: number;
  errors: number;
}

/** roll moves buckets on until the last one holds now: as many as there are come and go. */
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

/** count adds a call to the bucket that it began in. */
export function count(buckets: Bucket[], step: number, entry: Pick<LogEntry, "timestamp" | "success">): Bucket[] {
  const at = Date.parse(entry.timestamp);
  return buckets.map((bucket) =>
    at >= bucket.at && at < bucket.at + step
      ? { at: bucket.at, calls: bucket.calls + 1, errors: bucket.errors + (entry.success ? 0 : 1) }
      : bucket,
  );
}
