// The first run: servers of editors are imported and editors connected by one button, after every command was shown.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectAccessible, expectFits, launch, visit } from "./support/browser.ts";
import { EditorHub, TOKEN } from "./support/editors.ts";
import { many, TestHub } from "./support/hub.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

test("one button imports all servers of the editors, connects the editors and compares the tokens", async () => {
  await using hub = await new EditorHub()
    .install("cursor", "vscode")
    .start({ AGENT_DISCOVER_PASSPHRASE: "a passphrase for tests" });
  const { page, context, problems } = await visit(browser, hub);
  const changes: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() !== "GET" && !/tickets|session|plan$/.test(pathname)) changes.push(pathname);
  });
  const panel = page.getByRole("region", { name: "Welcome" });
  await panel.getByText("2 editors, 2 servers found").waitFor();
  const plan = panel.getByRole("status", { name: "Planned changes" });
  for (const step of [
    "Adds one entry to 2 editors",
    "Imports 2 servers",
    "Moves 1 credential to the secrets file",
    "Removes 3 entries from editors",
    "Starts 2 servers once",
  ])
    await plan.getByText(step, { exact: true }).waitFor();
  const removed = panel.getByRole("list", { name: "Entries that are removed" }).getByRole("listitem");
  expect(await removed.allInnerTexts()).toEqual(["notes and github from Cursor", "notes from Visual Studio Code"]);
  await panel.getByRole("checkbox", { name: /^Remove the imported entries/ }).uncheck();
  await plan.getByText(/^Removes/).waitFor({ state: "detached" });
  // Every command that will run is shown before anything happens.
  const found = panel.getByRole("list", { name: "Found servers" }).getByRole("listitem");
  expect(await found.count()).toBe(2);
  for (const text of await found.allInnerTexts()) expect(text).toMatch(/server\.ts\s+(40\s+notes|6\s+github)/);
  expect(await panel.innerText()).not.toContain("ghp_");
  await expectAccessible(page, "the first run");
  expect(await hub.rest<unknown[]>("GET", "/api/servers")).toEqual([]);
  expect(hub.text("cursor")).toBe(hub.original("cursor"));

  await panel.getByRole("checkbox", { name: /^Remove the imported entries/ }).check();
  await panel.getByRole("button", { name: "Import all and connect 2 editors" }).click();
  const tokens = panel.getByRole("region", { name: "Tokens before and after" });
  await tokens.getByText(/fewer tokens at the start of each conversation/).waitFor();
  await tokens.getByText("Before").waitFor();
  await tokens.getByText("After").waitFor();
  await expectAccessible(page, "the tokens before and after");
  const servers = await hub.rest<{ name: string; tool_count: number }[]>("GET", "/api/servers");
  expect(servers.map(({ tool_count }) => tool_count).sort()).toEqual([40, 6]);
  expect(hub.text("cursor")).toContain('"discover"');
  expect(hub.text("cursor")).not.toContain('"notes"');
  expect(changes).toEqual(["/api/onboarding"]);
  await panel.getByRole("button", { name: "Done" }).click();
  await panel.waitFor({ state: "detached" });
  expect(problems).toEqual([]);
  await context.close();
});

/** The editor's file with a server that works, and servers that cannot start for different reasons. */
function mixed(): string {
  const [command = "", ...args] = many(3, "notes");
  const needy = "echo 'Error: SLACK_TOKEN environment variable is required' >&2; exit 1";
  return JSON.stringify({
    mcpServers: {
      notes: { command, args },
      broken: { command: "/usr/bin/false" },
      gone: { command: "no-such-program" },
      needy: { command: "/bin/sh", args: ["-c", needy] },
      resting: { command, args: [...args, "short"], disabled: true },
    },
  });
}

