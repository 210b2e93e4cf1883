import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { count, roll } from "../src/lib/charts/buckets.ts";
import { hides, pieces, prose, quoted, shownRuns, visible } from "../src/lib/verbatim.ts";

interface Vector {
  name: string;
  in: string;
  visible: string;
  prose: string;
  runs?: string;
}
const vectors = JSON.parse(
  readFileSync(new URL("../../backend/base/safetext/testdata/vectors.json", import.meta.url), "utf8"),
) as Vector[];

test.each(vectors)("hidden characters are escaped as in the hub: $name", (vector) => {
  expect(visible(vector.in)).toBe(vector.visible);
  expect(prose(vector.in)).toBe(vector.prose);
  const runs = shownRuns(vector.in).map((piece) => piece.text);
  if (vector.runs !== undefined) expect(runs.join("")).toBe(vector.runs);
  expect(hides(vector.in)).toBe(vector.prose !== vector.in.replaceAll("\r\n", "\n"));
});

test("an unpaired surrogate is escaped", () => {
  expect(visible("\ud800")).toBe("\\ud800");
});

test("non-Latin letters in a command are marked", () => {
  expect(pieces("nрx")).toEqual([
    { text: "n", kind: "plain" },
    { text: "р", kind: "foreign" },
    { text: "x", kind: "plain" },
  ]);
});

test("a word is quoted if its end would not be visible", () => {
  expect(quoted("plain-word@1.2/x")).toBe("plain-word@1.2/x");
  expect(quoted("")).toBe('""');
  expect(quoted("two words")).toBe('"two words"');
  expect(quoted('a"b\\c')).toBe('"a\\"b\\\\c"');
});

test("time steps advance, and a call is counted in the step in which it started", () => {
  const at = (n: number, calls = 0, errors = 0) => ({ at: n * 60_000, calls, errors });
  const hour = [at(0, 1), at(1, 2), at(2, 3)];
  expect(roll(hour, 60_000, 2.5 * 60_000)).toBe(hour);
  expect(roll(hour, 60_000, 3 * 60_000)).toEqual([at(1, 2), at(2, 3), at(3)]);
  expect(roll(hour, 60_000, 10.5 * 60_000)).toEqual([at(8), at(9), at(10)]);
  const call = (minute: number, success: boolean) => ({ timestamp: new Date(minute * 60_000).toISOString(), success });
  expect(count(hour, 60_000, call(1.9, true))).toEqual([at(0, 1), at(1, 3), at(2, 3)]);
  expect(count(hour, 60_000, call(2, false))).toEqual([at(0, 1), at(1, 2), at(2, 4, 1)]);
  expect(count(hour, 60_000, call(3, true))).toEqual(hour);
});
