// The first run: servers of editors are imported and editors connected by one button, after every command was shown.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectAccessible, launch, visit } from "./support/browser.ts";
import { EditorHub, TOKEN } from "./support/editors.ts";
import { TestHub } from "./support/hub.ts";

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
  const panel = page.getByRole("region", { name: "Welcome" });
  await panel.getByText("2 editors, 2 servers found").waitFor();
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
  await panel.getByRole("button", { name: "Done" }).click();
  await panel.waitFor({ state: "detached" });
  expect(problems).toEqual([]);
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
