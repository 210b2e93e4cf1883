import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { propertiesOf } from "../src/pages/tools/schema.ts";
import { Agent } from "./support/agent.ts";
import { expectAccessible, expectFits, launch, pick, tryAgain, visit } from "./support/browser.ts";
import { many, packaged, TestHub } from "./support/hub.ts";

const hostile = [process.execPath, fileURLToPath(new URL("support/hostile.ts", import.meta.url))];
const SERVERS = 20;
const EACH = 150;

let browser: Browser;
let hub: TestHub;
let editor: Agent;

const call = (name: string, args: object = {}) => editor.ask("tools/call", { name, arguments: args });

beforeAll(async () => {
  [browser, hub] = await Promise.all([launch(), new TestHub().start()]);
  await hub.add("memory", packaged("memory"));
  await hub.add("hostile", hostile);
  await hub.approve("hostile");
  for (let i = 0; i < SERVERS; i++) await hub.add(`many-${i}`, many(EACH, `s${i}`));
  editor = await Agent.join(hub, "Test Editor");
  await call("mcp__hostile__file_report", { title: "one", owner: { email: "a@b.example" } });
  await call("mcp__hostile__fails");
});

afterAll(async () => {
  await browser.close();
  await editor[Symbol.asyncDispose]();
  await hub[Symbol.asyncDispose]();
});

const open = (path: string, view = {}) => visit(browser, hub, path, view);

for (const theme of ["light", "dark"] as const) {
  test(`the list, a tool and the search are accessible in ${theme}`, async () => {
    const { page, context, problems } = await open("/tools?server=hostile", { theme });
    await page.getByRole("link", { name: "file_report" }).waitFor();
    await expectAccessible(page, `tools, ${theme}`);
    await page.getByRole("link", { name: "file_report" }).click();
    await page.getByRole("dialog").getByText("Usage").waitFor();
    await expectAccessible(page, `a tool, ${theme}`);
    await page.keyboard.press("Escape");
    await page.getByRole("radio", { name: "Ask as an agent" }).click();
    await page.getByLabel("What the agent needs").fill("create an invoice");
    await page.getByRole("region", { name: "Result" }).getByText("Found").waitFor();
    await expectAccessible(page, `asking, ${theme}`);
    expect(problems).toEqual([]);
    await context.close();
  });
}

test("three thousand tools are listed with their costs in a virtual list", async () => {
  const { page, context, problems } = await open("/tools");
  await page.getByText(/^3,01\d tools of 22 servers$/).waitFor();
  await page.getByText(/[\d,]+ tokens in all/).waitFor();
  const table = page.getByRole("table", { name: "Tools" });
  expect(Number(await table.getAttribute("aria-rowcount"))).toBeGreaterThan(3_000);
  expect(await table.getByRole("row").count()).toBeLessThan(60);
  await table.getByRole("link").first().press("End");
  const focused = (row: number) =>
    page.waitForFunction(
      (n) => document.activeElement?.closest("[data-row]")?.getAttribute("data-row") === n,
      `${row}`,
    );
  await focused(Number(await table.getAttribute("aria-rowcount")) - 2);
  await page.keyboard.press("Home");
  await focused(0);
  expect(problems).toEqual([]);
  await context.close();
});

