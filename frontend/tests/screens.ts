// Takes screenshots of every page: node tests/screens.ts FOLDER [--readme]
//
// It covers full, empty and failing pages, light and dark, and windows of 1440, 1024 and 480 pixels. With --readme, only pages in the README.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { launch, visit, type View, type Visit } from "./support/browser.ts";
import { EditorHub } from "./support/editors.ts";
import { populate } from "./support/home.ts";
import { TestHub } from "./support/hub.ts";

const [folder = "screens", only] = process.argv.slice(2);
const themes = ["light", "dark"] as const;
const large = { width: 1440, height: 900 };

interface Shot {
  name: string;
  path: string;
  /** Prepares the page for the screenshot. */
  before?: (seen: Visit) => Promise<void>;
}

const full: Shot[] = [
  { name: "overview", path: "/overview" },
  { name: "approvals", path: "/approvals" },
  { name: "servers", path: "/servers" },
  { name: "server", path: "/servers/everything" },
  { name: "server-configuration", path: "/servers/everything?tab=configuration" },
  { name: "server-metrics", path: "/servers/everything?tab=metrics" },
  { name: "server-output", path: "/servers/everything?tab=output" },
  { name: "server-secrets", path: "/servers/tickets?tab=secrets" },
  { name: "server-failing", path: "/servers/broken" },
  { name: "editors", path: "/editors" },
  {
    name: "editors-change",
    path: "/editors",
    before: async ({ page }) => {
      await page.getByRole("button", { name: "Replace in OpenAI Codex" }).click();
      await page.getByRole("region", { name: /^Change of/ }).waitFor();
    },
  },
  { name: "editors-import", path: "/editors?tab=import" },
  { name: "editors-export", path: "/editors?tab=export" },
  { name: "editors-checkup", path: "/editors?tab=checkup" },
  { name: "editors-history", path: "/editors?tab=history" },
  { name: "tools", path: "/tools" },
  { name: "tool", path: "/tools/everything/echo" },
  { name: "test", path: "/test/everything?tool=get-annotated-message" },
  { name: "test-resources", path: "/test/everything?tab=resources" },
  { name: "test-prompts", path: "/test/everything?tab=prompts" },
  { name: "test-server", path: "/test/everything?tab=server" },
  { name: "activity", path: "/activity" },
  {
    name: "activity-entry",
    path: "/activity?kind=call",
    before: async ({ page }) => {
      await page.getByRole("table", { name: "Log" }).getByRole("link").first().click();
      await page.getByRole("button", { name: "Copy entry" }).click();
    },
  },
  { name: "servers-add", path: "/servers?add=local" },
  {
    name: "help",
    path: "/overview",
    before: async ({ page }) => {
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    },
  },
  {
    name: "palette",
    path: "/overview",
    before: async ({ page }) => {
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.keyboard.press("Control+k");
      await page.getByPlaceholder("Type a command or a name…").waitFor();
    },
  },
];
const empty = ["overview", "approvals", "servers", "editors", "tools", "test", "activity"].map((name) => ({
  name,
  path: `/${name}`,
}));
const readme: Shot[] = [
  { name: "overview", path: "/overview" },
  { name: "servers", path: "/servers" },
  {
    name: "tools",
    path: "/tools?mode=ask",
    before: async ({ page }) => {
      await page
        .getByRole("main")
        .getByRole("textbox")
        .or(page.getByRole("main").getByRole("searchbox"))
        .first()
        .fill("create an invoice");
      await page.getByText("create_invoice").first().waitFor();
    },
  },
  {
    name: "test",
    path:
      "/test/everything?tool=get-annotated-message&args=" +
      encodeURIComponent('{"messageType":"success","includeImage":true}'),
    before: async ({ page }) => {
      await page.getByRole("button", { name: /^Call/ }).click();
      await page.getByRole("img").last().waitFor();
    },
  },
];

async function shoot(browser: Browser, hub: TestHub, shot: Shot, view: View, suffix: string): Promise<void> {
  const seen = await visit(browser, hub, shot.path, view);
  await seen.page.waitForLoadState("networkidle");
  await shot.before?.(seen);
  await seen.page.screenshot({ path: join(folder, `${shot.name}${suffix}.png`), animations: "disabled" });
  if (seen.problems.length) console.log(shot.name, suffix, seen.problems);
  await seen.context.close();
}

/** breakEntries registers editors and then changes their files like other programs. */
async function breakEntries(hub: EditorHub): Promise<void> {
  await hub.rest("POST", "/api/editors/register", { editors: ["cursor", "vscode", "claude-desktop"] });
  hub.write("vscode", hub.original("vscode"));
  hub.write("codex", '[mcp_servers.discover]\ncommand = "something-else"\n');
}

mkdirSync(folder, { recursive: true });
const browser = await launch();
{
  // The passphrase makes secrets storable, as on a machine with a keychain.
  await using hub = await new EditorHub().install().start({ AGENT_DISCOVER_PASSPHRASE: "a passphrase for pictures" });
  const agents = await populate(hub);
  if (only !== "--readme") await breakEntries(hub);
  for (const shot of only === "--readme" ? readme : full) {
    for (const theme of themes) await shoot(browser, hub, shot, { theme, ...(only ? {} : large) }, `-${theme}`);
    if (only === "--readme") continue;
    await shoot(browser, hub, shot, { width: 1024, height: 768 }, "-1024");
    await shoot(browser, hub, shot, { width: 480, height: 900 }, "-480");
  }
  await agents[Symbol.asyncDispose]();
}
if (only !== "--readme") {
  await using hub = await new TestHub().start();
  for (const shot of empty) for (const theme of themes) await shoot(browser, hub, shot, { theme }, `-empty-${theme}`);
  await using begun = await new EditorHub().install().start();
  for (const name of ["overview", "editors"])
    for (const theme of themes) await shoot(browser, begun, { name, path: `/${name}` }, { theme }, `-first-${theme}`);
}
await browser.close();
