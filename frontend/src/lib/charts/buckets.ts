// Calls in equal time steps, kept up to date as time passes and calls happen.

import type { LogEntry } from "../api/socket.ts";

/** The calls of one time step. */
export interface Bucket {
  /** Its start, in ms. */
  at: number;
  calls: number;
  errors: number;
}

/** roll shifts the buckets until the last one contains now; their number stays. */
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

/** count adds a call to the bucket in which it started. */
export function count(buckets: Bucket[], step: number, entry: Pick<LogEntry, "timestamp" | "success">): Bucket[] {
  const at = Date.parse(entry.timestamp);
  return buckets.map((bucket) =>
    at >= bucket.at && at < bucket.at + step
      ? { at: bucket.at, calls: bucket.calls + 1, errors: bucket.errors + (entry.success ? 0 : 1) }
      : bucket,
  );
}