test("tools are filtered by server and text, and the address keeps the filters over a reload", async () => {
  const { page, context, problems } = await open("/tools");
  await page.keyboard.press("/");
  await page.keyboard.type("workspace INVOICE_16");
  await page.getByRole("status").getByText("20 of 3,0").waitFor();
  await pick(page.getByRole("combobox", { name: "Server" }), /^many-3\b/);
  await page.getByRole("status").getByText("1 of 3,0").waitFor();
  await page.getByRole("link", { name: "s3_list_invoice_16" }).waitFor();
  await page.waitForURL(/text=workspace/);
  await page.reload();
  await page.getByRole("status").getByText("1 of 3,0").waitFor();
  await page.getByRole("link", { name: "s3_list_invoice_16" }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("tools are sorted by their columns, and a new call shows without a reload", async () => {
  const { page, context, problems } = await open("/tools?server=hostile");
  const names = () => page.getByRole("table").getByRole("link").allTextContents();
  await page.getByRole("button", { name: "Tool", exact: true }).click();
  await page.getByRole("columnheader", { name: "Tool" }).and(page.locator("[aria-sort=ascending]")).waitFor();
  expect((await names()).slice(0, 3)).toEqual(["endless", "fails", "file_report"]);
  await page.getByRole("button", { name: "Tokens" }).click();
  expect((await names())[0]).toBe("endless");
  await page.getByRole("button", { name: "Calls" }).click();
  await page.getByRole("row", { name: /^fails.*1 · 1 failed$/ }).waitFor();
  await call("mcp__hostile__markup");
  await call("mcp__hostile__markup");
  await page.getByRole("row", { name: /^markup.*2$/ }).waitFor();
  expect((await names())[0]).toBe("markup");
  expect(problems).toEqual([]);
  await context.close();
});

test("the list follows servers that are added, changed and removed", async () => {
  const { page, context, problems } = await open("/tools?server=brief");
  await page.getByText("No matching tools").waitFor();
  const id = await hub.add("brief", many(2, "early"));
  await page.getByRole("link", { name: "early_list_branch_1" }).waitFor();
  const [command, ...args] = many(3, "late");
  await hub.restAsPerson("PUT", `/api/servers/${id}`, { command, args });
  await hub.rest("POST", `/api/servers/${id}/refresh`);
  await hub.approve("brief");
  await page.getByRole("link", { name: "late_update_ticket_2" }).waitFor();
  expect(await page.getByRole("link", { name: /^early/ }).count()).toBe(0);
  await hub.rest("DELETE", `/api/servers/${id}`);
  await page.getByText("No matching tools").waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("a tool shows its schema, cost and clients", async () => {
  const { page, context, problems } = await open("/tools/hostile/file_report");
  const panel = page.getByRole("dialog", { name: "file_report" });
  await panel.getByText("destructive").waitFor();
  const input = panel.getByRole("region", { name: "Input" });
  await input.getByRole("row", { name: /title string required What it is called/ }).waitFor();
  await input.getByRole("row", { name: /priority string One of "low", "normal", "high" Default "normal"/ }).waitFor();
  await input.getByRole("row", { name: /email string required email/ }).waitFor();
  await input.getByRole("radio", { name: "JSON" }).click();
  await input.getByRole("region", { name: "Input" }).getByText('"$defs"').waitFor();
  await panel.getByRole("region", { name: "Output" }).getByText("Of the new report").waitFor();
  await panel.getByRole("row", { name: /Test Editor 1/ }).waitFor();
  await panel.getByRole("button", { name: "Copy call name" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("mcp__hostile__file_report");
  await panel.getByRole("button", { name: "Copy schema" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('"required"');
  expect(await panel.getByRole("link", { name: "Inspect" }).getAttribute("href")).toBe(
    "#/test/hostile?tool=file_report",
  );
  await panel.getByRole("link", { name: "Activity" }).click();
  await page.waitForURL(/#\/activity\?server=hostile&tool=file_report/);
  await page.getByRole("row", { name: /file_report Test Editor/ }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("a tool's usage lists the clients that have it as a session tool", async () => {
  await editor.registry("find_tool", { query: "search nodes in the knowledge graph" });
  const { page, context, problems } = await open("/tools/memory/search_nodes");
  await page.getByRole("dialog").getByText("Session tool of").waitFor();
  await page.getByRole("region", { name: "Usage" }).getByText("Test Editor").waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("hostile names, descriptions and schemas stay text, with hidden characters reported", async () => {
  const { page, context, problems } = await open("/tools?server=hostile");
  await page.getByRole("link", { name: "markup" }).click();
  const panel = page.getByRole("dialog");
  await panel.getByText("Usage").waitFor();
  await panel.getByText("bold", { exact: true }).waitFor();
  await panel.getByText("<img src=x onerror").first().waitFor();
  expect(await panel.locator("img, script, style, a[href^=javascript]").count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "hidden\\u202etxt.exe\\u200b" }).click();
  await panel.getByText("This description contains hidden characters").waitFor();
  await panel.getByText("Adds two numbers.\\u{e0049}").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "endless" }).click();
  await panel.getByText("Usage").waitFor();
  await expectFits(page, "a tool with endless words");
  expect(await page.title()).toBe("Tools · Agent Discover");
  expect(problems).toEqual([]);
  await context.close();
});

test("a query returns the agent's reply, with reasons and costs", async () => {
  const { page, context, problems } = await open("/tools?mode=ask");
  await page.getByLabel("What the agent needs").fill("create an invoice");
  const verdict = page.getByRole("region", { name: "Result" });
  await verdict.getByText(/^(high|medium|low) confidence$/).waitFor();
  const first = page.getByRole("list", { name: "Found tools" }).getByRole("listitem").first();
  await first.getByText(/mcp__many-\d+__s\d+_create_invoice_\d+/).waitFor();
  await first.getByRole("list", { name: "Why" }).getByText("create, invoice").first().waitFor();
  await page.getByText(/[\d,]+ tokens in its context/).waitFor();
  await page.getByRole("region", { name: "Reply of find_tool" }).getByText('"next_step"').waitFor();
  await page.waitForURL(/need=create\+an\+invoice/);

  await page.getByLabel("What the agent needs").fill("bake a chocolate cake");
  await verdict.getByText("Not found").waitFor();
  await verdict.getByText("Hint to the agent").waitFor();

  await page
    .getByLabel("What the agent needs")
    .fill(
      "bake a chocolate cake with cream, sugar, flour, butter, eggs, cherries and vanilla for the invoice department",
    );
  const closest = page.getByRole("list", { name: "Closest tools" });
  await closest
    .getByRole("listitem")
    .first()
    .getByText(/mcp__many-\d+__s\d+_\w*invoice\w*/)
    .waitFor();
  expect(await closest.locator(":scope > li").count()).toBeLessThanOrEqual(3);
  await expectAccessible(page, "closest tools");
  await page.goBack();
  expect(problems).toEqual([]);
  await context.close();
});

test("a found tool shows what the search by meaning changed", async () => {
  const { page, context, problems } = await open("/tools?mode=ask");
  await page.route("**/api/find", async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    for (const [i, by_words] of [1, 17, 0].entries()) {
      answer.hits[i].by_words = by_words;
      answer.hits[i].why.push({ field: "meaning", terms: [], points: 0.1 });
    }
    await route.fulfill({ response, json: answer });
  });
  await page.getByLabel("What the agent needs").fill("create an invoice");
  const hits = page.getByRole("list", { name: "Found tools" }).locator(":scope > li");
  await hits.nth(1).getByText("By words alone: place 17").waitFor();
  await hits.nth(2).getByText("Found by meaning alone").waitFor();
  expect(await hits.nth(0).getByText("By words alone").count()).toBe(0);
  expect(problems).toEqual([]);
  await context.close();
});

test("the page works by keyboard alone", async () => {
  const { page, context, problems } = await open("/tools?server=hostile");
  await page.getByRole("link", { name: "file_report" }).waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());
  await page.keyboard.press("/");
  for (let i = 0; i < 12 && (await focused()) !== "file_report"; i++) await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  expect(await focused()).toBe("markup");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "markup" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.waitForFunction(() => document.activeElement?.textContent?.trim() === "markup");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("as an agent");
  await page.getByRole("option", { name: "Ask for a tool as an agent" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("This search starts no server").waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("the address of an unknown tool is reported, with a way back", async () => {
  const { page, context, problems } = await open("/tools/memory/no_such_tool?server=memory");
  await page.getByText("Tool not found").waitFor();
  await page.getByRole("button", { name: "Back to the list" }).click();
  await page.getByRole("link", { name: "create_entities" }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

describe("a hub without servers, or one that does not answer", () => {
  test("shows advice and offers a retry", async () => {
    await using empty = await new TestHub().start();
    const { page, context, problems } = await visit(browser, empty, "/tools", {
      expected: /ERR_FAILED|Failed to load/,
    });
    await page.getByText("No tools are known yet").waitFor();
    await expectAccessible(page, "no tools");
    await page.getByRole("radio", { name: "Ask as an agent" }).click();
    await page.getByRole("link", { name: "Add server" }).waitFor();
    await page.route("**/api/find", (route) => route.abort());
    await page.getByLabel("What the agent needs").fill("anything");
    await page.getByText("The search failed").waitFor();
    await page.unroute("**/api/find");
    await tryAgain(page);
    await page.getByText("Not found").waitFor();

    await page.route("**/api/tools?*", (route) => route.abort());
    await page.reload();
    await page.getByRole("radio", { name: "Filter" }).click();
    await page.getByText("Could not load tools").waitFor();
    await page.unroute("**/api/tools?*");
    await tryAgain(page);
    await page.getByText("No tools are known yet").waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe("a schema as a table", () => {
  test("follows references and stops at recursive ones", () => {
    const tree = { type: "object", properties: { child: { $ref: "#" }, name: { type: "string" } } };
    const found = propertiesOf(tree);
    expect(found[0]).toMatchObject({ name: "child", depth: 0, type: "object" });
    expect(found.length).toBeLessThan(100);
  });

  test("describes items, variants and parts", () => {
    const found = propertiesOf({
      allOf: [{ properties: { a: { type: "array", items: { type: "object", properties: { b: { const: 3 } } } } } }],
      properties: { c: { oneOf: [{ type: "string" }, { properties: { d: { type: "null" } } }] } },
    });
    const brief = found.map(({ name, depth, type }) => `${depth} ${name}: ${type}`);
    expect(brief).toEqual(["0 c: string or object", "1 d: null", "0 a: array of object", "1 b: always 3"]);
  });

  test.each(
    [null, true, 7, "object", [], { properties: 5 }, { $ref: "#/x" }, { properties: { a: null }, required: 1 }].map(
      (schema) => ({ schema }),
    ),
  )("is made of anything: $schema", ({ schema }) => expect(() => propertiesOf(schema)).not.toThrow());

  test("is limited in properties and in depth", () => {
    const wide = { properties: Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`p${i}`, {}])) };
    expect(propertiesOf(wide)).toHaveLength(500);
    let deep: object = {};
    for (let i = 0; i < 1_000; i++) deep = { properties: { x: deep } };
    expect(propertiesOf(deep).length).toBeLessThan(20);
  });
});
