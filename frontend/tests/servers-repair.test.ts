// Tests of failing servers: the page has a field for a missing variable, and the words for states are the same
// everywhere.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectAccessible, launch, toast, visit } from "./support/browser.ts";
import { many, TestHub } from "./support/hub.ts";
import { named, row } from "./support/servers.ts";

const [node = "", server = ""] = many(2);
let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

/**
 * needy writes a program that exits with an error unless an environment variable is set, and returns its command line.
 */
function needy(hub: TestHub, variable: string): [command: string, ...args: string[]] {
  const file = join(hub.folder, `${variable.toLowerCase()}.mjs`);
  const check = `if (!process.env.${variable}) { console.error("Error: ${variable} environment variable is required"); process.exit(1); }`;
  writeFileSync(file, `${check}\nprocess.argv.splice(2, 0, "2", "needy");\nawait import(${JSON.stringify(server)});\n`);
  return [node, file];
}

const state = async (hub: TestHub, name: string) =>
  (await hub.rest<{ name: string; state: string; env: Record<string, string> }[]>("GET", "/api/servers")).find(
    (one) => one.name === name,
  );

for (const [variable, secret] of [
  ["BRAVE_API_KEY", true],
  ["CONNECTION_STRING", true],
  ["WORKSPACE_ROOT", false],
  ["MAX_TOKENS", false],
] as const) {
  test(`${variable}, which a server needs, is entered where the error is shown`, async () => {
    await using hub = await new TestHub().start({ AGENT_DISCOVER_PASSPHRASE: "a passphrase for tests" });
    const [command, ...args] = needy(hub, variable);
    const { id } = await hub.rest<{ id: number }>("POST", "/api/servers", { name: "search", command, args });
    await hub.rest("POST", `/api/servers/${id}/health`);

    const { page, context, problems } = await visit(browser, hub);
    const issue = page.getByRole("region", { name: "Needs attention" }).getByRole("listitem");
    await issue.getByText(`${variable} environment variable is required`).waitFor();
    const field = issue.getByLabel(variable, { exact: true });
    expect(await field.getAttribute("type")).toBe(secret ? "password" : "text");
    await expectAccessible(page, `the field for ${variable}`);
    await field.fill("the-value");
    await page.keyboard.press("Enter");
    await toast(page, "search is running with 2 tools.");
    await issue.waitFor({ state: "detached" });

    const now = await state(hub, "search");
    expect(now?.state).toBe("running");
    expect(now?.env[variable]).toBe(secret ? undefined : "the-value");
    const secrets = await hub.rest<{ key: string }[]>("GET", `/api/servers/${id}/secrets`);
    expect(secrets.map(({ key }) => key)).toEqual(secret ? [variable] : []);
    expect(problems).toEqual([]);
    await context.close();
  });
}

test("a secret that is added to a failing server offers to start it again", async () => {
  await using hub = await new TestHub().start({ AGENT_DISCOVER_PASSPHRASE: "a passphrase for tests" });
  const [command, ...args] = needy(hub, "SOME_TOKEN");
  const { id } = await hub.rest<{ id: number }>("POST", "/api/servers", { name: "search", command, args });
  await hub.rest("POST", `/api/servers/${id}/health`);

  const { page, context, problems } = await visit(browser, hub, "/servers/search?tab=secrets");
  const form = page.locator("form").filter({ has: page.getByRole("button", { name: "Add secret" }) });
  await form.getByLabel("Name").fill("SOME_TOKEN");
  await form.getByLabel("Value").fill("x");
  await page.getByRole("button", { name: "Add secret" }).click();
  await page
    .getByRole("status")
    .filter({ hasText: "Secret SOME_TOKEN set." })
    .getByRole("button", { name: "Start again" })
    .click();
  await toast(page, "search was restarted with 2 tools.");
  await page.getByText("Running", { exact: true }).first().waitFor();
  expect(await page.getByText("The last start or check failed").count()).toBe(0);
  expect(problems).toEqual([]);
  await context.close();
});

