import { expect, test } from "vitest";
import { scriptSizes } from "./support/size.ts";

test("all scripts of the dashboard together have at most 320 kB, gzipped", () => {
  const { all, parts } = scriptSizes();
  expect(parts.length).toBeGreaterThan(5);
  expect(all, parts.map(({ name, kB }) => `${name} ${kB.toFixed(1)}`).join("\n")).toBeLessThanOrEqual(320);
});
