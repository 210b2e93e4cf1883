import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectAccessible, launch, visit } from "./support/browser.ts";
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
  test(`every page of the menu opens and is accessible in ${theme}`, async () => {
    const { page, context, problems } = await visit(browser, hub, "/overview", { theme });
    const names = await page.getByRole("navigation").getByRole("link").allTextContents();
    for (const name of names.map((text) => text.replace(/\d+/g, "").trim())) {
      await page
        .getByRole("navigation")
        .getByRole("link", { name: new RegExp(`^${name}\\b`) })
        .click();
      await page.getByRole("heading", { level: 1, name }).waitFor();
      await expectAccessible(page, `${name}, ${theme}`);
    }
    expect(problems).toEqual([]);
    await context.close();
  });
}

test("the palette finds a server by keyboard alone", async () => {
  const { page, context, problems } = await visit(browser, hub);
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Type a command or a name…").waitFor();
  await page.keyboard.type("memory");
  await page.getByRole("option", { name: "memory", exact: true }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/servers\/memory/);
  expect(problems).toEqual([]);
  await context.close();
});

test("the palette ranks results, wraps around with arrow keys, and reports no results", async () => {
  const { page, context, problems } = await visit(browser, hub);
  await page.keyboard.press("Control+k");
  const box = page.getByRole("combobox", { name: "Commands" });
  await box.waitFor();
  const chosen = page.getByRole("option", { selected: true });
  const current = async () => {
    expect(await chosen.count()).toBe(1);
    expect(await box.getAttribute("aria-activedescendant")).toBe(await chosen.getAttribute("id"));
    return (await chosen.innerText()).trim();
  };
  const options = await page.getByRole("option").allInnerTexts();
  expect(options.length).toBeGreaterThan(6);
  const first = await current();
  await page.keyboard.press("ArrowUp");
  expect(await current()).toBe(options.at(-1)?.trim());
  await page.keyboard.press("ArrowDown");
  expect(await current()).toBe(first);
  await page.keyboard.type("srvs");
  expect(await current()).toMatch(/^Servers/);
  await box.fill("check");
  expect(await current()).toBe("Check all servers");
  await expectAccessible(page, "the palette");
  await box.fill("no such thing at all");
  await page.getByText("No results").waitFor();
  await page.keyboard.press("Enter");
  await box.fill("activity");
  await page.getByRole("option", { name: "Activity" }).first().click();
  await page.waitForURL(/#\/activity/);
  expect(problems).toEqual([]);
  await context.close();
});

test("tabs and segments are one Tab stop each, with arrow keys inside", async () => {
  const { page, context, problems } = await visit(browser, hub, "/servers/memory");
  const tab = page.getByRole("tab", { selected: true });
  const names = await page.getByRole("tab").allInnerTexts();
  await tab.focus();
  await page.keyboard.press("ArrowRight");
  expect(await tab.innerText()).toBe(names[1]);
  expect(await tab.evaluate((tab) => tab === document.activeElement)).toBe(true);
  const panel = page.getByRole("tabpanel");
  expect(await panel.getAttribute("aria-labelledby")).toBe(await tab.getAttribute("id"));
  await page.keyboard.press("End");
  expect(await tab.innerText()).toBe(names.at(-1));
  await page.keyboard.press("ArrowRight");
  expect(await tab.innerText()).toBe(names[0]);
  expect(await page.locator("[role=tab][tabindex='0']").count()).toBe(1);

  await page.keyboard.press("Control+4");
  const mode = page.getByRole("radiogroup", { name: "Search mode" });
  await mode.getByRole("radio", { checked: true }).focus();
  const before = await mode.getByRole("radio", { checked: true }).innerText();
  await page.keyboard.press("ArrowLeft");
  expect(await mode.getByRole("radio", { checked: true }).innerText()).not.toBe(before);
  await page.keyboard.press("ArrowLeft");
  expect(await mode.getByRole("radio", { checked: true }).innerText()).toBe(before);
  expect(problems).toEqual([]);
  await context.close();
});

test("menu, palette and page are reached by keyboard alone", async () => {
  const { page, context, problems } = await visit(browser, hub);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter"); // skip to the page
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
  await page.keyboard.press("Control+2");
  await page.getByRole("heading", { level: 1, name: "Servers" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("pause all");
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("Paused", { exact: true }).waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("resume all");
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("Ready").waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("the palette finds tools, and a question mark shows the keyboard shortcuts", async () => {
  const { page, context, problems } = await visit(browser, hub);
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await help.getByText("Find a page, server, tool or command").waitFor();
  await expectAccessible(page, "the keyboard shortcuts");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("read_gra");
  await page.getByRole("option", { name: /^read_graph/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/tools\/memory\/read_graph/);
  expect(problems).toEqual([]);
  await context.close();
});

test("an address typed without the number sign opens the page, and other programs get JSON", async () => {
  const { page, context } = await visit(browser, hub);
  await page.goto(`${hub.url}/servers/memory?tab=tools`);
  await page.getByRole("heading", { level: 1, name: "memory" }).waitFor();
  expect(await page.getByRole("tab", { selected: true }).innerText()).toMatch(/^Tools/);
  expect(page.url()).toBe(`${hub.url}/#/servers/memory?tab=tools`);
  const answer = await fetch(`${hub.url}/servers`, { headers: { Accept: "application/json" } });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([401, "application/json"]);
  await context.close();
});

test("a toast is replaced by its opposite, and leaves when another program undoes what it reports", async () => {
  const { page, context, problems } = await visit(browser, hub);
  const toasts = page.locator("[data-toasts]");
  // Toasts stay until something removes them.
  await page.evaluate(() => {
    const start = window.setTimeout.bind(window);
    window.setTimeout = ((run: () => void, ms?: number) =>
      ms === 6_000 ? 0 : start(run, ms)) as typeof window.setTimeout;
  });
  await page.getByRole("button", { name: "Pause all servers" }).click();
  await toasts.getByText("Paused: servers are stopped").waitFor();
  await page.getByRole("button", { name: "Resume all servers" }).click();
  await toasts.getByText("Resumed: servers start").waitFor();
  expect(await toasts.getByText("Paused: servers are stopped").count()).toBe(0);
  await page.getByRole("button", { name: "Pause all servers" }).click();
  await toasts.getByText("Paused: servers are stopped").waitFor();
  await page.getByRole("status").getByText("Paused", { exact: true }).waitFor();
  await hub.rest("POST", "/api/resume");
  await toasts.getByText("Paused: servers are stopped").waitFor({ state: "detached" });
  expect(problems).toEqual([]);
  await context.close();
});