test("the setup is undone later, in the history of the editors", async () => {
  await using hub = await new EditorHub()
    .install("cursor")
    .start({ AGENT_DISCOVER_PASSPHRASE: "a passphrase for tests" });
  const before = hub.text("cursor");
  const { page, context, problems } = await visit(browser, hub, "/editors?tab=history");
  const setup = page.getByRole("region", { name: "Last setup" });
  await page.getByText("No changes").waitFor();
  expect(await setup.count()).toBe(0);
  await page.getByRole("navigation").getByRole("link", { name: "Overview" }).click();
  const panel = page.getByRole("region", { name: "Welcome" });
  await panel.getByRole("button", { name: "Import all and connect 1 editor" }).click();
  await panel.getByRole("region", { name: "Try it" }).waitFor();
  await page.reload();
  await page.getByRole("navigation").getByRole("link", { name: "Editors" }).click();
  await page.getByRole("tab", { name: "History" }).click();
  await setup.getByText("1 editor changed, 2 servers imported").waitFor();
  await expectAccessible(page, "the last setup");
  for (const width of [480, 1600]) {
    await page.setViewportSize({ width, height: 900 });
    await expectFits(page, `the last setup, ${width}`, "#main, #main section");
  }
  await setup.getByRole("button", { name: "Undo the setup…" }).click();
  const question = page.getByRole("alertdialog");
  await question.getByText("removes 2 servers with their secrets").waitFor();
  await question.getByRole("button", { name: "Undo the setup" }).click();
  await setup.getByText("The setup was undone").waitFor();
  expect(hub.text("cursor")).toBe(before);
  expect(await hub.rest<unknown[]>("GET", "/api/servers")).toEqual([]);
  await setup.getByRole("button", { name: "Close" }).click();
  await setup.waitFor({ state: "detached" });
  expect(problems).toEqual([]);
  await context.close();
});

test.each(["light", "dark"] as const)(
  "servers that cannot start are named with what helps, and the whole run is undone, %s",
  async (theme) => {
    await using hub = new EditorHub().install("cursor");
    hub.write("cursor", mixed());
    await hub.start({ AGENT_DISCOVER_PASSPHRASE: "a passphrase for tests" });
    const { page, context, problems } = await visit(browser, hub, "/overview", { theme });
    const panel = page.getByRole("region", { name: "Welcome" });
    await panel.getByText("It is disabled in its configuration, and stays disabled until you enable it.").waitFor();
    // One entry stays in the file from which the others are removed.
    await panel.getByText("gone in Cursor: The entry was kept").waitFor();
    await panel.getByText("Show the changes of their files").click();
    await expectAccessible(page, `the plan, ${theme}`);
    await panel.getByRole("button", { name: "Import all and connect 1 editor" }).click();

    const servers = panel.getByRole("list", { name: "Imported servers" });
    const row = (name: string) => servers.getByRole("listitem").filter({ has: page.getByRole("link", { name }) });
    await row("notes").getByText("3 tools").waitFor();
    await row("broken")
      .getByText(/false.* exited before/)
      .waitFor();
    await row("gone")
      .getByText(/no-such-program.* not found/)
      .waitFor();
    await row("resting").getByText("Disabled, as in the editor").waitFor();
    await row("needy").getByLabel("SLACK_TOKEN", { exact: true }).waitFor();
    expect(await row("broken").getByRole("link", { name: "Show output: broken" }).getAttribute("href")).toContain(
      "#/servers/broken?tab=output",
    );
    await row("broken").getByRole("button", { name: "Start again: broken" }).waitFor();
    await row("resting").getByRole("button", { name: "Enable: resting" }).waitFor();
    await panel.getByText("gone stays in Cursor").waitFor();
    const example = panel.getByRole("region", { name: "Try it" });
    await example.getByRole("link", { name: /a \w+ in workspace/ }).waitFor();
    await example.getByText(/^mcp__notes__notes_/).waitFor();
    await expectAccessible(page, `the outcome, ${theme}`);
    for (const width of [480, 1600]) {
      await page.setViewportSize({ width, height: 900 });
      await expectFits(page, `the outcome, ${theme}, ${width}`, "#main, #main section");
    }

    // The outcome stays while the user looks at other pages.
    await example.getByRole("link", { name: /a \w+ in workspace/ }).click();
    await page.getByRole("link", { name: "notes_" }).first().waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Overview" }).click();
    await panel.getByRole("button", { name: "Undo the setup…" }).click();
    const question = page.getByRole("alertdialog");
    await question.getByText("removes 5 servers with their secrets").waitFor();
    await expectAccessible(page, `the question, ${theme}`);
    await question.getByRole("button", { name: "Undo the setup" }).click();
    await panel.getByText("The setup was undone").waitFor();
    await panel.getByText("Removed notes, broken, gone, needy, resting from the hub.").waitFor();
    await panel.getByText(hub.file("cursor")).waitFor();
    expect(hub.text("cursor")).toBe(mixed());
    expect(await hub.rest<unknown[]>("GET", "/api/servers")).toEqual([]);
    await expectAccessible(page, `what was undone, ${theme}`);
    await panel.getByRole("button", { name: "Set up again" }).click();
    await panel.getByRole("button", { name: "Import all and connect 1 editor" }).waitFor();
    await panel.getByRole("button", { name: "Not now" }).click();
    await panel.waitFor({ state: "detached" });
    expect(problems).toEqual([]);
    await context.close();
  },
);

