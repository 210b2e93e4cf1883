// Takes screenshots of every page: node tests/screens.ts FOLDER [--readme | PART]
//
// It covers full, empty and failing pages, light and dark, and windows of 1440, 1024 and 480 pixels. With --readme, it
// takes only the pictures of the README; with PART, only those whose names contain PART.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { launch, visit, type View, type Visit } from "./support/browser.ts";
import { EditorHub } from "./support/editors.ts";
import { addPoisoned, populate } from "./support/home.ts";
import { createToolsets } from "./support/toolsets.ts";
import { cancelQuestions } from "./support/inspector.ts";
import { initialize, plain, TestHub } from "./support/hub.ts";
import { Registries } from "./support/market.ts";
import { newer } from "./support/packages.ts";
import { signedServer } from "./support/signin.ts";

const [folder = "screens", choice = ""] = process.argv.slice(2);
const only = choice === "--readme" && choice;
const part = only ? "" : choice;
const themes = ["light", "dark"] as const;
const large = { width: 1440, height: 900 };

interface Shot {
  name: string;
  path: string;
  /** Prepares the page for the screenshot. */
  before?: (seen: Visit, hub: TestHub) => Promise<void>;
  expected?: View["expected"];
}

/** ask makes the reference server ask the user a question: it calls a tool that asks. */
async function ask(hub: TestHub, tool: string, args: object = {}): Promise<void> {
  const servers = await hub.rest<{ id: number; name: string }[]>("GET", "/api/servers");
  const id = servers.find(({ name }) => name === "everything")?.id ?? 0;
  await hub.rest("POST", `/api/servers/${id}/start`);
  hub.rest("POST", `/api/servers/${id}/call`, { tool, args }).catch(() => undefined); // may be cancelled
}