test("a server is started, restarted and stopped on its page and in the list", async () => {
  await using hub = await new TestHub().start();
  const [command = "", ...args] = many(2);
  await hub.rest("POST", "/api/servers", { name: "plain", command, args, start: false });
  const { page, context, problems } = await visit(browser, hub, "/servers/plain");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await toast(page, "plain is running with 2 tools.");
  await page.getByRole("button", { name: "Restart" }).click();
  await toast(page, "plain was restarted with 2 tools.");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await toast(page, "plain is stopped. The next call starts it.");
  expect(await page.getByText("was restarted").count()).toBe(0); // the toast about an earlier state is replaced
  await expect.poll(async () => (await state(hub, "plain"))?.state).toBe("stopped");

  await page.goto(`${hub.url}/#/servers`);
  await page.getByRole("button", { name: "More for plain" }).click();
  await page.getByRole("menuitem", { name: "Start", exact: true }).click();
  await page.getByRole("row").filter({ hasText: "plain" }).getByText("Running", { exact: true }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

for (const theme of ["light", "dark"] as const)
  test(`a server without a command says what is missing, in ${theme}`, async () => {
    await using hub = await new TestHub().start();
    await hub.rest("POST", "/api/servers", { name: "empty" });
    const { page, context, problems } = await visit(browser, hub, "/servers/empty", { theme });
    await page.getByText("No command is configured.").waitFor();
    await page.getByText("The server cannot start yet").waitFor();
    expect(await page.getByText("''", { exact: true }).count()).toBe(0);
    await expectAccessible(page, `a server without a command, ${theme}`);
    expect(problems).toEqual([]);
    await context.close();
  });

for (const theme of ["light", "dark"] as const)
  test(`a server is disabled by its menu and enabled on its page, in ${theme}`, async () => {
    await using hub = await new TestHub().start();
    await hub.add("notes", many(3, "notes"));
    const { page, context, problems } = await visit(browser, hub, "/servers", { theme });
    await row(page, "notes").getByRole("button", { name: "More for notes" }).click();
    await page.getByRole("menuitem", { name: "Disable" }).waitFor();
    await expectAccessible(page, `the menu of a server, ${theme}`);
    await page.getByRole("menuitem", { name: "Disable" }).click();
    await row(page, "notes").getByText("Disabled").waitFor();
    expect(await row(page, "notes").getByRole("switch").isDisabled()).toBe(true);
    await expectAccessible(page, `a disabled server in the list, ${theme}`);

    await row(page, "notes").getByRole("link", { name: "notes" }).click();
    await page.getByText("Agents cannot use it until you enable it.").waitFor();
    // Nothing is offered that cannot succeed.
    for (const name of ["Start", "Inspect", "Check now"])
      expect(await page.getByText(name, { exact: true }).count(), name).toBe(0);
    await expectAccessible(page, `the page of a disabled server, ${theme}`);
    await page.getByRole("button", { name: "Enable", exact: true }).click();
    await page.getByRole("button", { name: "Start", exact: true }).waitFor();
    expect(await named(hub, "notes")).not.toHaveProperty("disabled");
    expect(problems).toEqual([]);
    await context.close();
  });

test("a server that runs while most of its calls fail needs attention", async () => {
  await using hub = await new TestHub().start({ AGENT_DISCOVER_PASSPHRASE: "a passphrase for tests" });
  const file = join(hub.folder, "failing.mjs");
  writeFileSync(
    file,
    `import { createInterface } from "node:readline";
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "f", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "issues", inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ isError: true, content: [{ type: "text", text: "Bad credentials" }] }),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: results[method]?.(params) ?? {} }) + "\\n");
});`,
  );
  const id = await hub.add("github", [node, file]);
  const { page, context, problems } = await visit(browser, hub);
  await page.getByText("Nothing needs your attention").waitFor();
  for (let i = 0; i < 5; i++) await hub.rest("POST", `/api/servers/${id}/call`, { tool: "issues", args: {} });
  const issue = page.getByRole("region", { name: "Needs attention" }).getByRole("listitem");
  await issue.getByText("5 of the last 5 calls failed").waitFor();
  await issue.getByText("Calls fail", { exact: true }).waitFor();
  await expectAccessible(page, "a server whose calls fail");
  await issue.getByRole("link", { name: /^Show failed calls/ }).click();
  await page.getByRole("row").filter({ hasText: "Tool error" }).first().waitFor();

  await page.goto(`${hub.url}/#/servers/github`);
  await page.getByRole("button", { name: "Clear errors" }).click();
  await page.getByText("Running", { exact: true }).first().waitFor();
  expect(problems).toEqual([]);
  await context.close();
});
