import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page, WebSocketRoute } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Agent } from "./support/agent.ts";
import { expectAccessible, launch, pick, tryAgain, visit } from "./support/browser.ts";
import { packaged, TestHub } from "./support/hub.ts";

const hostile = [process.execPath, fileURLToPath(new URL("support/hostile.ts", import.meta.url))];
const CALLS = 250;

let browser: Browser;
let hub: TestHub;
let editor: Agent;

const call = (name: string, args: object = {}) => editor.ask("tools/call", { name, arguments: args });

const report = (n: number) => call("mcp__hostile__file_report", { title: `report ${n}`, owner: { email: "a@b" } });

beforeAll(async () => {
  [browser, hub] = await Promise.all([launch(), new TestHub().start()]);
  await hub.add("hostile", hostile);
  const id = await hub.add("everything", packaged("everything"));
  editor = await Agent.join(hub, "Test Editor");
  for (let i = 0; i < CALLS; i++) await report(i);
  await call("mcp__everything__echo", { message: "Hello" });
  await call("mcp__hostile__fails");
  await call("mcp__hostile__long", { text: "y".repeat(6_000) });
  await hub.rest("POST", `/api/servers/${id}/ping`, {});
  await hub.rest("POST", `/api/servers/${id}/resource/read`, {
    uri: "demo://resource/static/document/architecture.md",
  });
});

afterAll(async () => {
  await browser.close();
  await editor[Symbol.asyncDispose]();
  await hub[Symbol.asyncDispose]();
});

const open = (path: string, view = {}) => visit(browser, hub, path, view);
const rows = (page: Page) => page.getByRole("table", { name: "Log" }).locator("[data-row]");
const choose = (page: Page, filter: string, option: string) =>
  pick(page.getByRole("combobox", { name: filter, exact: true }), option);

for (const theme of ["light", "dark"] as const) {
  test(`the log and an entry are accessible in ${theme}`, async () => {
    const { page, context, problems } = await open("/activity?range=custom", { theme });
    await page.getByRole("link", { name: "long" }).waitFor();
    await expectAccessible(page, `activity, ${theme}`);
    await page.getByRole("link", { name: "long" }).click();
    await page.getByRole("dialog").getByText("Response").waitFor();
    await expectAccessible(page, `an entry, ${theme}`);
    expect(problems).toEqual([]);
    await context.close();
  });
}