const full: Shot[] = [
  { name: "overview", path: "/overview" },
  { name: "approvals", path: "/approvals" },
  {
    name: "approvals-held",
    path: "/approvals",
    before: async ({ page }) => {
      await page.getByRole("heading", { name: "Tools and texts" }).scrollIntoViewIfNeeded();
      await page.getByText("Blocked", { exact: true }).waitFor();
    },
  },
  {
    name: "server-sandbox",
    path: "/servers/everything",
    before: ({ page }) => page.getByRole("region", { name: "Sandbox", exact: true }).scrollIntoViewIfNeeded(),
  },
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
  { name: "editors-http", path: "/editors?tab=http" },
  {
    name: "editors-http-create",
    path: "/editors?tab=http",
    before: ({ page }) => page.getByRole("button", { name: "Create token…" }).click(),
  },
  {
    name: "editors-http-created",
    path: "/editors?tab=http",
    before: async ({ page }) => {
      // Each picture needs a name of its own.
      const name = `laptop-${Date.now()}`;
      await page.getByRole("button", { name: "Create token…" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox", { name: "Name" }).fill(name);
      await dialog.getByRole("combobox", { name: "Client" }).selectOption("vscode");
      await dialog.getByRole("button", { name: "Create token" }).click();
      await dialog.getByRole("button", { name: "Copy token" }).waitFor();
    },
  },
  {
    name: "editors-http-failing",
    path: "/editors",
    expected: /status of 503/,
    before: async ({ page }) => {
      await page.route("**/api/tokens", (route) =>
        route.fulfill({ status: 503, json: { error: "the hub is stopping" } }),
      );
      await page.getByRole("tab", { name: "HTTP clients" }).click();
      await page.getByText("Could not load tokens").waitFor();
    },
  },
  { name: "editors-import", path: "/editors?tab=import" },
  { name: "editors-export", path: "/editors?tab=export" },
  { name: "editors-checkup", path: "/editors?tab=checkup" },
  { name: "editors-history", path: "/editors?tab=history" },
  { name: "tools", path: "/tools" },
  { name: "tool", path: "/tools/everything/echo" },
  { name: "toolsets", path: "/toolsets" },
  { name: "toolset", path: "/toolsets/daily" },
  { name: "toolset-changed", path: "/toolsets/support" },
  { name: "toolset-waiting", path: "/toolsets/release-notes" },
  {
    name: "toolset-create",
    path: "/toolsets?add=new",
    before: async ({ page }) => {
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name").fill("weekly");
      await dialog.getByRole("searchbox").fill("list");
      await dialog.getByRole("button", { name: /^Add / }).first().click();
      await dialog.getByRole("button", { name: /^Add / }).first().click();
    },
  },
  {
    name: "toolset-import-failing",
    path: "/toolsets?add=file",
    expected: /422 \(|400 \(/,
    before: async ({ page }) => {
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Or paste its content").fill("{}");
      await dialog.getByRole("button", { name: "Import" }).click();
      await dialog.getByText("Could not import the toolset").waitFor();
    },
  },
  {
    name: "toolsets-failing",
    path: "/overview",
    expected: /status of 503/,
    before: async ({ page }) => {
      await page.route("**/api/toolsets", (route) =>
        route.fulfill({ status: 503, json: { error: "the hub is stopping" } }),
      );
      await page.getByRole("link", { name: "Toolsets" }).click();
      await page.getByText("Could not load toolsets").waitFor();
    },
  },
  { name: "test", path: "/test/everything?tool=get-annotated-message" },
  { name: "test-resources", path: "/test/everything?tab=resources" },
  { name: "test-prompts", path: "/test/everything?tab=prompts" },
  { name: "test-server", path: "/test/everything?tab=server" },
  { name: "test-messages", path: "/test/everything?tab=messages&send=tasks%2Flist" },
  {
    name: "test-messages-failing",
    path: "/test/everything?tab=messages&send=no%2Fsuch",
    before: async ({ page }) => {
      await page.getByRole("button", { name: "Send request" }).click();
      await page.getByText("(code -32601)").waitFor();
    },
  },
  { name: "test-tasks-empty", path: "/test/everything?tab=tasks" },
  {
    name: "test-tasks",
    path: "/test/everything?tool=simulate-research-query&args=" + encodeURIComponent('{"topic":"turtles"}'),
    before: async ({ page }) => {
      await page.getByRole("button", { name: "Call", exact: true }).click();
      await page.getByRole("button", { name: "Show tasks" }).click();
      await page.getByText("completed", { exact: true }).first().waitFor();
      await page.getByRole("button", { name: "Result" }).first().click();
      await page
        .getByText(/turtles/)
        .first()
        .waitFor();
    },
  },
  {
    name: "question-form",
    path: "/overview",
    before: async ({ page }, hub) => {
      await ask(hub, "trigger-elicitation-request");
      await page.getByRole("dialog").getByText(/left$/).waitFor();
    },
  },
  {
    name: "question-sampling",
    path: "/overview",
    before: async ({ page }, hub) => {
      await ask(hub, "trigger-sampling-request", { prompt: "Summarize the changes of today." });
      await page.getByRole("dialog").getByText(/left$/).waitFor();
    },
  },
  {
    name: "question-answers",
    path: "/servers",
    before: async ({ page }, hub) => {
      await ask(hub, "trigger-sampling-request", { prompt: "Summarize the changes of today." });
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("combobox", { name: /^Remember/ }).selectOption("session");
      await dialog.getByRole("button", { name: "Decline" }).click();
      await dialog.waitFor({ state: "hidden" });
      await page.goto(page.url().replace(/#.*/, "#/approvals"));
      const answers = page.getByRole("list", { name: "Remembered answers" });
      await answers.waitFor();
      await page.screenshot(); // lets the list settle
      for (const entry of (await hub.rest<{ entries: { id: string }[] }>("GET", "/api/answers")).entries)
        await hub.rest("DELETE", `/api/answers/${entry.id}`);
    },
  },
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
  { name: "help", path: "/help" },
  { name: "help-page", path: "/help/surfaces" },
  {
    name: "shortcuts",
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
const empty: Shot[] = [
  ...["overview", "approvals", "servers", "browse", "editors", "tools", "toolsets", "test", "activity"].map((name) => ({
    name,
    path: `/${name}`,
  })),
  ...["http", "import", "export", "checkup", "history"].map((tab) => ({
    name: `editors-${tab}`,
    path: `/editors?tab=${tab}`,
  })),
  { name: "tools-ask", path: "/tools?mode=ask" },
  { name: "tools-learned", path: "/tools?learned=1" },
  { name: "activity-no-match", path: "/activity?kind=call&text=nothing" },
  { name: "editors-no-match", path: "/editors?q=nothing" },
  { name: "server-missing", path: "/servers/none" },
  { name: "tool-missing", path: "/tools/none/none" },
  { name: "help-missing", path: "/help/none" },
  { name: "help-no-match", path: "/help?q=zebra" },
];
/** Pages of a hub whose only server has no calls, secrets, prompts and resources, and pages without matches. */
const fresh: Shot[] = [
  { name: "server", path: "/servers/plain" },
  ...["tools", "metrics", "output", "secrets", "activity", "configuration"].map((tab) => ({
    name: `server-${tab}`,
    path: `/servers/plain?tab=${tab}`,
  })),
  { name: "tool", path: "/tools/plain/create_invoice" },
  { name: "test", path: "/test/plain" },
  ...["resources", "prompts", "server"].map((tab) => ({ name: `test-${tab}`, path: `/test/plain?tab=${tab}` })),
  { name: "servers-no-match", path: "/servers?q=nothing" },
  { name: "tools-no-match", path: "/tools?text=qqqq" },
  { name: "tools-ask-no-match", path: "/tools?mode=ask&need=qqqq" },
];
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

/** Pages of a hub with a server that requires a sign-in. */
const signIns: Shot[] = [
  { name: "sign-in-overview", path: "/overview" },
  {
    name: "sign-in-server",
    path: "/servers/notes",
    before: async ({ page, context }) => {
      await context.route(/\/auth\?/, (route) => route.abort());
      await page.getByRole("button", { name: /Sign in|Open the page again/ }).click();
      await page.getByText("The browser is on another machine").click();
      await page.getByLabel("Paste the address you were sent to").fill("http://127.0.0.1:13424/callback");
      await page.getByRole("button", { name: "Finish sign-in" }).click();
      await page.getByText("This is not the address at the end of a sign-in").waitFor();
    },
    expected: /422 \(/,
  },
  {
    name: "sign-in-add",
    path: "/servers",
    before: async ({ page }, hub) => {
      await page
        .getByRole("button", { name: /Add server|Paste a configuration/ })
        .first()
        .click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("radio", { name: "Remote" }).click();
      const [{ homepage = "" } = {}] = await hub.rest<{ homepage?: string }[]>("GET", "/api/servers");
      await dialog.getByLabel("Address").fill(homepage);
      await dialog.getByLabel("Name").fill(`notes-${Date.now().toString(36)}`);
      await dialog.getByRole("button", { name: "Add server", exact: true }).click();
      await dialog.getByText("Sign in…").waitFor();
    },
    expected: /403 \(/,
  },
];

/** The panel of a listing. */
const listing = (id: string, query = "") => `/browse/${encodeURIComponent(id)}${query}`;
const notes = "official:io.github.example/notes";

/** installs chooses Install once the plan is complete, and waits for a text. */
const installs = (text: RegExp) => async (seen: Visit) => {
  const dialog = seen.page.getByRole("dialog");
  await dialog.getByText("Installs exactly what is shown here.").waitFor();
  await dialog.getByRole("button", { name: "Install", exact: true }).click();
  await dialog.getByText(text).first().waitFor();
};

/** The steps of a newcomer, from the start page to an installed server, and what can go wrong. */
const market = (registries: Registries): Shot[] => [
  { name: "browse", path: "/browse" },
  {
    name: "browse-results",
    path: "/browse?q=notes",
    before: ({ page }) => page.getByText("downloads a month").first().waitFor(),
  },
  {
    name: "browse-searching",
    path: "/browse",
    before: async ({ page }) => {
      registries.search.close();
      await page.getByRole("searchbox").fill(`notes ${Math.random().toString(36).slice(2, 6)}`);
      await page.getByText("searching…").waitFor();
      await page.getByRole("link", { name: "Example Notes" }).waitFor();
    },
  },
  {
    name: "browse-missing-source",
    path: "/browse",
    before: async ({ page }) => {
      registries.search.open();
      registries.searchStatus = 500;
      await page.getByRole("searchbox").fill(`notes ${Math.random().toString(36).slice(2, 6)}`);
      await page.getByRole("list", { name: "Missing sources" }).waitFor();
      registries.searchStatus = 200;
    },
  },
  {
    name: "browse-no-match",
    path: "/browse?q=notes&runtime=cargo",
    before: ({ page }) => page.getByText("No server that was found passes the filters.").waitFor(),
  },
  { name: "browse-bad-link", path: "/browse?link=invalid" },
  {
    name: "browse-server",
    path: listing(notes),
    before: ({ page }) => page.getByText("Ways to run it").waitFor(),
  },
  {
    name: "browse-readme",
    path: listing("npm:weather-mcp-server"),
    before: async ({ page }) => {
      await page.getByText("Share this server").click();
      await page.getByText("VS Code", { exact: true }).waitFor();
    },
  },
  {
    name: "browse-hostile",
    path: listing("npm:evil-mcp-server"),
    before: ({ page }) => page.getByRole("heading", { name: "Trust" }).waitFor(),
  },
  {
    name: "browse-server-missing",
    path: listing("npm:no-such-server"),
    expected: /status of 404/,
    before: ({ page }) => page.getByText("Server not found").waitFor(),
  },
  {
    name: "browse-form",
    path: listing(notes, "?step=install&option=npm"),
    before: async ({ page }) => {
      await page.getByLabel("NOTES_TOKEN").fill("something");
      await page.getByText("Installs exactly what is shown here.").waitFor();
    },
  },
  {
    name: "browse-plan",
    path: listing(notes, "?step=install&option=npm"),
    before: async ({ page }) => {
      await page.getByLabel("NOTES_TOKEN").fill("something");
      await page.getByText("Installs exactly what is shown here.").scrollIntoViewIfNeeded();
    },
  },
  {
    name: "browse-link",
    path: listing("npm:weather-mcp-server", "?step=install&link=1"),
    before: ({ page }) => page.getByText("Installs exactly what is shown here.").waitFor(),
  },
  {
    name: "browse-program",
    path: listing(notes, "?step=install&option=nuget"),
    before: ({ page }) => page.getByText(/is needed$/).waitFor(),
  },
  {
    name: "browse-bundle",
    path: listing("official:com.example/station", "?step=install"),
    before: ({ page }) => page.getByText("The bundle has to be downloaded first").waitFor(),
  },
  {
    name: "browse-progress",
    path: listing("npm:weather-mcp-server", "?step=install"),
    before: async (seen) => {
      // The installation of the first picture goes on in the others.
      const dialog = seen.page.getByRole("dialog");
      registries.downloads.close();
      const complete = dialog.getByText("Installs exactly what is shown here.");
      await complete.or(dialog.getByText(/^Installing/)).waitFor();
      if (await complete.isVisible()) await installs(/^Installing/)(seen);
      await dialog.getByText("in progress").waitFor();
    },
  },
  {
    name: "browse-failed",
    path: listing("npm:broken-mcp-server", "?step=install"),
    before: async (seen) => {
      registries.downloads.open();
      await installs(/was not installed/)(seen);
    },
  },
  {
    name: "browse-installed",
    path: listing("npm:weather-mcp-server", "?step=install"),
    before: async (seen) => {
      // Each picture needs a name of its own.
      await seen.page.getByLabel("Name", { exact: true }).fill(`weather-${Math.random().toString(36).slice(2, 6)}`);
      await installs(/is installed, with/)(seen);
    },
  },
  {
    name: "browse-updates",
    path: "/browse",
    before: async ({ page }) => {
      registries.newer["weather-mcp-server"] = newer;
      await page.getByRole("button", { name: "Check for updates" }).click();
      await page.getByText("Review update…").first().waitFor();
    },
  },
  {
    name: "browse-update",
    path: "/browse",
    before: async ({ page }, hub) => {
      await hub.rest("POST", "/api/market/updates/check");
      await page.getByText("Review update…").first().click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: /^Compare/ }).click();
      await dialog.getByText(/tool added/).waitFor();
    },
  },
];

async function shoot(browser: Browser, hub: TestHub, shot: Shot, view: View, suffix: string): Promise<void> {
  if (!(shot.name + suffix).includes(part)) return;
  const seen = await visit(browser, hub, shot.path, { ...view, expected: shot.expected });
  await seen.page.waitForLoadState("networkidle");
  await shot.before?.(seen, hub);
  await seen.page.screenshot({ path: join(folder, `${shot.name}${suffix}.png`), animations: "disabled" });
  if (seen.problems.length) console.log(shot.name, suffix, seen.problems);
  await cancelQuestions(hub);
  await seen.context.close();
}

/** breakEntries registers editors and then changes their files as other programs might. */
async function breakEntries(hub: EditorHub): Promise<void> {
  await hub.rest("POST", "/api/editors/register", { editors: ["cursor", "vscode", "claude-desktop"] });
  hub.write("vscode", hub.original("vscode"));
  hub.write("codex", '[mcp_servers.discover]\ncommand = "something-else"\n');
}

/** createTokens creates a token of each kind for MCP clients over HTTP, and uses one. */
async function createTokens(hub: TestHub): Promise<void> {
  const { token } = await hub.restAsPerson<{ token: string }>("POST", "/api/tokens", { name: "ci" });
  await hub.restAsPerson("POST", "/api/tokens", { name: "laptop", client: "cursor" });
  await hub.restAsPerson("POST", "/api/tokens", {
    name: "notes-only",
    client: "claude-code",
    surface: "server:memory",
  });
  await hub.rest("POST", "/mcp", initialize, token);
}

mkdirSync(folder, { recursive: true });
const browser = await launch();
{
  // The passphrase makes secrets storable, as on a machine with a keychain.
  await using hub = await new EditorHub().install().start({ AGENT_DISCOVER_PASSPHRASE: "a passphrase for pictures" });
  const agents = await populate(hub);
  if (!only) {
    await addPoisoned(hub);
    await breakEntries(hub);
    await createTokens(hub);
    await createToolsets(hub);
  }
  for (const shot of only ? readme : full) {
    for (const theme of themes) await shoot(browser, hub, shot, { theme, ...(only ? {} : large) }, `-${theme}`);
    if (only) continue;
    await shoot(browser, hub, shot, { width: 1024, height: 768 }, "-1024");
    await shoot(browser, hub, shot, { width: 480, height: 900 }, "-480");
  }
  await agents[Symbol.asyncDispose]();
}
if (!only) {
  await using registries = await new Registries().start();
  await using hub = new TestHub();
  await hub.start({ AGENT_DISCOVER_PASSPHRASE: "a passphrase for pictures", ...registries.use(hub) });
  for (const shot of market(registries)) {
    for (const theme of themes) await shoot(browser, hub, shot, { theme, ...large }, `-${theme}`);
    await shoot(browser, hub, shot, { width: 480, height: 900 }, "-480");
  }
}
if (!only) {
  await using hub = await new TestHub().start();
  for (const shot of empty) {
    for (const theme of themes) await shoot(browser, hub, shot, { theme }, `-empty-${theme}`);
    await shoot(browser, hub, shot, { width: 480, height: 900 }, "-empty-480");
  }
  await hub.add("plain", plain(3, "issues"));
  for (const shot of fresh) for (const theme of themes) await shoot(browser, hub, shot, { theme }, `-fresh-${theme}`);
  await using begun = await new EditorHub().install().start();
  for (const name of ["overview", "editors"])
    for (const theme of themes) await shoot(browser, begun, { name, path: `/${name}` }, { theme }, `-first-${theme}`);
}
if (!only) {
  await using hub = await new TestHub().start({ AGENT_DISCOVER_PASSPHRASE: "a passphrase for pictures" });
  await using server = await signedServer();
  await hub.rest("POST", "/api/servers", { name: "notes", transport: "streamable-http", homepage: server.url });
  await hub.rest("POST", "/api/servers/1/refresh").catch(() => undefined); // it requires a sign-in
  for (const shot of signIns) {
    for (const theme of themes) await shoot(browser, hub, shot, { theme, ...large }, `-${theme}`);
    await shoot(browser, hub, shot, { width: 1024, height: 768 }, "-1024");
    await shoot(browser, hub, shot, { width: 480, height: 900 }, "-480");
  }
}
await browser.close();