test.each(["light", "dark"] as const)(
  "the servers are shown while they start, and Done waits for them, %s",
  async (theme) => {
    await using hub = new EditorHub().install("cursor");
    const gate = join(hub.folder, "gate");
    const [command = "", ...args] = many(3, "notes");
    const waits = `until [ -e "${gate}" ]; do sleep 0.05; done; exec "$@"`;
    hub.write(
      "cursor",
      JSON.stringify({ mcpServers: { slow: { command: "/bin/sh", args: ["-c", waits, "sh", command, ...args] } } }),
    );
    await hub.start();
    const { page, context, problems } = await visit(browser, hub, "/overview", { theme, width: 480 });
    const panel = page.getByRole("region", { name: "Welcome" });
    await panel.getByRole("button", { name: "Import all and connect 1 editor" }).click();
    await panel.getByRole("list", { name: "Imported servers" }).getByText("Starting…").waitFor();
    await panel.getByText("starting 1 server").waitFor();
    expect(await panel.getByRole("button", { name: "Done" }).isDisabled()).toBe(true);
    await expectAccessible(page, `servers that start, ${theme}`);
    writeFileSync(gate, "");
    await panel.getByRole("list", { name: "Imported servers" }).getByText("3 tools").waitFor();
    await panel.getByRole("region", { name: "Try it" }).waitFor();
    await panel.getByRole("button", { name: "Done" }).click();
    await panel.waitFor({ state: "detached" });
    // The editor has the entry, but was not started since.
    await page.getByText("Cursor has the entry of Agent Discover.").waitFor();
    expect(problems).toEqual([]);
    await context.close();
  },
);

