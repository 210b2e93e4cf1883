import { expect, test } from "vitest";
import { TestHub } from "./support/hub.ts";
import { committed, generated } from "./types.ts";

test("the types of the dashboard are those of the hub (npm run types brings them up to date)", async () => {
  await using hub = await new TestHub().start();
  expect((await generated(hub)) === committed()).toBe(true);
});
