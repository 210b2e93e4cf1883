// A hub with the reference server for all tests of a file.

import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { launch, visit, type View, type Visit } from "./browser.ts";
import { TestHub } from "./hub.ts";
import { addEverything, cancelQuestions } from "./inspector.ts";

export interface Inspected {
  /** The hub; set before the first test. */
  hub: TestHub;
  /** Opens a page of the dashboard, which is closed after the test. */
  open: (path: string, view?: View) => Promise<Visit>;
}

/**
 * inspected starts a hub and a browser before the tests of a file and ends them afterwards. prepare gets the hub and
 * the id of the reference server. After each test, inspected cancels the questions that the test has not answered.
 */
export function inspected(prepare?: (hub: TestHub, everything: number) => Promise<void>): Inspected {
  let browser: Browser;
  const at = { open: (path: string, view?: View) => visit(browser, at.hub, path, view) } as Inspected;
  beforeAll(async () => {
    [browser, at.hub] = await Promise.all([launch(), new TestHub().start()]);
    const everything = await addEverything(at.hub, join(at.hub.folder, "heard"));
    await prepare?.(at.hub, everything);
  });
  afterAll(async () => {
    await browser.close();
    await at.hub[Symbol.asyncDispose]();
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    await cancelQuestions(at.hub);
  });
  return at;
}
