import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { expectAccessible, expectFits } from "./support/browser.ts";
import { packaged } from "./support/hub.ts";
import { inspected } from "./support/inspected.ts";
import { button, called, choose, field, press, result, tab, tool } from "./support/inspector.ts";

const at = inspected();
const { open } = at;

test("lists show titles with the names beside them, and can be searched by both", async () => {
  const { page, problems } = await open("/test/everything");
  const row = (list: string, name: string) => button(page.getByRole("group", { name: list }), name);
  await row("Tools", "Get Tiny Image Tool get-tiny-image").waitFor();
  await page.getByLabel("Search tools").fill("tiny image tool");
  await expect.poll(() => page.getByRole("group", { name: "Tools" }).getByRole("button").count()).toBe(1);
  await tab(page, "Prompts");
  await row("Prompts", "Arguments Prompt args-prompt").waitFor();
  await page.evaluate(() => (location.hash = "/test/everything?tab=resources&list=templates"));
  await page.getByLabel("Search resources").fill("dynamic text");
  await row("Templates", "Dynamic Text Resource").waitFor();
  expect(problems).toEqual([]);
});

test("the server tab shows the description, pings, sets the log level, and exports four formats", async () => {
  const { page, problems } = await open("/test/everything?tab=server");
  await page.getByText("mcp-servers/everything").waitFor();
  await page.getByRole("heading", { name: "Everything Server – Server Instructions" }).waitFor();
  await press(page, "Ping");
  await page
    .getByRole("list", { name: "Pings" })
    .getByText(/answered in/)
    .waitFor();
  for (const [name, part] of [
    ["mcp.json", '"mcpServers"'],
    ["Claude Code", '"type": "stdio"'],
    ["Cursor", '"mcpServers"'],
    ["Setup file", '"auto_activate"'],
  ] as const) {
    await page.getByRole("radio", { name }).click();
    await page.getByRole("region", { name: "Configuration text" }).getByText(part).waitFor();
  }
  const saved = page.waitForEvent("download");
  await button(page, "Save as file").click();
  expect(JSON.parse(readFileSync(await (await saved).path(), "utf8"))).toHaveProperty("servers");

  await choose(page, "Log level", "debug");
  await tab(page, "Tools");
  await tool(page, "toggle-simulated-logging");
  await called(page);
  await tab(page, "Events");
  await choose(page, "Event kind", "Log messages");
  const log = page.getByRole("log");
  const message = log.getByRole("button", { name: /-level message/i }).first();
  await message.waitFor();
  await message.click();
  await log.getByText('"level"').waitFor();
  const events = page.waitForEvent("download");
  await press(page, "Export");
  const file = JSON.parse(readFileSync(await (await events).path(), "utf8")) as object[];
  expect(file[0]).toMatchObject({ kind: "log" });
  await page.getByLabel("Search events").fill("nothing like this");
  await page.getByText("No matching events").waitFor();
  await press(page, "Clear");
  await page.getByText("No events yet").waitFor();
  expect(problems).toEqual([]);
});

test("an ad-hoc server is called, counts down, survives a reload, and is ended", async () => {
  const { page, problems } = await open("/test", { expected: /status of (500|504|404)/ });
  await button(page, "Start ad-hoc server").first().click();
  const dialog = page.getByRole("dialog", { name: "Inspect an ad-hoc server" });
  await dialog.getByLabel("Command line").fill("/no/such/program --flag");
  await press(page, "Start server");
  await dialog.getByText("The server did not start").waitFor();
  await dialog.getByLabel("Command line").fill(
    packaged("everything")
      .map((word) => `'${word}'`)
      .join(" "),
  );
  await dialog.getByLabel("Environment").fill("no pair");
  await dialog.getByText("Line 1: expected NAME=value.").waitFor();
  await dialog.getByLabel("Environment").fill("AD_HOC=seen there");
  await expectAccessible(page, "the dialog of an ad-hoc server");
  await press(page, "Start server");
  await page.getByRole("timer").waitFor();
  expect(await page.getByRole("timer").textContent()).toMatch(/^1[45]:\d\d left$/);
  await tool(page, "get-env");
  await (await called(page)).getByText(/"AD_HOC": "seen there"/).waitFor();
  expect(await at.hub.rest<object[]>("GET", "/api/servers")).toHaveLength(1);
  // A command line may contain credentials, so what is kept names only the program.
  const kept = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
  expect(kept).toContain('\\"label\\":\\"node\\"');
  expect(kept).not.toContain("server-everything");

  // The page finds the ad-hoc server in session storage before it has signed in.
  const gate = Promise.withResolvers<void>();
  await page.route(/\/session\/challenge/, (route) => gate.promise.then(() => route.continue()));
  await page.reload();
  await page.getByRole("timer").waitFor();
  gate.resolve();
  await page.getByRole("heading", { name: "Print Environment Tool" }).waitFor();
  await press(page, "End server");
  await page.getByText("Inspect a server").waitFor();
  expect(await page.getByRole("timer").count()).toBe(0);
  expect(problems).toEqual([]);
});

