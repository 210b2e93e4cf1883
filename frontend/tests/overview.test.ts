import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Schemas } from "../src/lib/api/client.ts";
import { Agent } from "./support/agent.ts";
import { expectAccessible, expectFits, launch, tryAgain, visit } from "./support/browser.ts";
import { binary, many, packaged, TestHub } from "./support/hub.ts";

let browser: Browser;
beforeAll(async () => void (browser = await launch()));
afterAll(() => browser.close());

const call = (hub: TestHub, server: number, tool: string, args: object = {}) =>
  hub.rest("POST", `/api/servers/${server}/call`, { tool, args });

/** panel returns the section of the page under a heading. */
const panel = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

const chart = (page: Page) => page.getByRole("group", { name: /^Chart of calls/ });

test("the first steps are ticked off and disappear", async () => {
  await using hub = await new TestHub().start();
  const { page, context, problems } = await visit(browser, hub);
  const steps = panel(page, "Getting started");
  await steps.getByText("0 of 3 done").waitFor();
  await expectAccessible(page, "the first steps");

  await steps.getByRole("button", { name: "Copy" }).click();
  await steps.getByText("Copied").first().waitFor();
  const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText())) as unknown;
  const env = { AGENT_DISCOVER_HOME: hub.folder };
  expect(copied).toEqual({ mcpServers: { discover: { command: binary, args: ["mcp", "--surface", "meta"], env } } });

  await hub.add("memory", packaged("memory"));
  await steps.getByText("1 of 3 done").waitFor();
  await using agent = await Agent.join(hub, "an-editor");
  await steps.getByText("2 of 3 done").waitFor();
  await agent.registry("proxy_call", { server: "memory", tool: "read_graph", arguments: {} });
  await steps.waitFor({ state: "detached" });
  expect(problems).toEqual([]);
  await context.close();
});

