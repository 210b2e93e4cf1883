import { expect, test } from "vitest";
import { countTicks, timeTicks } from "../src/lib/charts/ticks.ts";

test("the axis of counts has few round numbers", () => {
  expect(countTicks(4, 4)).toEqual([0, 1, 2, 3, 4]);
  expect(countTicks(4.2, 4)).toEqual([0, 2, 4]);
  expect(countTicks(21, 4)).toEqual([0, 10, 20]);
  expect(countTicks(170, 4)).toEqual([0, 50, 100, 150]);
  expect(countTicks(4, -1)).toEqual([0]);
  expect(countTicks(1_000_000, 4)).toEqual([0, 500_000, 1_000_000]);
});

test("the axis of times has few round local times, also where clocks are changed", () => {
  process.env.TZ = "Europe/Berlin";
  const ticks = (from: string, hours: number, n: number) => {
    const start = new Date(from).getTime();
    return timeTicks(start, start + hours * 3_600_000, n).map((at) =>
      new Date(at).toLocaleString("sv-SE").slice(5, 16),
    );
  };
  expect(ticks("2026-11-23T10:07:00", 1, 5)).toEqual(["11-23 10:15", "11-23 10:30", "11-23 10:45", "11-23 11:00"]);
  expect(ticks("2026-11-23T10:07:00", 24, 4)).toEqual(["11-23 12:00", "11-23 18:00", "11-24 00:00", "11-24 06:00"]);
  expect(ticks("2026-10-23T10:00:00", 168, 4)).toEqual(["10-25 00:00", "10-27 00:00", "10-29 00:00"]);
  expect(ticks("2026-10-24T23:00:00", 8, 4)).toContain("10-25 06:00");
  expect(ticks("2026-11-23T10:07:00", 24, 0)).toEqual([]);
});