test("the inspector opens in a separate window without the menu", async () => {
  const { page, problems } = await open("/test/everything?tool=echo");
  const [popup] = await Promise.all([page.waitForEvent("popup"), button(page, "Open in a separate window").click()]);
  popup.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  await popup.getByRole("heading", { level: 1, name: "Inspector: everything" }).waitFor();
  await tool(popup, "echo");
  await field(popup, "message").fill("from the window");
  await (await called(popup)).getByText("Echo: from the window").waitFor();
  expect(await popup.getByRole("navigation").count()).toBe(0);
  await popup.reload();
  await popup.getByRole("heading", { name: "Echo Tool" }).waitFor();
  expect(await popup.getByRole("navigation").count()).toBe(0);
  expect(problems).toEqual([]);
});

test("a tool is found, called and repeated by keyboard alone", async () => {
  const { page, problems } = await open("/test/everything");
  await page.getByRole("group", { name: "Tools" }).getByRole("button").first().waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("echo");
  const rows = page.getByRole("group", { name: "Tools" }).getByRole("button");
  await expect.poll(() => rows.count()).toBe(1);
  await page.keyboard.press("Escape");
  await expect.poll(() => rows.count()).toBeGreaterThan(10);
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.textContent))
    .toContain("simulate-research-query");
  await page.keyboard.press("Home");
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain("echo");
  await page.keyboard.press("Enter");
  await field(page, "message").waitFor();
  const focused = () => field(page, "message").evaluate((element) => element === document.activeElement);
  while (!(await focused())) await page.keyboard.press("Tab");
  await page.keyboard.type("typed");
  await page.keyboard.press("Control+Enter");
  await result(page).getByText("Echo: typed").waitFor();
  expect(problems).toEqual([]);
});

for (const theme of ["light", "dark"] as const) {
  test(`every view of the inspector is accessible in ${theme} and fits narrow and wide windows`, async () => {
    const { page, problems } = await open("/test", { theme });
    await expectAccessible(page, `nothing chosen, ${theme}`);
    const places = [
      "?tool=get-annotated-message",
      "?tab=resources&list=templates",
      "?tab=resources&uri=demo%3A%2F%2Fresource%2Fdynamic%2Ftext%2F1",
      "?tab=prompts&prompt=args-prompt",
      "?tab=events",
      "?tab=server",
    ];
    for (const place of places) {
      await page.evaluate((to) => (location.hash = to), `/test/everything${place}`);
      await page.getByRole("tabpanel").waitFor();
      if (place.includes("tool=")) {
        await page.getByLabel("messageType").waitFor();
        await press(page, "Call");
        await page.getByText("This is required.").waitFor();
      }
      await expectAccessible(page, `${place}, ${theme}`);
      for (const width of [400, 1600]) {
        await page.setViewportSize({ width, height: 800 });
        await expectFits(page, `${place} at ${width}`);
      }
    }
    expect(problems).toEqual([]);
  });
}

test("a failed start is explained and can be retried", async () => {
  await at.hub.rest("POST", "/api/servers", { name: "broken", command: "/usr/bin/false", args: [] });
  const { page, problems } = await open("/test/broken", { expected: /status of 500/ });
  await page.getByText("Could not start broken").waitFor();
  await expectAccessible(page, "a server that does not start");
  const again = page.waitForResponse(/\/api\/servers\/\d+\/refresh$/);
  await press(page, "Try again");
  expect((await again).status()).toBe(500);
  await page.getByText("Could not start broken").waitFor();
  await page.evaluate(() => (location.hash = "/test/nobody"));
  await page.getByText("Server not found").waitFor();
  expect(problems).toEqual([]);
});