test("the window says that the hub is of another version", async () => {
  await using hub = await new TestHub().start();
  const { page, context, problems } = await visit(browser, hub, "/servers");
  await page.evaluate(() => {
    const about = { name: "Agent Discover", version: "9", difference: "the hub is older; agent-discover restart" };
    window.go = { app: { Window: { About: () => Promise.resolve(about) } as never } };
  });
  await page.getByRole("link", { name: /^Overview/ }).click();
  await panel(page, "Needs attention").getByText("The hub is older; agent-discover restart.").waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("figures, chart and ranks follow new calls without new requests", async () => {
  await using hub = await new TestHub().start();
  const memory = await hub.add("memory", packaged("memory"));
  await hub.add("crm", many(12, "crm"));
  const { page, context, problems } = await visit(browser, hub);
  const asked: string[] = [];
  page.on("request", (request) => void (/metrics\/series/.test(request.url()) && asked.push(request.url())));
  await chart(page).locator("svg").waitFor();
  await page
    .getByRole("link", { name: /^Tools/ })
    .getByText("21", { exact: true })
    .waitFor();
  expect(
    await page
      .getByRole("main")
      .getByRole("link", { name: /^Servers 2/ })
      .textContent(),
  ).toContain("Running");
  asked.length = 0;

  for (let i = 0; i < 3; i++) await call(hub, memory, "read_graph");
  await call(hub, memory, "open_nodes", { names: 7 });
  await page.getByRole("link", { name: /^Calls 4/ }).waitFor();
  await page.getByRole("link", { name: /^Errors 1/ }).waitFor();
  await page.getByRole("row", { name: / 4 1$/ }).first().waitFor({ state: "attached" });
  await panel(page, "Most used tools").getByRole("listitem").filter({ hasText: "read_graph" }).getByText("3").waitFor();
  await panel(page, "Slowest tools").getByText("1 error").waitFor();
  expect(asked).toEqual([]);

  await chart(page).focus();
  await page.keyboard.press("End");
  await page.locator("figure").getByText("1 error (25%)").waitFor();
  await page.keyboard.press("ArrowLeft");
  await page.locator("figure").getByText("1 error (25%)").waitFor({ state: "detached" });
  await page.keyboard.press("End");
  await page.keyboard.press("Escape");
  await page.locator("figure").getByText("1 error (25%)").waitFor({ state: "detached" });
  await chart(page)
    .locator("svg")
    .hover({ position: { x: 60, y: 20 } });
  await page.locator("figure").getByText("0 calls", { exact: true }).waitFor();

  await page.getByRole("radio", { name: "1 h" }).click();
  await page.waitForURL(/range=1h/);
  await page.getByText("in the last hour").first().waitFor();
  await page.reload();
  await page.getByText("in the last hour").first().waitFor();
  await page.getByRole("link", { name: /^Calls 4/ }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("the chart has the colours of the system, also when it switches to dark", async () => {
  await using hub = await new TestHub().start();
  const memory = await hub.add("memory", packaged("memory"));
  await call(hub, memory, "read_graph");
  const { page, context } = await visit(browser, hub);
  const bar = chart(page).locator("svg > path.fill-accent");
  await bar.waitFor();
  const fill = () => bar.evaluate((path) => getComputedStyle(path).fill);
  const light = await fill();
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(fill).not.toBe(light);
  await context.close();
});

test("the context savings of each editor are shown, whatever its name", async () => {
  await using hub = await new TestHub().start();
  await hub.add("crm", many(60, "crm"));
  await using agent = await Agent.join(hub, "ed\u202etor <b>x</b>");
  await agent.ask("ping", {});
  const { page, context, problems } = await visit(browser, hub);
  const item = panel(page, "Context cost").getByRole("listitem");
  await item.getByText("ed\\u202etor <b>x</b>").waitFor();
  await item.getByText("connected").waitFor();
  const { clients } = await hub.rest<{ clients: { whole_tokens: number; listed_tokens: number }[] }>(
    "GET",
    "/api/context",
  );
  const figure = (n = 0) => n.toLocaleString("en-GB");
  await item
    .getByText(`${figure(clients[0]?.listed_tokens)} tokens instead of ${figure(clients[0]?.whole_tokens)}`)
    .waitFor();
  const share = /: (.+%) saved/.exec(await item.innerText())?.[1] ?? "no share";
  await page.getByText("Tokens saved", { exact: true }).waitFor();
  await page.getByText(`${share} in each conversation`, { exact: true }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("problems are listed with remedies", async () => {
  await using hub = await new TestHub().start({ AGENT_DISCOVER_AUTH: "off" });
  const env = { GITHUB_TOKEN: "ghp_abcdefghijklmnopqrstuvwxyz0123456789" };
  await hub.rest("POST", "/api/servers", { name: "github", command: "/nowhere/github", args: [], env });
  const { id } = await hub.rest<{ id: number }>("POST", "/api/servers", {
    name: "broken",
    command: "/bin/false",
    args: [],
  });
  await hub.rest("POST", `/api/servers/${id}/health`);
  const { programs } = await hub.rest<Schemas["ProgramReport"]>("GET", "/api/market/programs");
  const missing = programs.find(({ install }) => install);
  if (missing)
    await hub.rest("POST", "/api/servers", { name: "needy", command: missing.name, args: ["x"], start: false });
  await using agent = await Agent.join(hub, "an-editor");
  await agent.registry("install", { name: "wanted", command: "sh", args: ["-c", "true"] });
  await hub.rest("POST", "/api/pause");

  const { page, context, problems } = await visit(browser, hub, "/overview", { expected: /status of 500/ });
  const item = (text: string) => panel(page, "Needs attention").getByRole("listitem").filter({ hasText: text });
  await item("The hub requires no token").waitFor();
  if (missing) {
    await item(`${missing.name} is not installed`).getByText("needy").waitFor();
    const page = await item("needy")
      .getByRole("link", { name: `Get ${missing.product}` })
      .getAttribute("href");
    expect(page).toBe(missing.install?.page);
  }
  await item("1 server waits for your approval")
    .getByRole("link", { name: /^Review/ })
    .waitFor();
  await expectAccessible(page, "all kinds of issues");

  await item("All servers are paused")
    .getByRole("button", { name: /^Resume/ })
    .click();
  await item("All servers are paused").waitFor({ state: "detached" });
  await item("broken")
    .getByRole("button", { name: /^Start again/ })
    .click();
  await page
    .getByRole("status")
    .getByText(/broken/)
    .waitFor();

  await item("Secrets cannot be stored").getByRole("button").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Passphrase", { exact: true }).fill("correct horse");
  await dialog.getByLabel("Repeat passphrase").fill("correct horse");
  await page.keyboard.press("Enter");
  await item("Secrets cannot be stored").waitFor({ state: "detached" });

  await item("1 credential in plain text").getByRole("button", { name: /^Move/ }).click();
  await dialog.getByText("env.GITHUB_TOKEN").waitFor();
  await dialog.getByRole("button", { name: "Move 1 credential" }).click();
  await item("in plain text").waitFor({ state: "detached" });
  const github = (await hub.rest<{ name: string; env: object }[]>("GET", "/api/servers")).find(
    (s) => s.name === "github",
  );
  expect(JSON.stringify(github)).not.toContain(env.GITHUB_TOKEN);
  expect(problems).toEqual([]);
  await context.close();
});

test("figures that cannot be loaded are reported and can be retried", async () => {
  await using hub = await new TestHub().start();
  await hub.add("memory", packaged("memory"));
  const { page, context, problems } = await visit(browser, hub, "/servers", { expected: /503/ });
  await context.route(/\/api\/metrics\//, (route) =>
    route.fulfill({ status: 503, json: { error: "the database is busy" } }),
  );
  await page.getByRole("navigation").getByRole("link", { name: "Overview" }).click();
  await panel(page, "Calls").getByText("the database is busy").waitFor();
  await panel(page, "Slowest tools").getByText("the database is busy").waitFor();
  await expectAccessible(page, "figures that could not be loaded");
  await context.unroute(/\/api\/metrics\//);
  await tryAgain(panel(page, "Calls"));
  await chart(page).locator("svg").waitFor();
  await tryAgain(panel(page, "Slowest tools"));
  await panel(page, "Slowest tools").getByText("No calls yet").waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

for (const theme of ["light", "dark"] as const) {
  test(`a full overview is accessible in ${theme}, fits, and is reached by keyboard`, async () => {
    await using hub = await new TestHub().start();
    const memory = await hub.add("memory", packaged("memory"));
    for (let i = 0; i < 4; i++) await hub.add(`a-${"very-".repeat(8)}long-name-${i}`, many(20, `p${i}`));
    await call(hub, memory, "read_graph");
    await using agent = await Agent.join(hub, "editor ".repeat(14));
    await agent.ask("ping", {});
    for (const width of [400, 1600]) {
      const { page, context, problems } = await visit(browser, hub, "/overview", { theme, width });
      await chart(page).locator("svg").waitFor();
      await panel(page, "Most used tools").getByText("read_graph").waitFor();
      await panel(page, "Context cost").getByText("connected").waitFor();
      await expectAccessible(page, `overview, ${theme}, ${width}`);
      await expectFits(page, `overview, ${theme}, ${width}`, "main, main > div");
      await page.locator("#main").focus();
      const reached: string[] = [];
      for (let i = 0; i < 40; i++) {
        await page.keyboard.press("Tab");
        reached.push(await page.evaluate(() => document.activeElement?.textContent ?? ""));
      }
      for (const name of ["Servers", "Choose passphrase…", "24 h", "read_graph"])
        expect(
          reached.some((text) => text.includes(name)),
          name,
        ).toBe(true);
      expect(problems).toEqual([]);
      await context.close();
    }
  });
}
