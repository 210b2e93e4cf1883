// Tests of a server's page.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectAccessible, launch, toast, tryAgain, type View, visit } from "./support/browser.ts";
import { described, many, packaged, TestHub } from "./support/hub.ts";
import { named, row, servers, soon, tab } from "./support/servers.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

describe("one server", () => {
  let hub: TestHub;
  const at = (where: string, view?: View) => visit(browser, hub, `/servers/${where}`, view);
  beforeAll(async () => {
    hub = await new TestHub().start();
    await hub.restAsPerson("POST", "/api/secrets/unlock", { passphrase: "correct horse battery" });
    await hub.add("everything", packaged("everything"), { description: "One of everything", tags: ["demo"] });
    await hub.add("list", many(60, "list"), { env: { LIST_TOKEN: "plain-as-day-1", MODE: "a" } });
    await hub.rest("POST", "/api/servers", {
      name: "broken",
      command: "/usr/bin/false",
      args: ["--token", "sesame-1"],
      start: false, // a start of its own would bring back errors that were cleared
    });
    for (let i = 0; i < 3; i++) await call("everything", "echo", { message: "hi" });
    await call("everything", "echo", {}).catch(() => undefined);
  });
  afterAll(() => hub[Symbol.asyncDispose]());

  /** start starts a server, because a call over REST does not start it. */
  const start = async (name: string) => hub.rest("POST", `/api/servers/${(await named(hub, name)).id}/refresh`);

  async function call(name: string, tool: string, args: object): Promise<void> {
    await hub.rest("POST", `/api/servers/${(await named(hub, name)).id}/call`, { tool, args });
  }

  for (const theme of ["light", "dark"] as const) {
    test(`every tab is accessible in ${theme}`, async () => {
      const { page, context, problems } = await at("everything", { theme });
      for (const name of await page.getByRole("tab").allTextContents()) {
        await tab(page, name.replace(/\s*\d+$/, ""));
        await page.getByRole("tabpanel").locator(":not([aria-hidden])").first().waitFor();
        await expectAccessible(page, `${name}, ${theme}`);
      }
      expect(problems).toEqual([]);
      await context.close();
    });
  }

  test("its health is shown, it is checked and kept running, and its errors are cleared", async () => {
    const { page, context, problems } = await at("broken");
    await page.getByRole("button", { name: "Check now", exact: true }).click();
    await page.getByText("The last start or check failed", { exact: true }).waitFor();
    await page.getByRole("tabpanel").getByText("Failing").waitFor();
    expect(await page.getByRole("tabpanel").getByText("sesame-1").count()).toBe(0);
    await expectAccessible(page, "a server that fails");
    await page.getByRole("button", { name: "Clear errors" }).click();
    await page.getByText("No start or check has failed.").waitFor();

    await page.goto(page.url().replace("broken", "everything"));
    const panel = page.getByRole("tabpanel");
    await panel.getByText("p95").waitFor();
    await panel.getByRole("switch", { name: "Keep running" }).click();
    await panel.getByRole("switch", { name: "Keep running", checked: true }).waitFor();
    await panel.getByText("25.0 % of calls").waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  test("it is switched from its page and by the menu, and both can be undone", async () => {
    const { page, context, problems } = await at("everything");
    await page.getByRole("switch", { name: "everything always listed" }).click();
    await toast(page, /everything is always listed/);
    await page.getByRole("switch", { name: "everything always listed", checked: true }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("switch", { name: "everything always listed", checked: false }).waitFor();
    await page.getByRole("button", { name: "More for everything" }).click();
    await page.getByRole("menuitem", { name: "Refresh tools" }).click();
    await toast(page, "everything has 17 tools.");
    expect(problems).toEqual([]);
    await context.close();
  });

  test("its tools are searched and lead to their own pages", async () => {
    const { page, context, problems } = await at("list?tab=tools");
    await page.getByText(/^60 tools, /).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("invoice");
    await page.getByText(/^8 tools, /).waitFor();
    await page.waitForURL(/q=invoice/);
    const href = await page.getByRole("tabpanel").getByRole("link").first().getAttribute("href");
    expect(href).toBe("#/tools/list/list_create_invoice_0");
    await page.getByLabel("Search tools").fill("nothing has this");
    await page.getByText("No matching tools").waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  test("its figures and last calls follow new calls", async () => {
    const { page, context, problems } = await at("everything?tab=metrics");
    const cell = page.getByRole("row", { name: /^echo/ }).getByRole("cell").first();
    const before = Number(await cell.textContent());
    await start("everything");
    await call("everything", "echo", { message: "once more" });
    await page.getByRole("row", { name: new RegExp(`^echo ${before + 1}`) }).waitFor();
    await tab(page, "Activity");
    const calls = page.getByRole("list", { name: "Last calls of everything" }).getByRole("listitem");
    await calls.first().waitFor();
    const count = await calls.count();
    await call("everything", "get-sum", { a: 1, b: 2 });
    await calls.filter({ hasText: "get-sum" }).first().waitFor();
    expect(await calls.count()).toBe(count + 1);
    expect(await page.getByRole("link", { name: "All activity" }).getAttribute("href")).toBe(
      "#/activity?server=everything",
    );
    expect(problems).toEqual([]);
    await context.close();
  });

  test("its output is followed, does not move while the user reads it, and is filtered, copied and cleared", async () => {
    const { page, context, problems } = await at("list?tab=output");
    await start("list");
    for (let i = 0; i < 80; i++) await call("list", "list_create_invoice_0", { id: i });
    const log = page.getByRole("log");
    const { id } = await named(hub, "list");
    const written = await hub.rest<{ lines: object[] }>("GET", `/api/servers/${id}/output`);
    expect(written.lines.length).toBeGreaterThan(80);
    const lines = page.getByText(/^\d+ lines$/);
    await page.getByText(`${written.lines.length} lines`).waitFor();
    const scroller = log.locator("[tabindex]");
    const top = () => scroller.evaluate((element) => element.scrollTop);
    await expect.poll(top, soon).toBeGreaterThan(200);
    await scroller.evaluate((element) => element.scrollTo(0, 0));
    await page.getByRole("button", { name: "Go to end" }).waitFor();
    const before = await lines.textContent();
    await call("list", "list_create_invoice_0", { id: 1 });
    await expect.poll(() => lines.textContent(), soon).not.toBe(before);
    expect(await top()).toBe(0);
    await page.getByRole("button", { name: "Go to end" }).click();
    await expect.poll(top, soon).toBeGreaterThan(200);

    await page.getByLabel("Filter lines").fill("initialize");
    await log.getByText("received initialize").first().waitFor();
    await expectAccessible(page, "output");
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/ received initialize/);
    await page.getByRole("button", { name: "Clear view" }).click();
    await page.getByText("Cleared").waitFor();
    await page.getByLabel("Filter lines").fill("");
    await call("list", "list_create_invoice_0", { id: 2 });
    await log.getByText("received tools/call").waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  test("failed loads are reported and can be retried", async () => {
    const { page, context, problems } = await at("everything", { expected: /500/ });
    const refuse = (route: import("playwright-core").Route) =>
      route.fulfill({ status: 500, json: { error: "The disk is full." } });
    await page.route("**/metrics", refuse);
    await tab(page, "Metrics");
    await page.getByText("The disk is full.").waitFor();
    await expectAccessible(page, "failed loads");
    await page.unroute("**/metrics", refuse);
    await tryAgain(page);
    await page.getByRole("row", { name: /^echo/ }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  test("what clients would refuse of a server is shown, once it lists that", async () => {
    const file = join(hub.folder, "odd.json");
    const odd = [
      { name: "fine", inputSchema: { type: "object" } },
      { name: "null_title", title: null, inputSchema: { type: "object", required: null } },
      { description: "has no name", inputSchema: { type: "object" } },
    ];
    writeFileSync(file, JSON.stringify(odd.slice(0, 1)));
    const id = await hub.add("odd", described(file));
    const { page, context, problems } = await at("odd");
    await page.getByRole("heading", { name: "Health" }).waitFor();
    expect(await page.getByRole("heading", { name: "Mended for clients" }).count()).toBe(0);

    writeFileSync(file, JSON.stringify(odd));
    await hub.rest("POST", `/api/servers/${id}/restart`);
    await hub.rest("POST", `/api/servers/${id}/refresh`);
    await hub.approve("odd"); // what a server adds later is held
    const items = page.getByRole("list", { name: "Mended items of odd" }).getByRole("listitem");
    await items.nth(1).waitFor();
    expect(await items.count()).toBe(2);
    await items.getByText("title is null; left out").waitFor();
    await items.getByText("inputSchema.required is null; left out").waitFor();
    await items.filter({ hasText: "without a name" }).getByText("left out", { exact: false }).first().waitFor();
    await expectAccessible(page, "mended items");
    expect(problems).toEqual([]);
    await context.close();
  });

  test("an unknown server is reported", async () => {
    const { page, context } = await at("nobody");
    await page.getByText("Server not found").waitFor();
    await context.close();
  });

  test("a server gets another name, and its page follows", async () => {
    const { page, context, problems } = await at("everything?tab=tools");
    const rename = async (from: string, to: string) => {
      await page.getByRole("button", { name: `More for ${from}` }).click();
      await page.getByRole("menuitem", { name: "Rename…" }).click();
      const dialog = page.getByRole("dialog", { name: `Rename ${from}` });
      await dialog.getByLabel("New name").fill(to);
      return dialog;
    };
    const dialog = await rename("everything", "list");
    await expectAccessible(page, "a new name");
    await dialog.getByRole("button", { name: "Rename" }).click();
    await toast(page, /already exists/);
    await dialog.getByLabel("New name").fill("all");
    await dialog.getByRole("button", { name: "Rename" }).click();
    await page.waitForURL(/#\/servers\/all/);
    await page.getByRole("heading", { name: "all", exact: true }).waitFor();
    await (await rename("all", "everything")).getByRole("button", { name: "Rename" }).click();
    await page.getByRole("heading", { name: "everything", exact: true }).waitFor();
    expect(problems.filter((text) => !text.includes("409"))).toEqual([]);
    await context.close();
  });

  test("a server is removed after a confirmation, restored, and removed for good", async () => {
    const { page, context, problems } = await at("broken");
    const remove = async () => {
      await page.getByRole("button", { name: "More for broken" }).click();
      await page.getByRole("menuitem", { name: "Remove…" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
    };
    await page.getByRole("button", { name: "More for broken" }).click();
    await page.getByRole("menuitem", { name: "Remove…" }).click();
    await expectAccessible(page, "the confirmation to remove a server");
    await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
    await remove();
    await page.waitForURL(/#\/servers$/);
    await row(page, "everything").waitFor();
    expect(await row(page, "broken").count()).toBe(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await row(page, "broken").waitFor();
    await remove();
    await row(page, "broken").waitFor({ state: "hidden" });
    // Dismissing the toast ends the time to undo.
    await page.getByRole("button", { name: "Dismiss" }).last().click();
    await expect.poll(async () => (await servers(hub)).some(({ name }) => name === "broken"), soon).toBe(false);
    expect(problems).toEqual([]);
    await context.close();
  });
});
