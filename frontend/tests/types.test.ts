import { expect, test } from "vitest";
import { TestHub } from "./support/hub.ts";
import { committed, generated } from "./types.ts";

test("the dashboard's types match the hub's API (npm run types updates them)", async () => {
  await using hub = await new TestHub().start();
  expect((await generated(hub)) === committed()).toBe(true);
});
