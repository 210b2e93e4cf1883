import { chmodSync, statSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectAccessible, expectFits, launch, tryAgain, visit } from "./support/browser.ts";
import { EditorHub } from "./support/editors.ts";
import { binary } from "./support/hub.ts";

let browser: Browser;
beforeAll(async () => void (browser = await launch()));
afterAll(() => browser.close());

const row = (page: Page, name: string) =>
  page.getByRole("list", { name: "Editors" }).getByRole("listitem", { name, exact: true });
const toast = (page: Page, text: string | RegExp) => page.locator("[data-toasts]").getByText(text);
const dialog = (page: Page) => page.getByRole("dialog");
const ours = /"discover": \{/;

/** fits checks that no element is wider than its container. */
const fits = (page: Page) => expectFits(page, "editors", "main, main > div, [role=tabpanel] > div, [role=dialog]");

test("the first run previews all changes, registers every editor with one button, and undo restores every byte", async () => {
  await using hub = await new EditorHub().install().start();
  const { page, context, problems } = await visit(browser, hub, "/overview");
  await page.getByRole("link", { name: "Connect editors" }).click();
  const files = page.getByRole("list", { name: "Files that are changed" }).getByRole("listitem");
  await files.nth(4).waitFor();
  for (const name of ["Claude Desktop", "Cursor", "Visual Studio Code", "OpenAI Codex"])
    expect(await page.getByRole("checkbox", { name }).isChecked(), name).toBe(true);
  const broken = page.getByRole("checkbox", { name: "Zed" });
  expect(await broken.isDisabled()).toBe(true);
  await files.filter({ has: broken }).getByText("Line 2: the file is not valid JSON.").waitFor();
  const cursor = files.filter({ hasText: "Cursor" });
  await cursor.getByText("Changes").click();
  const change = cursor.getByRole("region", { name: `Change of ${hub.file("cursor")}` });
  await change.waitFor();
  expect(await change.getByText("added:").count()).toBe(7);
  expect(await change.innerText()).not.toContain("ghp_");
  expect(hub.ids.map((id) => hub.text(id))).toEqual(hub.ids.map((id) => hub.original(id)));

  await page.getByRole("checkbox", { name: "OpenAI Codex" }).uncheck();
  await page.getByRole("button", { name: "Add to 3 editors" }).click();
  await toast(page, /^Added Agent Discover to Claude Desktop, Cursor and Visual Studio Code\./).waitFor();
  for (const id of ["claude-desktop", "cursor", "vscode"] as const) expect(hub.text(id), id).toMatch(ours);
  expect(hub.text("cursor")).toContain("// what I use every day");
  expect(hub.text("codex")).toBe(hub.original("codex"));
  expect(hub.text("zed")).toBe(hub.original("zed"));
  await row(page, "Cursor").getByText("Registered", { exact: true }).waitFor();
  await row(page, "Claude Desktop")
    .getByText(/^Quit Claude Desktop/)
    .waitFor();
  await page.getByText("3 of 5 registered").waitFor();

  await page.locator("[data-toasts]").getByRole("button", { name: "Undo" }).click();
  await toast(page, /^Undone in/).waitFor();
  await row(page, "Cursor").getByText("Not registered").waitFor();
  expect(hub.ids.map((id) => hub.text(id))).toEqual(hub.ids.map((id) => hub.original(id)));
  expect(problems).toEqual([]);
  await context.close();
});

test("the first run can be dismissed, and its failures stay visible", async () => {
  await using hub = await new EditorHub().install("cursor", "vscode").start();
  const { page, context, problems } = await visit(browser, hub, "/editors");
  await page.getByRole("button", { name: "Not now" }).click();
  await row(page, "Cursor").getByText("Not registered").waitFor();
  await page.reload();
  await page.route("**/api/editors/register", async (route) => {
    hub.write("cursor", '{ "mcpServers": { "discover": { "command": "/gone/agent-discover" } } }\n');
    await route.continue();
  });
  await page.getByRole("button", { name: "Add to 2 editors" }).click();
  await page.getByRole("listitem").filter({ hasText: "Visual Studio Code" }).getByText("Done.").waitFor();
  await page
    .getByRole("listitem")
    .filter({ hasText: "Cursor" })
    .getByText(/changed/)
    .first()
    .waitFor();
  expect(hub.text("cursor")).toContain("/gone/agent-discover");
  await page.getByRole("button", { name: "Show all editors" }).click();
  await row(page, "Visual Studio Code").getByText("Registered", { exact: true }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("a change elsewhere in a file since its preview is kept", async () => {
  await using hub = await new EditorHub().install("cursor").start();
  const { page, context, problems } = await visit(browser, hub, "/editors");
  await page.getByRole("button", { name: "Not now" }).click();
  await row(page, "Cursor").getByRole("button", { name: "Add to Cursor" }).click();
  await dialog(page)
    .getByRole("region", { name: /^Change of/ })
    .waitFor();
  hub.write("cursor", hub.original("cursor").replace("every day", "on Sundays"));
  await dialog(page).getByRole("button", { name: "Add to Cursor" }).click();
  await dialog(page).waitFor({ state: "detached" });
  expect(hub.text("cursor")).toMatch(ours);
  expect(hub.text("cursor")).toContain("on Sundays");
  expect(problems).toEqual([]);
  await context.close();
});

test("a change that would differ from its preview is not made, and is previewed again", async () => {
  await using hub = await new EditorHub().install("cursor").start();
  const { page, context, problems } = await visit(browser, hub, "/editors");
  await page.getByRole("button", { name: "Not now" }).click();
  await row(page, "Cursor").getByRole("button", { name: "Add to Cursor" }).click();
  await dialog(page)
    .getByRole("region", { name: /^Change of/ })
    .waitFor();
  const other = '{ "mcpServers": { "discover": { "command": "/gone/agent-discover" } } }\n';
  hub.write("cursor", other);
  await dialog(page).getByRole("button", { name: "Add to Cursor" }).click();
  await dialog(page)
    .getByText(/was changed since the preview/)
    .waitFor();
  expect(hub.text("cursor")).toBe(other);
  await expectAccessible(page, "a refused change");
  await dialog(page).getByRole("button", { name: "Check again" }).click();
  await dialog(page)
    .getByText(/gone\/agent-discover/)
    .first()
    .waitFor();
  await dialog(page).getByRole("button", { name: "Add to Cursor" }).click();
  await dialog(page).waitFor({ state: "detached" });
  expect(hub.text("cursor")).toMatch(ours);
  expect(hub.text("cursor")).not.toContain("/gone/");
  expect(problems).toEqual([]);
  await context.close();
});

test("changes by other programs appear within seconds: an entry removed, moved, or replaced", async () => {
  await using hub = await new EditorHub().install("cursor", "codex").start();
  const { page, context, problems } = await visit(browser, hub, "/editors");
  await page.getByRole("button", { name: "Add to 2 editors" }).click();
  await row(page, "Cursor").getByText("Registered", { exact: true }).waitFor();
  const badge = page.getByRole("navigation").getByRole("link", { name: /^Editors/ });
  const right = hub.text("cursor");

  hub.write("cursor", hub.original("cursor"));
  await row(page, "Cursor").getByText("Needs repair").waitFor();
  await row(page, "Cursor").getByText("Another program removed the entry").waitFor();
  await badge.getByText("1").waitFor();
  await row(page, "Cursor").getByRole("button", { name: "Repair Cursor" }).click();
  await dialog(page).getByRole("button", { name: "Repair Cursor" }).click();
  await row(page, "Cursor").getByText("Registered", { exact: true }).waitFor();
  expect(hub.text("cursor")).toBe(right);
  await badge.getByText("1").waitFor({ state: "detached" });

  hub.write("cursor", right.replace(/"command": ".*agent-discover"/, '"command": "/gone/agent-discover"'));
  await row(page, "Cursor").getByText("/gone/agent-discover").waitFor();
  await row(page, "Cursor").getByRole("button", { name: "Repair Cursor" }).click();
  await dialog(page).getByText("removed:").first().waitFor();
  await dialog(page).getByRole("button", { name: "Repair Cursor" }).click();
  await row(page, "Cursor").getByText("Registered", { exact: true }).waitFor();
  expect(hub.text("cursor")).toBe(right);

  hub.write("codex", '[mcp_servers.discover]\ncommand = "something-else"\n');
  await row(page, "OpenAI Codex").getByText("Name taken").waitFor();
  await row(page, "OpenAI Codex").getByText("it starts another program").waitFor();
  await row(page, "OpenAI Codex").getByRole("button", { name: "Replace in OpenAI Codex" }).click();
  await dialog(page).getByRole("button", { name: "Replace in OpenAI Codex" }).click();
  await row(page, "OpenAI Codex").getByText("Registered", { exact: true }).waitFor();
  expect(hub.text("codex")).not.toContain("something-else");
  expect(problems).toEqual([]);
  await context.close();
});

test("each change in the history can be undone, wholly or for our entry only", async () => {
  await using hub = await new EditorHub().install("cursor", "vscode").start();
  const { page, context, problems } = await visit(browser, hub, "/editors");
  await page.getByRole("button", { name: "Add to 2 editors" }).click();
  await row(page, "Cursor").getByText("Registered", { exact: true }).waitFor();
  hub.write("vscode", hub.text("vscode").replace("notes", "others"));
  await page.getByRole("tab", { name: "History" }).click();
  const changes = page.getByRole("list", { name: "Changes" }).getByRole("listitem");
  const cursor = changes.filter({ hasText: "Added discover to Cursor" });
  await cursor.getByText("Restores the file byte for byte").waitFor();
  await cursor.getByText("just now").waitFor();
  const code = changes.filter({ hasText: "Added discover to Visual Studio Code" });
  await code.getByText("Restores only the Agent Discover entry").waitFor();
  await expectAccessible(page, "the history");

  await cursor.getByRole("button", { name: /^Undo/ }).click();
  await dialog(page).getByText("removed:").first().waitFor();
  expect(hub.text("cursor")).toMatch(ours);
  await dialog(page).getByRole("button", { name: "Undo in Cursor" }).click();
  await cursor.getByText("Undone", { exact: true }).waitFor();
  expect(hub.text("cursor")).toBe(hub.original("cursor"));
  await code.getByRole("button", { name: /^Undo/ }).click();
  await dialog(page).getByRole("button", { name: "Undo in Visual Studio Code" }).click();
  await code.getByText("Undone", { exact: true }).waitFor();
  expect(hub.text("vscode")).toBe(hub.original("vscode").replace("notes", "others"));
  expect(problems).toEqual([]);
  await context.close();
});

test("a read-only file stays unchanged, and the entry can be copied", async () => {
  await using hub = await new EditorHub().install("cursor", "zed").start();
  hub.lock("cursor");
  const { page, context, problems } = await visit(browser, hub, "/editors");
  await row(page, "Cursor").getByText("Cannot be changed").waitFor();
  await row(page, "Zed").getByText("Cannot be changed").waitFor();
  expect(
    await row(page, "Zed")
      .getByRole("button", { name: /^(Add|Repair)/ })
      .count(),
  ).toBe(0);
  await row(page, "Zed")
    .getByRole("button", { name: /^Copy entry to paste/ })
    .click();
  const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText())) as object;
  expect(copied).toHaveProperty("context_servers.discover.args", ["mcp", "--client", "zed", "--surface", "meta"]);
  expect(statSync(hub.file("cursor")).mode & 0o777).toBe(0o400);
  expect(hub.text("cursor")).toBe(hub.original("cursor"));
  await row(page, "Zed")
    .getByRole("button", { name: /^Copy path/ })
    .click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(hub.file("zed"));
  expect(problems).toEqual([]);
  chmodSync(hub.file("cursor"), 0o600); // now the page may offer the first run
  await context.close();
});

test("an entry that does not name its editor is registered, and can be updated", async () => {
  await using hub = await new EditorHub().install("cursor", "vscode").start();
  const old = `{"mcpServers": {"discover": {"command": ${JSON.stringify(binary)}, "args": ["mcp", "--surface", "registry"], "env": {"AGENT_DISCOVER_HOME": ${JSON.stringify(hub.folder)}}}}}`;
  hub.write("cursor", old);
  const { page, context, problems } = await visit(browser, hub, "/editors");
  const cursor = row(page, "Cursor");
  await cursor.getByText("Registered", { exact: true }).waitFor();
  await cursor.getByText("The entry does not say that it is for Cursor").waitFor();
  expect(
    await row(page, "Visual Studio Code")
      .getByRole("button", { name: /^Update/ })
      .count(),
  ).toBe(0);

  await page.getByRole("tab", { name: "Checkup" }).click();
  await page.getByRole("button", { name: /^Update/ }).click();
  await dialog(page).getByRole("button", { name: "Update Cursor" }).click();
  await dialog(page).waitFor({ state: "detached" });
  const updated = old.replace('["mcp", ', '["mcp", "--client", "cursor", ');
  expect(hub.text("cursor")).toBe(updated);
  await page.getByRole("button", { name: /^Update/ }).waitFor({ state: "detached" });

  hub.write("cursor", old);
  await page.getByRole("tab", { name: "Editors" }).click();
  await cursor.getByRole("button", { name: "Update Cursor" }).click();
  await dialog(page).getByRole("button", { name: "Update Cursor" }).click();
  await cursor.getByText("The entry does not say").waitFor({ state: "detached" });
  expect(hub.text("cursor")).toBe(updated);
  expect(problems).toEqual([]);
  await context.close();
});

test("a change waits until a running editor is closed, and can be withdrawn before", async () => {
  await using hub = await new EditorHub().install("claude-desktop").start();
  const close = await hub.open("claude-desktop");
  const { page, context, problems } = await visit(browser, hub, "/editors");
  await page.getByText("Claude Desktop is running and would overwrite this change").waitFor();
  await page.getByRole("button", { name: "Add to 1 editor" }).click();
  await toast(page, "Claude Desktop: pending until the editor is closed.").waitFor();
  await row(page, "Claude Desktop").getByText("Pending").waitFor();
  expect(hub.text("claude-desktop")).toBe("");
  await row(page, "Claude Desktop").getByRole("button", { name: "Remove from Claude Desktop" }).click();
  await dialog(page).getByRole("button", { name: "Remove from Claude Desktop" }).click();
  await row(page, "Claude Desktop").getByText("Not registered").waitFor();
  await row(page, "Claude Desktop").getByRole("button", { name: "Add to Claude Desktop" }).click();
  await dialog(page).getByRole("button", { name: "Add to Claude Desktop" }).click();
  await row(page, "Claude Desktop").getByText("Pending").waitFor();
  await close();
  await row(page, "Claude Desktop").getByText("Registered", { exact: true }).waitFor({ timeout: 60_000 });
  expect(hub.text("claude-desktop")).toMatch(ours);
  expect(problems).toEqual([]);
  await context.close();
});

test("editors are searched, and all are registered and unregistered together", async () => {
  await using hub = await new EditorHub().install("cursor", "vscode", "codex").start();
  const { page, context, problems } = await visit(browser, hub, "/editors");
  await page.getByRole("button", { name: "Not now" }).click();
  await page.getByRole("button", { name: /^Show all \d\d editors/ }).click();
  await row(page, "Qwen Code").getByText("Not installed").waitFor();
  await page.getByRole("searchbox").fill("code user");
  await row(page, "Visual Studio Code").waitFor();
  await row(page, "Cursor").waitFor({ state: "detached" });
  await page.getByRole("searchbox").fill("no such editor at all");
  await page.getByText("No editor matches").waitFor();
  await page.getByRole("button", { name: "Show editors on this machine" }).click();

  await page.getByRole("button", { name: "Add to all detected…" }).click();
  await dialog(page).getByRole("button", { name: "Add to 3 editors" }).click();
  await page.getByText("3 of 3 registered").waitFor();
  await page.getByRole("button", { name: "Remove from all…" }).click();
  await dialog(page).getByRole("checkbox", { name: "Cursor" }).uncheck();
  await dialog(page).getByRole("button", { name: "Remove from 2 editors" }).click();
  await page.getByText("1 of 3 registered").waitFor();
  expect(hub.text("cursor")).toMatch(ours);
  expect(hub.text("codex")).toBe(hub.original("codex"));
  expect(problems).toEqual([]);
  await context.close();
});

test("an editor that is installed later is marked as new, and is registered automatically if that is on", async () => {
  await using hub = await new EditorHub().install("cursor").start();
  const { page, context, problems } = await visit(browser, hub, "/editors");
  await page.getByRole("button", { name: "Add to 1 editor" }).click();
  await row(page, "Cursor").getByText("Registered", { exact: true }).waitFor();
  hub.install("vscode");
  await row(page, "Visual Studio Code").getByText("New").waitFor();
  expect(hub.text("vscode")).toBe(hub.original("vscode"));
  await page.reload();
  await row(page, "Visual Studio Code").getByText("Not registered").waitFor();
  expect(await row(page, "Visual Studio Code").getByText("New").count()).toBe(0);

  const onOff = page.getByRole("switch", { name: "Register new editors automatically" });
  await onOff.click();
  await onOff.and(page.getByRole("switch", { checked: true })).waitFor();
  hub.install("codex");
  await row(page, "OpenAI Codex").getByText("Registered", { exact: true }).waitFor({ timeout: 60_000 });
  await page.getByRole("tab", { name: "History" }).click();
  const change = page.getByRole("listitem").filter({ hasText: "Added discover to OpenAI Codex" });
  await change.getByText("automatic").waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("without editors, or when they cannot be loaded, the page says what to do", async () => {
  await using hub = await new EditorHub().start();
  const { page, context, problems } = await visit(browser, hub, "/editors", { expected: /503/ });
  await page.getByText("No editor found on this machine").waitFor();
  await page.getByRole("button", { name: "Copy entry for editors" }).focus();
  await page.keyboard.press("Enter");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('"discover"');
  await fits(page);
  await page.route(/\/api\/editors/, (route) => route.fulfill({ status: 503, json: { error: "the disk is full" } }));
  await page.reload();
  await page.getByText("Could not load editors").waitFor();
  await expectAccessible(page, "editors that could not be loaded");
  await page.unroute(/\/api\/editors/);
  await tryAgain(page);
  await page.getByText("No editor found on this machine").waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

for (const theme of ["light", "dark"] as const) {
  test(`the page is accessible in ${theme}, fits, and works by keyboard alone`, async () => {
    await using hub = await new EditorHub().install().start();
    const { page, context, problems } = await visit(browser, hub, "/overview", { theme, width: 400 });
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await page.keyboard.press("Control+3");
    await page.getByRole("checkbox", { name: "Cursor" }).waitFor();
    await page.locator("summary").first().click();
    await expectAccessible(page, `the first run, ${theme}`);
    await fits(page);
    const reach = async (name: string | RegExp) => {
      const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
      for (let i = 0; i < 60 && !(await focused()).match(name); i++) await page.keyboard.press("Tab");
      expect(await focused()).toMatch(name);
    };
    await page.locator("#main").focus();
    await reach(/^Add to 4 editors$/);
    await page.keyboard.press("Enter");
    await row(page, "Cursor").getByText("Registered", { exact: true }).waitFor();
    await expectAccessible(page, `the list, ${theme}`);
    await fits(page);
    await page.setViewportSize({ width: 1600, height: 900 });
    await fits(page);
    await page.locator("#main").focus();
    await reach(/^Remove…$/);
    await page.keyboard.press("Enter");
    await dialog(page).getByText("removed:").first().waitFor();
    await expectAccessible(page, `a change before it is made, ${theme}`);
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    expect(await page.evaluate(() => document.activeElement?.textContent?.trim())).toBe("Remove…");
    expect(problems).toEqual([]);
    await context.close();
  });
}
