import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { agreeable, launch, visit } from "./support/browser.ts";
import { packaged, TestHub } from "./support/hub.ts";

let browser: Browser;
let hub: TestHub;

beforeAll(async () => {
  [browser, hub] = await Promise.all([launch(), new TestHub().start()]);
  await hub.add("memory", packaged("memory"));
});

afterAll(async () => {
  await browser.close();
  await hub[Symbol.asyncDispose]();
});

for (const theme of ["light", "dark"] as const) {
  test(`every page of the menu opens in ${theme} and pleases axe`, async () => {
    const { page, context, problems } = await visit(browser, hub, "/overview", { theme });
    const names = await page.getByRole("navigation").getByRole("link").allTextContents();
    for (const name of names.map((text) => text.replace(/\d+/g, "").trim())) {
      await page.getByRole("navigation").getByRole("link", { name }).click();
      await page.getByRole("heading", { level: 1, name }).waitFor();
      await agreeable(page, `${name}, ${theme}`);
    }
    expect(problems).toEqual([]);
    await context.close();
  });
}

test("a page without a ticket says how to come in, and shows nothing of the hub", async () => {
  const page = await browser.newPage();
  await page.goto(hub.url);
  await page.getByText("agent-discover open").waitFor();
  expect(await page.getByText("memory").count()).toBe(0);
  await page.close();
});

test("the palette finds a server by keyboard alone", async () => {
  const { page, context, problems } = await visit(browser, hub);
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Go to, or do…").waitFor();
  await page.keyboard.type("memory");
  await page.getByRole("option", { name: "memory" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/servers\/memory/);
  expect(problems).toEqual([]);
  await context.close();
});
