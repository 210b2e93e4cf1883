// Tests of the values of forms: defaults, validation, and conversion from text and JSON.

import { describe, expect, test } from "vitest";
import { check } from "../src/lib/form/check.ts";
import { parse, Unparsed, withMember } from "../src/lib/form/json.ts";
import { specOf } from "../src/lib/form/schema.ts";
import { initial, localOf, numberOf, others, zonedOf } from "../src/lib/form/values.ts";
import { field } from "./support/field.ts";

describe("invalid values are reported at their path", () => {
  const person = specOf({
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string", minLength: 2 },
      tags: { type: "array", items: { type: "string", pattern: "^[a-z]+$" }, maxItems: 2, uniqueItems: true },
      "a/b": { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    },
  });
  test.each<[unknown, Record<string, RegExp>]>([
    [{ name: "Ann" }, {}],
    [{}, { "/name": /required/ }],
    [{ name: "A" }, { "/name": /at least 2/ }],
    [{ name: "👩" }, { "/name": /at least 2/ }],
    [{ name: 5 }, { "/name": /text/ }],
    [{ name: null }, { "/name": /null is not/ }],
    [{ name: "Ann", tags: ["ok", "NO"] }, { "/tags/1": /match/ }],
    [{ name: "Ann", tags: ["a", "b", "c"] }, { "/tags": /at most 2/ }],
    [{ name: "Ann", tags: ["a", "a"] }, { "/tags": /twice/ }],
    [{ name: "Ann", tags: "a" }, { "/tags": /list/ }],
    [{ name: "Ann", tags: [undefined] }, { "/tags/0": /required/ }],
    [{ name: "Ann", "a/b": {} }, { "/a~1b/n": /required/ }],
    [{ name: "Ann", "a/b": { n: 1.5 } }, { "/a~1b/n": /whole/ }],
    [{ name: "Ann", "a/b": "x" }, { "/a~1b": /object/ }],
    [{ name: new Unparsed("{", "Line 1, column 2: …") }, { "/name": /Line 1/ }],
    ["text", { "": /object/ }],
  ])("%j", (value, expected) => {
    const found = Object.fromEntries(check(person, value));
    expect(Object.keys(found)).toEqual(Object.keys(expected));
    for (const [place, words] of Object.entries(expected)) expect(found[place]).toMatch(words);
  });

  test.each<[object, unknown, RegExp | null]>([
    [{ type: "number", minimum: 2 }, 1, /at least 2/],
    [{ type: "number", maximum: 2 }, 3, /at most 2/],
    [{ type: "number", exclusiveMinimum: 2 }, 2, /more than 2/],
    [{ type: "number", exclusiveMaximum: 2 }, 2, /less than 2/],
    [{ type: "number", multipleOf: 0.1 }, 0.3, null],
    [{ type: "number", multipleOf: 5 }, 12, /multiple of 5/],
    [{ type: "number" }, "12a", /number/],
    [{ type: "integer" }, 2 ** 60, /too large/],
    [{ type: "integer" }, 4, null],
    [{ type: "boolean" }, "yes", /true or false/],
    [{ type: "string", maxLength: 3 }, "abcd", /at most 3/],
    [{ type: "string", format: "email" }, "a@b", null],
    [{ type: "string", format: "email" }, "ab", /e-mail/],
    [{ type: "string", format: "uri" }, "https://a.b/c", null],
    [{ type: "string", format: "uri" }, "a.b/c", /address/],
    [{ type: "string", format: "date" }, "2024-02-29", null],
    [{ type: "string", format: "date" }, "2023-02-29", /date/],
    [{ type: "string", format: "date-time" }, "2024-05-01T10:00:00Z", null],
    [{ type: "string", format: "date-time" }, "2024-05-01T10:00:00+02:00", null],
    [{ type: "string", format: "date-time" }, "2024-05-01T10:00:00", /zone/],
    [{ type: "string", format: "date-time" }, "2024-02-31T10:00:00Z", /zone/],
    [{ enum: ["a", "b"] }, "c", /not one of/],
    [{ enum: [{ x: 1 }] }, { x: 1 }, null],
    [{ type: ["string", "null"] }, null, null],
    [{ type: "array", items: { enum: ["a"] }, minItems: 1 }, [], /at least 1/],
    [{ type: "array", items: { enum: ["a"] } }, ["z"], /not one of/],
    [{ type: ["string", "number"] }, true, /must be text/],
    [{ type: ["string", "number"] }, 5, null],
    [{ oneOf: [{ type: "string" }, { type: "number" }] }, [1], /must be text/],
    [{ oneOf: [{ type: "string" }, { type: "number" }] }, 1, null],
    [{ anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] }, ["a"], null],
  ])("%j with %j", (schema, value, expected) => {
    const problem = check(field(schema), value).get("");
    if (expected) expect(problem).toMatch(expected);
    else expect(problem).toBeUndefined();
  });
});