test("a file that changes after the plan is not written, and the rest is done", async () => {
  await using hub = await new EditorHub().install("cursor", "vscode").start({ AGENT_DISCOVER_PASSPHRASE: "for tests" });
  const { page, context, problems } = await visit(browser, hub);
  const panel = page.getByRole("region", { name: "Welcome" });
  await panel.getByRole("button", { name: "Import all and connect 2 editors" }).waitFor();
  const foreign = '{ "mcpServers": { "discover": { "command": "/gone/agent-discover" } } }\n';
  await page.route("**/api/onboarding", async (route) => {
    hub.write("cursor", foreign);
    await route.continue();
  });
  await panel.getByRole("button", { name: "Import all and connect 2 editors" }).click();
  await panel.getByText("Cursor was not connected").waitFor();
  await panel.getByText("Connected Visual Studio Code.").waitFor();
  await panel.getByText("github was not imported").waitFor();
  expect(hub.text("cursor")).toBe(foreign);
  await expectAccessible(page, "a run that failed in part");
  await panel.getByRole("button", { name: "Plan again" }).click();
  await panel.getByRole("button", { name: /^Connect 1 editor/ }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("a plan that fails says why, and can be repeated", async () => {
  await using hub = await new EditorHub().install("cursor").start();
  const { page, context } = await visit(browser, hub, "/overview", {
    prepare: (page) =>
      page.route("**/api/onboarding/plan", (route) =>
        route.fulfill({ status: 500, json: { error: "the disk is full" } }),
      ),
  });
  const panel = page.getByRole("region", { name: "Welcome" });
  await panel.getByText("The disk is full.").waitFor();
  await expectAccessible(page, "a plan that failed");
  await page.unroute("**/api/onboarding/plan");
  await panel.getByRole("button", { name: "Try again" }).click();
  await panel.getByText("1 editor, 2 servers found").waitFor();
  await context.close();
});

test("credentials that cannot be stored need a passphrase, or the consent to keep them readable", async () => {
  await using hub = await new EditorHub().install("cursor").start();
  const { page, context, problems } = await visit(browser, hub);
  const panel = page.getByRole("region", { name: "Welcome" });
  const button = panel.getByRole("button", { name: "Import all and connect 1 editor" });
  const readable = panel.getByRole("checkbox", { name: /keep credentials readable/ });
  await readable.waitFor();
  expect(await button.isDisabled()).toBe(true);
  await readable.check();
  expect(await button.isEnabled()).toBe(true);
  await readable.uncheck();
  expect(await button.isDisabled()).toBe(true);
  await expectAccessible(page, "a first run without a keychain");

  await panel.getByLabel("Passphrase", { exact: true }).fill("correct horse");
  await panel.getByLabel("Repeat passphrase").fill("correct horse");
  await page.keyboard.press("Enter");
  await readable.waitFor({ state: "detached" });
  await button.click();
  await panel.getByRole("button", { name: "Done" }).click();
  const servers = await hub.rest<{ name: string; env: object }[]>("GET", "/api/servers");
  expect(servers.map(({ name }) => name).sort()).toEqual(["github", "notes"]);
  expect(JSON.stringify(servers)).not.toContain(TOKEN);
  expect(problems).toEqual([]);
  await context.close();
});

test("a selection of servers is imported without changing an editor", async () => {
  await using hub = await new EditorHub().install("vscode", "codex").start();
  const { page, context, problems } = await visit(browser, hub);
  const panel = page.getByRole("region", { name: "Welcome" });
  await panel.getByText("2 editors, 2 servers found").waitFor();
  await panel.getByRole("listitem").filter({ hasText: "clock-mcp" }).getByRole("checkbox").uncheck();
  await panel.getByRole("checkbox", { name: /^Connect 2 editors/ }).uncheck();
  await panel.getByRole("button", { name: "Import 1 server", exact: true }).click();
  await panel.getByRole("button", { name: "Done" }).click();
  const servers = await hub.rest<{ name: string }[]>("GET", "/api/servers");
  expect(servers.map(({ name }) => name)).toEqual(["notes"]);
  expect(hub.text("vscode")).toBe(hub.original("vscode"));
  expect(hub.text("codex")).toBe(hub.original("codex"));
  expect(problems).toEqual([]);
  await context.close();
});

test("without editors, and with editors that have no servers, the first steps are shown", async () => {
  await using none = await new TestHub().start({ PATH: "/usr/bin:/bin" });
  await using bare = await new EditorHub().install("claude-desktop").start();
  for (const hub of [none, bare]) {
    const { page, context, problems } = await visit(browser, hub);
    await page.getByRole("region", { name: "Getting started" }).getByText("Add a server").waitFor();
    expect(await page.getByRole("region", { name: "Welcome" }).count()).toBe(0);
    expect(problems).toEqual([]);
    await context.close();
  }
});
