import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Agent } from "./support/agent.ts";
import { expectAccessible, launch, tryAgain, visit } from "./support/browser.ts";
import { plain, TestHub } from "./support/hub.ts";

let browser: Browser;
let hub: TestHub;
let editor: Agent;

beforeAll(async () => {
  [browser, hub] = await Promise.all([launch(), new TestHub().start()]);
  await hub.add("tickets", plain(24, "tickets"));
  editor = await Agent.join(hub, "Test Editor");
});

afterAll(async () => {
  await browser.close();
  await editor[Symbol.asyncDispose]();
  await hub[Symbol.asyncDispose]();
});

afterEach(async () => {
  await hub.rest("DELETE", "/api/learned");
  await hub.rest("PUT", "/api/learned", { on: true });
});

const open = (path: string, view = {}) => visit(browser, hub, path, view);
const panel = (page: Page) => page.getByRole("dialog", { name: "Learned" });

/** teach makes an agent search for a query and then call a tool. */
async function teach(query: string, tool: string): Promise<void> {
  await editor.registry("find_tool", { query });
  await editor.registry("proxy_call", { server: "tickets", tool, arguments: { id: 1 } });
}

interface List {
  on: boolean;
  entries: { query: string; tool: string }[];
}
const learned = async (): Promise<List> => (await hub.rest("GET", "/api/learned")) as List;

for (const theme of ["light", "dark"] as const) {
  test(`the learned panel is accessible while empty, filled and being erased, in ${theme}`, async () => {
    const { page, context, problems } = await open("/tools?mode=ask", { theme });
    await page.getByRole("button", { name: "Learned" }).click();
    await panel(page).getByText("Nothing learned yet").waitFor();
    expect(await panel(page).getByRole("button", { name: "Erase all…" }).isDisabled()).toBe(true);
    await expectAccessible(page, `nothing learned, ${theme}`);
    await teach("list the sprints of the board", "list_sprint");
    await teach("create a ticket for me", "create_ticket");
    await panel(page).getByText("create a ticket for me").waitFor();
    await expectAccessible(page, `learned, ${theme}`);
    await panel(page).getByRole("button", { name: "Erase all…" }).click();
    await page.getByRole("alertdialog").waitFor();
    await expectAccessible(page, `erasing, ${theme}`);
    expect(problems).toEqual([]);
    await context.close();
  });
}