test("an entry shows time, tool, client, outcome and duration", async () => {
  const { page, context, problems } = await open("/activity?server=hostile");
  const row = rows(page).filter({ hasText: "fails" });
  await row.getByText("Tool error").waitFor();
  await row.getByText("Test Editor").waitFor();
  await row.getByText("Call", { exact: true }).waitFor();
  expect(await row.innerText()).toMatch(/\d\d:\d\d:\d\d/);
  expect(await row.innerText()).toMatch(/\d ms/);
  expect(await row.getByTitle(/^Ended \d+ \w+ \d{4}, \d\d:\d\d:\d\d$/).count()).toBe(1);
  await row.getByRole("link").click();
  const panel = page.getByRole("dialog", { name: "fails" });
  await panel.getByText("The tool reported an error").waitFor();
  await panel.getByRole("region", { name: "Response text" }).getByText("<img src=x onerror").waitFor();
  await panel.getByRole("button", { name: "Copy session" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/\S{8,}/);
  expect(problems).toEqual([]);
  await context.close();
});

test("the log is filtered by server, tool, kind, outcome and text, and the address keeps the filters", async () => {
  const { page, context, problems } = await open("/activity");
  await choose(page, "Server", "hostile");
  await choose(page, "Tool", "fails");
  await page.waitForURL(/server=hostile&tool=fails/);
  await rows(page).filter({ hasText: "Tool error" }).waitFor();
  await page.waitForFunction(() => document.querySelectorAll("[data-row]").length === 1);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await choose(page, "Kind", "Ping");
  await rows(page).filter({ hasText: "Ping" }).first().waitFor();
  await page.waitForFunction(() => document.querySelectorAll("[data-row]").length === 1);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await choose(page, "Outcome", "All but OK");
  await rows(page).filter({ hasText: "fails" }).waitFor(); // all entries are shown until those with the outcome are loaded
  await rows(page).filter({ hasText: "hidden" }).waitFor(); // the tool that the scan blocks
  await page.waitForFunction(() => document.querySelectorAll("[data-row]").length === 2);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.keyboard.press("/");
  await page.keyboard.type('REPORT 17"');
  await rows(page).filter({ hasText: '"report 17"' }).waitFor();
  await page.waitForFunction(() => document.querySelectorAll("[data-row]").length === 1);
  await page.waitForURL(/text=REPORT/);
  await page.reload();
  await rows(page).filter({ hasText: '"report 17"' }).waitFor();
  expect(await rows(page).count()).toBe(1);
  expect(problems).toEqual([]);
  await context.close();
});

test("the log is limited to a time range, entered in the user's locale", async () => {
  const { page, context, problems } = await open("/activity");
  await choose(page, "Time", "Last hour");
  await rows(page).filter({ hasText: "long" }).waitFor();
  await choose(page, "Time", "Custom range");
  const until = page.getByLabel("to", { exact: true });
  await until.fill("31/12/2020 23:59");
  await until.press("Enter");
  await page.getByText("No matching entries").waitFor();
  await page.waitForURL(/until=2020-12-31T/);
  await until.fill("nonsense");
  await until.press("Enter");
  await page.locator("[aria-invalid=true]").waitFor();
  await until.fill("");
  await until.press("Enter");
  await page.getByLabel("From", { exact: true }).fill("1/2/2021");
  await page.getByLabel("From", { exact: true }).press("Enter");
  await page.waitForURL(/since=2021-0(2-01|1-31)T/);
  await rows(page).filter({ hasText: "long" }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("older entries load while scrolling, down to the first", async () => {
  const { page, context, problems } = await open("/activity?server=hostile&tool=file_report");
  await rows(page)
    .filter({ hasText: `report ${CALLS - 1}"` })
    .waitFor();
  expect(await rows(page).count()).toBeLessThan(60);
  await rows(page).first().getByRole("link").focus();
  const end = async () => {
    await page.keyboard.press("End");
    return page.getByText("End of the log").isVisible();
  };
  await expect.poll(end, { timeout: 60_000 }).toBe(true);
  await page.keyboard.press("End");
  await rows(page).filter({ hasText: '"report 0"' }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("new calls appear without moving the list, and wait while the log is paused", async () => {
  const { page, context, problems } = await open("/activity?server=hostile");
  await rows(page).filter({ hasText: "long" }).waitFor();
  await call("mcp__hostile__markup", { live: 1 });
  await rows(page).filter({ hasText: '{"live":1}' }).waitFor();

  const table = page.getByRole("table", { name: "Log" });
  await table.evaluate((element) => element.scrollTo({ top: 36 * 40 }));
  await rows(page).nth(10).waitFor();
  const seen = await table.evaluate((element) => element.scrollTop);
  const reading = await page.locator('[data-row="45"]').innerText();
  for (let i = 0; i < 3; i++) await call("mcp__hostile__markup", { later: i });
  await page.getByRole("button", { name: "3 new" }).waitFor();
  expect(await table.evaluate((element) => element.scrollTop)).toBe(seen);
  expect(await page.locator('[data-row="45"]').innerText()).toBe(reading);
  await page.getByRole("button", { name: "3 new" }).click();
  await rows(page).filter({ hasText: '{"later":2}' }).waitFor();

  await page.getByRole("button", { name: "Freeze list" }).click();
  await call("mcp__hostile__markup", { paused: true });
  await page.getByRole("button", { name: "1 new" }).waitFor();
  expect(await rows(page).filter({ hasText: '{"paused":true}' }).count()).toBe(0);
  await page.getByRole("button", { name: "Unfreeze list" }).click();
  await rows(page).filter({ hasText: '{"paused":true}' }).waitFor();
  await call("mcp__everything__echo", { message: "other" });
  await call("mcp__hostile__markup", { last: true });
  await rows(page).filter({ hasText: '{"last":true}' }).waitFor();
  expect(await rows(page).filter({ hasText: "echo" }).count()).toBe(0);
  expect(problems).toEqual([]);
  await context.close();
});

test("arrow keys move between entries, and Escape restores the focus", async () => {
  const { page, context, problems } = await open("/activity?server=hostile&tool=file_report");
  await rows(page).first().getByRole("link").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const panel = page.getByRole("dialog");
  const sent = panel.getByRole("region", { name: "Arguments" }).last();
  await sent.getByText(`"report ${CALLS - 2}"`).waitFor();
  await page.keyboard.press("ArrowDown");
  await sent.getByText(`"report ${CALLS - 3}"`).waitFor();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await sent.getByText(`"report ${CALLS - 1}"`).waitFor();
  expect(await panel.getByRole("button", { name: "Newer entry" }).isDisabled()).toBe(true);
  await page.reload();
  await sent.getByText(`"report ${CALLS - 1}"`).waitFor();
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  await page.waitForURL(/#\/activity\?server=hostile/);
  expect(problems).toEqual([]);
  await context.close();
});

test("the address of an entry shows it despite filters, and reports an unknown entry", async () => {
  const { entries } = await hub.rest<{ entries: { id: number }[] }>("GET", "/api/logs?tool=echo&limit=1");
  const { page, context, problems } = await open(`/activity/${entries[0]?.id}?server=hostile`);
  await page.getByRole("dialog", { name: "echo" }).waitFor();
  await page.evaluate(() => (location.hash = "/activity/999999"));
  await page.getByText("Entry not found").waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("a call can be replayed unless its arguments were truncated", async () => {
  const { page, context, problems } = await open("/activity?tool=file_report&server=hostile");
  await rows(page).first().getByRole("link").click();
  const panel = page.getByRole("dialog");
  const href = (await panel.getByRole("link", { name: "Replay" }).getAttribute("href")) ?? "";
  const [path, query] = href.split("?");
  expect(path).toBe("#/test/hostile");
  expect(new URLSearchParams(query).get("tool")).toBe("file_report");
  expect(JSON.parse(new URLSearchParams(query).get("args") ?? "")).toMatchObject({ title: `report ${CALLS - 1}` });
  await panel.getByRole("link", { name: "Replay" }).click();
  await page.waitForURL(/#\/test\/hostile/);
  await page.waitForFunction(
    (title) => [...document.querySelectorAll("input")].some((input) => input.value === title),
    `report ${CALLS - 1}`,
  );
  await page.evaluate(() => (location.hash = "/activity?tool=long"));
  await page.getByRole("link", { name: "long" }).click();
  await panel.getByText("Truncated: the log keeps the first 4 KB").first().waitFor();
  await panel.getByText("Truncated: no replay").waitFor();
  expect(await panel.getByRole("link", { name: "Replay" }).count()).toBe(0);
  expect(problems).toEqual([]);
  await context.close();
});

test("matching entries are exported as JSON Lines and as CSV", async () => {
  const { page, context, problems } = await open("/activity?server=hostile&tool=fails");
  await rows(page).first().waitFor();
  const save = async (item: string) => {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export and clear" }).click();
    await page.getByRole("menuitem", { name: item }).click();
    const file = await download;
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
  };
  const lines = await save("Export as JSON Lines");
  expect(lines.name).toMatch(/^agent-discover-log-\d{4}-\d\d-\d\d\.jsonl$/);
  const [only, ...rest] = lines.text.trim().split("\n");
  expect(rest).toEqual([]);
  expect(JSON.parse(only ?? "")).toMatchObject({ tool: "fails", client: "Test Editor", outcome: "tool_error" });
  const table = await save("Export as CSV");
  expect(table.name).toMatch(/\.csv$/);
  expect(table.text.split("\n")[0]).toContain("timestamp,server,tool,kind,client");
  expect(table.text).toContain("fails,call,Test Editor");
  expect(problems).toEqual([]);
  await context.close();
});

/** slow holds back the responses to requests for the log. begun resolves when the first is held back. */
async function slow(page: Page): Promise<{ begun: Promise<void>; release: () => void }> {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route("**/api/logs?*server=hostile*", async (route) => {
    const response = await route.fetch();
    begun.resolve();
    await released.promise;
    await route.fulfill({ response });
  });
  return { begun: begun.promise, release: released.resolve };
}

/** gathered waits longer than the page gathers entries before it shows them. */
const gathered = (page: Page) => page.evaluate(() => new Promise((done) => setTimeout(done, 500)));

test("an entry that arrives while the log is loading is shown", async () => {
  const { page, context, problems } = await open("/overview");
  const { begun, release } = await slow(page);
  await page.evaluate(() => (location.hash = "/activity?server=hostile"));
  await begun;
  await call("mcp__hostile__markup", { early: true });
  await gathered(page);
  release();
  await rows(page).filter({ hasText: '{"early":true}' }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("the log loads entries that it missed while disconnected", async () => {
  const { page, context } = await open("/overview", { expected: /WebSocket/ });
  let offline = false;
  const sockets: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/ws\?/, (socket) => {
    if (offline) return void socket.close();
    socket.connectToServer();
    sockets.push(socket);
  });
  await page.evaluate(() => (location.hash = "/activity?server=hostile"));
  await page.reload();
  await rows(page).first().waitFor();
  offline = true;
  await sockets.at(-1)?.close();
  await page.getByRole("alert").getByText("Not connected").waitFor();
  // Click before the hub can be reached: then the page reconnects without a click, and the button disappears.
  await page.getByRole("button", { name: "Try again" }).click();
  await call("mcp__hostile__markup", { meanwhile: true });
  const { begun, release } = await slow(page);
  offline = false;
  await begun;
  await call("mcp__hostile__markup", { afterwards: true });
  await gathered(page);
  release();
  await rows(page).filter({ hasText: '{"afterwards":true}' }).waitFor();
  await rows(page).filter({ hasText: '{"meanwhile":true}' }).waitFor();
  await context.close();
});

test("an empty log says what to do, clearing asks first and keeps statistics, and a failed load can be retried", async () => {
  await using other = await new TestHub().start();
  const { page, context, problems } = await visit(browser, other, "/activity", {
    expected: /ERR_FAILED|Failed to load/,
  });
  await page.getByText("No calls yet").waitFor();
  await expectAccessible(page, "an empty log");
  const id = await other.add("memory", packaged("memory")); // sends no messages, which would be new entries after the log is cleared
  await other.rest("POST", `/api/servers/${id}/call`, { tool: "search_nodes", args: { query: "one" } });
  await rows(page).filter({ hasText: "one" }).waitFor();
  await page.getByRole("button", { name: "Export and clear" }).click();
  await page.getByRole("menuitem", { name: "Clear log…" }).click();
  await page.getByRole("alertdialog").getByText("Tool statistics and").waitFor();
  await page.getByRole("button", { name: "Clear log" }).click();
  await page.getByText("No calls yet").waitFor();
  const [calls] = await other.rest<{ total_calls: number }[]>("GET", "/api/metrics");
  expect(calls?.total_calls).toBe(1);
  await page.route("**/api/logs?*", (route) => route.abort());
  await page.reload();
  await page.getByText("Could not load the log").waitFor();
  await page.unroute("**/api/logs?*");
  await tryAgain(page);
  await page.getByText("No calls yet").waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("toasts stay above the buttons of a panel", async () => {
  const { page, context, problems } = await open("/activity?server=hostile");
  await rows(page).getByRole("link").first().waitFor();
  await page.getByRole("button", { name: "Pause all servers" }).click();
  const toast = page.locator("[data-toasts]").getByText("Paused: servers are stopped");
  await toast.waitFor();
  await rows(page).getByRole("link").first().click();
  const footer = page.getByRole("dialog").locator("[data-footer]");
  await footer.getByRole("button", { name: "Copy entry" }).waitFor();
  const gap = async () => {
    const [above, below] = await Promise.all([toast.boundingBox(), footer.boundingBox()]);
    return (below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0);
  };
  await expect.poll(gap).toBeGreaterThanOrEqual(0);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Resume all servers" }).click();
  expect(problems).toEqual([]);
  await context.close();
});
