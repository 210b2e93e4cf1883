// Tests of the filter of the log and of its dates, without a hub.

import { describe, expect, test } from "vitest";
import { filterOf, queryOf, selects } from "../src/pages/activity/filter.ts";
import { pattern, read, written } from "../src/lib/datetime.ts";

describe("a date and time", () => {
  test.each(["en-GB", "en-US", "de-DE", "sv-SE", "ja-JP", "ar-EG", "fa-IR", "th-TH", "ko-KR", "hu-HU"])(
    "is formatted and parsed in the order of %s",
    (locale) => {
      const at = new Date(2026, 2, 4, 17, 8);
      expect(read(written(at, locale), locale)).toEqual(at);
      expect(pattern(locale)).toMatch(/yyyy/);
    },
  );

  test("may be abbreviated, but must exist in the calendar", () => {
    expect(read("4/3/26", "en-GB")).toEqual(new Date(2026, 2, 4));
    expect(read("3/4/2026 5:08 pm", "en-US")).toEqual(new Date(2026, 2, 4, 17, 8));
    expect(read("2026-03-04 17:08", "en-GB")).toEqual(new Date(2026, 2, 4, 17, 8));
    for (const wrong of ["", "soon", "31/2/2026", "4/3/2026 25:00", "1 2 3 4 5 6", "4/3/2026 10:75"])
      expect(read(wrong, "en-GB")).toBeUndefined();
  });
});

describe("a filter", () => {
  const entry = {
    id: 1,
    timestamp: "2026-01-01T10:00:00.000Z",
    server: "s",
    tool: "t",
    kind: "call",
    outcome: "failed",
    success: false,
    args: { Word: 1 },
    response: "Answer",
    latency_ms: 1,
    client: "c",
    session: "",
  };
  const of = (query: string) => filterOf(new URLSearchParams(query));

  test.each([
    ["", true],
    ["server=s&tool=t&kind=ping,call", true],
    ["kind=ping", false],
    ["outcome=failures", true],
    ["outcome=ok", false],
    ["text=wOrD", true],
    ["text=absent", false],
    ["range=custom&since=2026-01-01T11:00:00Z", false],
    ["range=custom&until=2026-01-01T10:00:00Z", false],
    ["range=nonsense&since=2030-01-01T00:00:00Z", true],
  ])("selects the same new entries as the hub: %s", (query, wanted) => {
    expect(selects(of(query), entry)).toBe(wanted);
  });

  test("is translated into the hub's query parameters", () => {
    expect(queryOf(of("outcome=failures"))).toEqual({ success: "false" });
    const since = Date.parse(queryOf(of("range=1h")).since ?? "");
    expect(Date.now() - since).toBeGreaterThanOrEqual(3_600_000);
  });
});