test("a new entry appears with its tool, count and time", async () => {
  await teach("list the sprints of the board", "list_sprint");
  const { page, context, problems } = await open("/tools?mode=ask&learned=1");
  const entry = panel(page).getByRole("listitem");
  await entry.getByText("list the sprints of the board").waitFor();
  await entry.getByText("1 time", { exact: true }).waitFor();
  await entry.getByText("just now").waitFor();
  expect(await entry.count()).toBe(1);
  await teach("say \u202etxt.exe <b>bold</b> sk-proj-0123456789abcdefghijkl", "create_ticket");
  await panel(page).getByText("say \\u202etxt.exe <b>bold</b> [redacted]").waitFor();
  await entry.filter({ hasText: "the board" }).getByRole("link", { name: "list_sprint" }).click();
  await page.getByRole("dialog", { name: "list_sprint" }).waitFor();
  await page.keyboard.press("Escape");
  await page.waitForURL(/#\/tools\?mode=ask$/);
  expect(problems).toEqual([]);
  await context.close();
});

test("an entry can be deleted and restored, and all are erased after a confirmation", async () => {
  await teach("list the sprints of the board", "list_sprint");
  await teach("create a ticket for me", "create_ticket");
  const { page, context, problems } = await open("/tools?mode=ask&learned=1");
  const entries = panel(page).getByRole("list", { name: "Learned" }).getByRole("listitem");
  const forget = panel(page).getByRole("button", { name: "Forget “create a ticket for me”" });
  await forget.click();
  await entries.filter({ hasText: "a ticket" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await entries.filter({ hasText: "a ticket" }).waitFor();
  expect((await learned()).entries.length).toBe(2);
  await forget.click();
  await page.getByText("“create a ticket for me” deleted.").waitFor();
  await page.getByRole("button", { name: "Dismiss" }).click();
  await expect.poll(async () => (await learned()).entries.map(({ tool }) => tool)).toEqual(["list_sprint"]);

  await panel(page).getByRole("button", { name: "Erase all…" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
  expect((await learned()).entries.length).toBe(1);
  await panel(page).getByRole("button", { name: "Erase all…" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Erase all" }).click();
  await panel(page).getByText("Nothing learned yet").waitFor();
  expect((await learned()).entries).toEqual([]);
  expect(problems).toEqual([]);
  await context.close();
});

test("learning is switched off and on, in the panel or by another program", async () => {
  await teach("list the sprints of the board", "list_sprint");
  const { page, context, problems } = await open("/tools?learned=1");
  const onOff = panel(page).getByRole("switch", { name: "Learn from calls of agents" });
  await onOff.click();
  await panel(page).getByText("Off: the search neither learns").waitFor();
  expect((await learned()).on).toBe(false);
  await expectAccessible(page, "learning is off");
  await teach("create a ticket for me", "create_ticket");
  expect((await learned()).entries.length).toBe(1);
  await panel(page).getByText("list the sprints of the board").waitFor();
  await hub.rest("PUT", "/api/learned", { on: true });
  await panel(page).getByText("Everything stays on this machine").waitFor();
  expect(await onOff.getAttribute("aria-checked")).toBe("true");
  expect(problems).toEqual([]);
  await context.close();
});

test("the panel works by keyboard alone", async () => {
  await teach("list the sprints of the board", "list_sprint");
  const { page, context, problems } = await open("/tools");
  await page.getByRole("table").waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("search has learned");
  await page.getByRole("option", { name: "Show what the search has learned" }).waitFor();
  await page.keyboard.press("Enter");
  await panel(page).getByText("list the sprints of the board").waitFor();
  const focused = (label: RegExp) =>
    page.evaluate(
      (source) =>
        new RegExp(source).test(
          document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "",
        ),
      label.source,
    );
  for (let i = 0; i < 10 && !(await focused(/^Forget/)); i++) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await panel(page).getByText("Nothing learned yet").waitFor();
  await page.keyboard.press("Escape");
  await panel(page).waitFor({ state: "detached" });
  await page.waitForURL(/#\/tools$/);
  // Leaving the page before the time to undo is over deletes the entry. A closed context would drop the request.
  await page.goto("about:blank");
  await expect.poll(async () => (await learned()).entries).toEqual([]);
  expect(problems).toEqual([]);
  await context.close();
});

test("failed requests are reported and can be retried", async () => {
  await teach("list the sprints of the board", "list_sprint");
  const { page, context, problems } = await open("/tools", { expected: /ERR_FAILED|Failed to load/ });
  await page.route("**/api/learned*", (route) => route.abort());
  await page.getByRole("table").waitFor();
  await page.evaluate(() => (location.hash = "/tools?learned=1"));
  await panel(page).getByText("Could not load what was learned").waitFor();
  await expectAccessible(page, "learned, failing");
  await page.unroute("**/api/learned*");
  await tryAgain(panel(page));
  await panel(page).getByText("list the sprints of the board").waitFor();
  await page.route("**/api/learned*", (route) =>
    route.request().method() === "GET" ? route.continue() : route.abort(),
  );
  await panel(page).getByRole("switch").click();
  await page.getByText("The hub does not answer.").waitFor();
  await panel(page).getByText("Everything stays on this machine").waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("reasons of a search are described, including unknown ones", async () => {
  const { page, context, problems } = await open("/tools?mode=ask");
  await page.route("**/api/find", async (route) => {
    const answer = await route.fetch();
    const reply = (await answer.json()) as { hits: { why: object[] }[] };
    const first = reply.hits[0];
    if (first)
      first.why = [
        { field: "name", terms: ["list", "ticket"], points: 0.4 },
        { field: "meaning", terms: [], points: 0.3 },
        { field: "learned", terms: ["show", "board"], points: 0.2 },
        { field: "learned", terms: ["board"], points: 0.1 },
        { field: "mention", terms: [], points: 0.07 },
        { field: "moon", terms: ["phase"], points: 0.05 },
      ];
    await route.fulfill({ json: reply });
  });
  await page.getByLabel("What the agent needs").fill("list tickets");
  const why = page.getByRole("list", { name: "Why" }).first().getByRole("listitem");
  await why.filter({ hasText: "called after a similar query" }).first().waitFor();
  const texts = (await why.allTextContents()).map((text) => text.replace(/\s+/g, " ").trim());
  expect(texts).toEqual([
    "its name 0.40 list, ticket",
    "its meaning 0.30",
    "called after a similar query 0.20 show, board",
    "called after a similar query 0.10 board",
    "named in the query 0.07",
    "moon 0.05 phase",
  ]);
  expect(problems).toEqual([]);
  await context.close();
});
