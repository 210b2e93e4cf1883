import { createServer } from "node:http";
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
      await page.getByRole("navigation").getByRole("link", { name }).click();
      await page.getByRole("heading", { level: 1, name }).waitFor();
      await expectAccessible(page, `${name}, ${theme}`);
    }
    expect(problems).toEqual([]);
    await context.close();
  });
}

test("a page without a ticket says how to open the dashboard, and shows no data", async () => {
  const page = await browser.newPage();
  await page.goto(hub.url);
  await page.getByText("agent-discover open").waitFor();
  expect(await page.getByText("memory").count()).toBe(0);
  await page.close();
});

test("the palette finds a server by keyboard alone", async () => {
  const { page, context, problems } = await visit(browser, hub);
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Type a command or a name…").waitFor();
  await page.keyboard.type("memory");
  await page.getByRole("option", { name: "memory" }).waitFor();
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

test("a page reconnects after a restart of the hub and updates itself", async () => {
  const own = await new TestHub().start();
  const { page, context } = await visit(browser, own);
  await own.end("SIGKILL");
  await page.getByRole("status").getByText("Not connected").waitFor();
  await page.getByText("it keeps trying to connect").waitFor();

  await own.start();
  await own.add("newcomer", packaged("memory"));
  await page.getByRole("status").getByText("Ready").waitFor();
  await page.getByRole("navigation").getByRole("link", { name: "Servers" }).click();
  await page.getByText("newcomer").first().waitFor();
  await context.close();
  await own[Symbol.asyncDispose]();
});

test("another program on the port of a dead hub does not get the page's token", async () => {
  const own = await new TestHub().start();
  const { page, context } = await visit(browser, own);
  await own.end("SIGKILL");
  await page.getByRole("status").getByText("Not connected").waitFor();

  const heard: string[] = [];
  const stranger = createServer((request, response) => {
    heard.push(String(request.headers.authorization ?? ""));
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ nonce: "0", proof: "0", session_proof: "00", version: "1", protocol: 1 }));
  });
  const asked = new Promise((done) => stranger.on("request", done));
  await new Promise<void>((done) => stranger.listen(own.info.port, "127.0.0.1", done));
  await asked;
  await page.getByText("Another program answers").first().waitFor();
  expect(heard.filter(Boolean)).toEqual([]);
  stranger.close();
  stranger.closeAllConnections();
  await context.close();
  await own[Symbol.asyncDispose]();
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

test("a hub without authentication shows its dashboard without a ticket", async () => {
  const own = await new TestHub().start({ AGENT_DISCOVER_AUTH: "off" });
  const page = await browser.newPage();
  await page.goto(own.url);
  await page.getByRole("status").getByText("Ready").waitFor();
  await page.close();
  await own[Symbol.asyncDispose]();
});