describe("a form starts with", () => {
  test("its defaults, also in nested objects, and nothing else", () => {
    const spec = specOf({
      type: "object",
      required: ["inner"],
      properties: {
        a: { type: "string", default: "x" },
        b: { type: "string" },
        inner: { type: "object", properties: { n: { type: "integer", default: 3 } } },
        empty: { type: "object", properties: { m: { type: "integer" } } },
      },
    });
    expect(initial(spec)).toEqual({ a: "x", inner: { n: 3 } });
  });

  test("a default of the whole value", () => {
    expect(initial(specOf({ type: "object", properties: { a: {} }, default: { a: 1 } }))).toEqual({ a: 1 });
  });
});

test("members that the schema does not name are kept and listed", () => {
  const spec = specOf({ type: "object", properties: { a: {} } });
  expect(others(spec, { a: 1, b: 2, constructor: 3 })).toEqual(["b", "constructor"]);
  expect(withMember({ a: 1, b: 2 }, "a", 5)).toEqual({ a: 5, b: 2 });
  expect(withMember({ a: 1, b: 2 }, "a", undefined)).toEqual({ b: 2 });
  expect(withMember(undefined, "a", 1)).toEqual({ a: 1 });
});

test("typed numbers are parsed", () => {
  expect(["", " ", "5", "-1.5", "1.", ".5", "1e3", "+2"].map(numberOf)).toEqual([
    undefined,
    undefined,
    5,
    -1.5,
    1,
    0.5,
    1000,
    2,
  ]);
  expect(["12a", "0x10", "1e999", "--1", "NaN"].map(numberOf)).toEqual(["12a", "0x10", "1e999", "--1", "NaN"]);
});

test("a date-time survives the conversion to an input and back", () => {
  for (const moment of ["2024-05-01T10:20:30Z", "2024-12-31T23:59:00+05:30"]) {
    const back = zonedOf(localOf(moment));
    expect(new Date(back ?? "").getTime()).toBe(new Date(moment).getTime());
  }
  expect(localOf("tomorrow")).toBe("");
  expect(zonedOf("")).toBeUndefined();
});

describe("invalid JSON is reported with its position", () => {
  test.each<[string, number, number, RegExp]>([
    ["", 1, 1, /unexpected end/],
    ["{", 1, 2, /unexpected end/],
    ['{"a": 1,}', 1, 9, /name/],
    ['{"a" 1}', 1, 6, /colon/],
    ["{a: 1}", 1, 2, /name/],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, /comma/],
    ["[1, 2", 1, 6, /unexpected end/],
    ["[1, , 2]", 1, 5, /value/],
    ['{"a": "x\ny"}', 1, 7, /unterminated/],
    ["[01]", 1, 2, /value/],
    ["tru", 1, 1, /value/],
    ["{} x", 1, 4, /unexpected text/],
    ["[}", 1, 2, /value/],
    ["'a'", 1, 1, /value/],
  ])("%j", (text, line, column, problem) => {
    const parsed = parse(text);
    expect(parsed).toMatchObject({ ok: false, line, column });
    if (!parsed.ok) expect(parsed.problem).toMatch(problem);
  });

  test("valid JSON is parsed", () => {
    expect(parse(' {"a": [1, "\\u00e9", null]} ')).toEqual({ ok: true, value: { a: [1, "é", null] } });
  });
});
