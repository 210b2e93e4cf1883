// Round values for the axes of the chart.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const spans = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 4, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 3, 7, 14, 30, 60, 120, 365].map((n) => n * DAY),
];

/** timeTicks returns about n round local times, or fewer, between two times in ms since 1970. */
export function timeTicks(from: number, to: number, n: number): number[] {
  const span = spans.find((span) => (to - from) / span <= n);
  if (!span) return [];
  const out: number[] = [];
  const at = new Date(from);
  at.setHours(0, 0, 0, 0);
  // Days and hours are counted by the local calendar, because some days have 23 or 25 hours.
  const midnight = at.getTime();
  for (let k = 0; at.getTime() <= to; k++) {
    if (at.getTime() >= from && at.getTime() !== out.at(-1)) out.push(at.getTime());
    at.setTime(midnight);
    at.setHours(0, ((k + 1) * span) / MINUTE);
  }
  return out;
}

/** countTicks returns about n + 1 round whole numbers from 0 to most. */
export function countTicks(most: number, n: number): number[] {
  let step = 1;
  for (let by = 0; most / step > Math.max(1, n); by++) step *= by % 3 === 1 ? 2.5 : 2; // 1, 2, 5, 10, …
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}
