import { expect, test } from "vitest";
import { read } from "../src/pages/test/result.ts";

test("A failed call says what the hub knows about the mistake", () => {
  const failed = (members: object) => read(JSON.stringify({ content: [], isError: true, ...members })).hint;
  expect(failed({ arguments_error: "text is required", did_you_mean: ["echo"] })).toBe(
    "The arguments do not fit the schema of the tool: text is required.",
  );
  expect(failed({ did_you_mean: ["echo", "echoes"] })).toBe("Did you mean echo or echoes?");
  expect(failed({})).toBe("");
});
