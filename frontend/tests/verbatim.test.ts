import { expect, test } from "vitest";
import { count, roll } from "../src/lib/charts/buckets.ts";
import { pieces, quoted, visible } from "../src/lib/verbatim.ts";

test("what steers the screen or cannot be seen is written out", () => {
  expect(visible("a\u202eb\u200bc\u0007d\u00a0e\u{e0041}f\u3164g\u2028h")).toBe(
    "a\\u202eb\\u200bc\\x07d\\xa0e\\u{e0041}f\\u3164g\\u2028h",
  );
  expect(visible("tab\tline\nend\r\0")).toBe("tab\\tline\\nend\\r\\0");
  expect(visible("\ud800")).toBe("\\ud800");
});

test("prose keeps its lines, its scripts and its emoji, and nothing that steers", () => {
  const family = "👨\u200d👩\u200d👧 می\u200cخواهم\n\tשלום";
  expect(visible(family, true)).toBe(family);
  expect(visible("\u202ehidden\u2066", true)).toBe("\\u202ehidden\\u2066");
});

test("letters that look like plain ones are told apart in a command", () => {
  expect(pieces("nрx")).toEqual([
    { text: "n", kind: "plain" },
    { text: "р", kind: "foreign" },
    { text: "x", kind: "plain" },
  ]);
});

test("a word is in quotes where it would not be seen where it ends", () => {
  expect(quoted("plain-word@1.2/x")).toBe("plain-word@1.2/x");
  expect(quoted("")).toBe('""');
  expect(quoted("two words")).toBe('"two words"');
  expect(quoted('a"b\\c')).toBe('"a\\"b\\\\c"');
});

test("steps of time move on, and a call is counted where it began", () => {
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
