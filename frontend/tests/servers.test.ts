import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectAccessible, launch, pick, toast, type View, visit } from "./support/browser.ts";
import { many, packaged, TestHub } from "./support/hub.ts";

interface Server {
  id: number;
  name: string;
  active: boolean;
  args: string[];
  env: Record<string, string>;
  headers?: Record<string, string>;
  tags: string[];
  tool_count: number;
  transport: string;
}

let browser: Browser;
const folder = mkdtempSync(join(tmpdir(), "servers-"));
const quoted = (words: string[]) => words.map((word) => `'${word}'`).join(" ");
const servers = (hub: TestHub) => hub.rest<Server[]>("GET", "/api/servers");
const named = async (hub: TestHub, name: string) => {
  const found = (await servers(hub)).find((server) => server.name === name);
  if (!found) throw new Error(`there is no server ${name}`);
  return found;
};
const row = (page: Page, name: string) =>
  page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
const tab = (page: Page, name: string) => page.getByRole("tab", { name }).click();

const soon = { timeout: 20_000 };

/** fits checks that the page does not scroll sideways. */
const fits = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);

beforeAll(async () => {
  browser = await launch();
});

afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

/** A free port. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { port: number };
  await new Promise((closed) => probe.close(closed));
  return port;
}

/** remote runs a server that is reached over HTTP. */
async function remote(): Promise<{ url: string } & AsyncDisposable> {
  const port = await freePort();
  const [command = "", ...args] = packaged("everything", "streamableHttp");
  const child = spawn(command, args, {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  await new Promise<void>((ready) => child.stderr.on("data", (data) => /listening/.test(String(data)) && ready()));
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      const gone = once(child, "exit");
      child.kill();
      await gone;
    },
  };
}

describe("the first server", () => {
  let hub: TestHub;
  beforeAll(async () => {
    hub = await new TestHub().start();
  });
  afterAll(() => hub[Symbol.asyncDispose]());

  for (const theme of ["light", "dark"] as const) {
    test(`the empty list and the add dialog are accessible in ${theme}`, async () => {
      const { page, context, problems } = await visit(browser, hub, "/servers", { theme });
      await page.getByText("No server yet").waitFor();
      await expectAccessible(page, `empty list, ${theme}`);
      await page.getByRole("button", { name: "Paste a configuration" }).click();
      const dialog = page.getByRole("dialog");
      for (const name of ["Paste", "Remote", "Local"]) {
        await dialog.getByRole("radio", { name, exact: true }).click();
        await expectAccessible(page, `${name}, ${theme}`);
      }
      await dialog.getByRole("radio", { name: "Program and arguments" }).click();
      await expectAccessible(page, `program and arguments, ${theme}`);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "hidden" });
      expect(problems).toEqual([]);
      await context.close();
    });
  }

  test("a command line is parsed, its secret is stored separately, and its tools are counted", async () => {
    const { page, context, problems } = await visit(browser, hub, "/servers");
    await page.getByRole("button", { name: "Add server" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog
      .getByLabel("Command line")
      .fill(`API_TOKEN=qwertz-12345 MODE='very fast' ${quoted(packaged("memory"))}`);
    await dialog.getByPlaceholder("memory", { exact: true }).waitFor();
    // There is no keychain, so a file with a passphrase is created.
    await dialog.getByLabel("Passphrase", { exact: true }).fill("correct horse battery");
    await dialog.getByLabel("Repeat passphrase").fill("correct horse");
    await dialog.getByText("The passphrases differ.").waitFor();
    await dialog.getByLabel("Repeat passphrase").fill("correct horse battery");
    await dialog.getByRole("button", { name: "Create file" }).click();
    await dialog.getByText("Secrets cannot be stored yet").waitFor({ state: "hidden" });
    await dialog.getByLabel("Tags").fill("notes, demo,");
    await dialog.getByRole("button", { name: "Add server" }).click();
    await dialog.getByText("9 tools").waitFor();
    await dialog.getByText("API_TOKEN").waitFor();
    await expectAccessible(page, "added servers");
    await dialog.getByRole("link", { name: "Open" }).click();
    await page.waitForURL(/#\/servers\/memory/);
    await page.getByRole("heading", { level: 1, name: "memory" }).waitFor();

    const memory = await named(hub, "memory");
    expect(memory).toMatchObject({ tool_count: 9, tags: ["notes", "demo"] });
    expect(memory.env).toEqual({ MODE: "very fast" });
    const secrets = await hub.rest<{ key: string }[]>("GET", `/api/servers/${memory.id}/secrets`);
    expect(secrets.map(({ key }) => key)).toEqual(["API_TOKEN"]);
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe("adding servers", () => {
  let hub: TestHub;
  beforeAll(async () => {
    hub = await new TestHub().start();
    await hub.rest("POST", "/api/secrets/unlock", { passphrase: "correct horse battery" });
    await hub.add("memory", packaged("memory"));
  });
  afterAll(() => hub[Symbol.asyncDispose]());

  test("program and arguments are entered one by one, and a taken name is rejected", async () => {
    const { page, context, problems } = await visit(browser, hub, "/servers?add=local");
    const dialog = page.getByRole("dialog");
    const [command = "", ...args] = many(2, "one");
    await dialog.getByRole("radio", { name: "Program and arguments" }).click();
    await dialog.getByLabel("Program", { exact: false }).first().fill(command);
    await dialog.getByRole("button", { name: "Add argument" }).click();
    for (const [i, arg] of args.entries()) {
      await page.keyboard.type(arg);
      if (i < args.length - 1) await page.keyboard.press("Enter");
    }
    await dialog.getByLabel("Name", { exact: true }).fill("memory");
    await dialog.getByText(/server named "memory" exists already/).waitFor();
    expect(await dialog.getByRole("button", { name: "Add server" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Name", { exact: true }).fill("pair");
    await dialog.getByRole("checkbox", { name: /^Always list/ }).click();
    await dialog.getByRole("button", { name: "Add server" }).click();
    await dialog.getByText("2 tools").waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    expect(await named(hub, "pair")).toMatchObject({ args, active: true });
    expect(problems).toEqual([]);
    await context.close();
  });

  test("a remote server is added by its address, with a secret header", async () => {
    await using there = await remote();
    const { page, context, problems } = await visit(browser, hub, "/servers?add=remote");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Address").fill("nonsense");
    await dialog.getByText("The URL must start with http:// or https://.").waitFor();
    await dialog.getByLabel("Address").fill(there.url);
    await dialog.getByRole("button", { name: "Add header" }).click();
    await dialog.getByLabel("Name of header 1").fill("X-Api-Key");
    await dialog.getByLabel("Value of X-Api-Key", { exact: true }).fill("hidden-value-1");
    await dialog.locator('input[type="password"][aria-label="Value of X-Api-Key"]').waitFor();
    await dialog.getByLabel("Name", { exact: true }).fill("away");
    await dialog.getByRole("button", { name: "Add server" }).click();
    await dialog.getByText("17 tools").waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    const away = await named(hub, "away");
    expect(away).toMatchObject({ transport: "streamable-http", tool_count: 17 });
    expect(away.headers ?? {}).toEqual({});
    expect(problems).toEqual([]);
    await context.close();
  });

  test("several servers are pasted together, and failures are explained", async () => {
    const [command, ...args] = many(3, "pasted");
    const failing = ["-e", "console.error('no licence was found'); process.exit(3)", "--", "--token", "sesame-open-1"];
    const snippet = `{
      // from somewhere else
      "mcpServers": {
        "memory": ${JSON.stringify({ command, args, env: { ASK_TOKEN: "Bearer ${input:ask}" } })},
        "broken": ${JSON.stringify({ command, args: failing, env: { OTHER_TOKEN: "asdfgh-98765" } })},
        "again": ${JSON.stringify({ command, args: packaged("memory").slice(1) })},
        "empty": {},
        "off": {"command": "x", "disabled": true},
      },
    }`;
    const { page, context, problems } = await visit(browser, hub, "/servers?add=paste", {
      expected: /status of (422|500)/,
    });
    const dialog = page.getByRole("dialog");
    const text = dialog.getByLabel("Configuration, command or link");
    await text.fill(snippet.replace(`"again"`, `again`));
    await dialog.getByText(/Line 6: the file is not valid JSON/).waitFor();
    await text.fill("[mcp_servers.first]\ncommand = 'uvx'\nargs = ['first']\n");
    const found = dialog.getByRole("list", { name: "Servers found" }).getByRole("listitem");
    await found.getByLabel("Command line of first").getByText("uvx").waitFor();
    await text.fill("claude mcp add --transport http notion https://mcp.notion.example/mcp");
    await found.getByLabel("Address of notion").getByText("https://mcp.notion.example/mcp").waitFor();
    await text.fill("Please install the server first.");
    await dialog.getByText(/reads like prose/).waitFor();
    await text.fill(snippet);
    const [again, broken, empty, memory] = [found.nth(0), found.nth(1), found.nth(2), found.nth(3)];
    await found.nth(4).waitFor();
    await again.getByText("The server memory has the same configuration.").waitFor();
    await empty.getByText("It has neither a command nor a URL.").waitFor();
    await memory.getByText("The name memory is taken; this server becomes memory-2.").waitFor();
    expect(await dialog.getByText("sesame-open-1").count()).toBe(0);
    expect(await dialog.getByRole("checkbox", { name: "Add", checked: true }).count()).toBe(2);
    await memory.getByLabel(/^Name of/).fill("broken");
    await broken.getByText("Another server in this list has this name.").waitFor();
    expect(await dialog.getByRole("button", { name: /^Add/ }).last().isDisabled()).toBe(true);
    await memory.getByLabel(/^Name of/).fill("pasted");
    await memory.getByText("ASK_TOKEN has ${input:ask}, which Agent Discover does not fill in.").waitFor();
    await memory.getByLabel("Value of ASK_TOKEN").fill("filled-in-1");
    await memory.getByRole("checkbox", { name: "Keep ASK_TOKEN as a secret", checked: true }).waitFor();
    await expectAccessible(page, "pasted servers");

    await dialog.getByRole("button", { name: "Add 2 servers" }).click();
    const coming = dialog.getByRole("list", { name: "Servers being added" });
    await coming.getByText("3 tools").waitFor();
    await coming.getByText("Failed", { exact: true }).waitFor();
    await coming.getByRole("region", { name: "Output of broken" }).getByText("no licence was found").waitFor();
    await expectAccessible(page, "servers that could not be added");
    await dialog.getByRole("button", { name: "Done" }).click();

    const pasted = await named(hub, "pasted");
    const secrets = await hub.rest<object[]>("GET", `/api/servers/${pasted.id}/secrets`);
    expect(secrets).toMatchObject([{ key: "ASK_TOKEN", masked_value: "********" }]);
    const failed = await named(hub, "broken");
    expect(failed).toMatchObject({ args: [...failing.slice(0, -1), "${secret:token}"] });
    expect(failed.env).toEqual({});
    expect(problems).toEqual([]);
    await context.close();
  });

  test("a setup file is applied, and an older database is imported after a preview", async () => {
    const file = join(folder, "setup.json");
    const [command, ...args] = many(1, "setup");
    writeFileSync(
      file,
      JSON.stringify({
        servers: [
          { name: "declared", command, args },
          { name: "memory", command },
        ],
      }),
    );
    const database = join(folder, "older.db");
    const older = new DatabaseSync(database);
    older.exec(`
      CREATE TABLE servers (id INTEGER PRIMARY KEY, name TEXT UNIQUE, command TEXT, args TEXT, env TEXT, installed BOOLEAN, active BOOLEAN);
      CREATE TABLE server_tools (id INTEGER PRIMARY KEY, server_id INTEGER, name TEXT, description TEXT, input_schema TEXT);
      CREATE TABLE server_secrets (id INTEGER PRIMARY KEY, server_id INTEGER, key TEXT, value TEXT);
      INSERT INTO servers VALUES (1, 'memory', 'x', '[]', '{}', 1, 1), (2, 'old', 'y', '[]', '{}', 1, 0);
      INSERT INTO server_tools VALUES (1, 2, 'read', 'Reads.', '{"type":"object"}');`);
    older.close();

    const { page, context, problems } = await visit(browser, hub, "/servers", { expected: /status of 422/ });
    const choose = async (name: string) => {
      await page.getByRole("button", { name: "More for all servers" }).click();
      await page.getByRole("menuitem", { name }).click();
    };
    const dialog = page.getByRole("dialog");
    await choose("Apply setup file…");
    await dialog.getByLabel("File").fill("setup.json");
    await dialog.getByRole("button", { name: "Apply" }).click();
    await dialog.getByText("use the absolute path").waitFor();
    await dialog.getByLabel("File").fill(file);
    await dialog.getByRole("button", { name: "Apply" }).click();
    await dialog.getByText(/Added:.*declared/).waitFor();
    await dialog.getByText(/Already added:.*memory/).waitFor();
    await expectAccessible(page, "a setup file");
    await page.keyboard.press("Escape");

    await choose("Import older database…");
    await dialog.getByLabel("Database").fill(file);
    await dialog.getByRole("button", { name: "Preview" }).click();
    await dialog.getByText("Could not import the database").waitFor();
    await dialog.getByLabel("Database").fill(database);
    await dialog.getByRole("button", { name: "Preview" }).click();
    await dialog.getByRole("button", { name: "Import 1 server" }).waitFor();
    expect((await servers(hub)).map(({ name }) => name)).not.toContain("old");
    await dialog.getByLabel("New name for memory").fill("memory-old");
    await page.keyboard.press("Tab");
    await dialog.getByRole("button", { name: "Import 2 servers" }).click();
    await dialog.getByText("imported").nth(1).waitFor();
    await expectAccessible(page, "an import");
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await row(page, "memory-old").waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe("one server", () => {
  let hub: TestHub;
  const at = (where: string, view?: View) => visit(browser, hub, `/servers/${where}`, view);
  beforeAll(async () => {
    hub = await new TestHub().start();
    await hub.rest("POST", "/api/secrets/unlock", { passphrase: "correct horse battery" });
    await hub.add("everything", packaged("everything"), { description: "One of everything", tags: ["demo"] });
    await hub.add("list", many(60, "list"), { env: { LIST_TOKEN: "plain-as-day-1", MODE: "a" } });
    await hub.rest("POST", "/api/servers", {
      name: "broken",
      command: "/usr/bin/false",
      args: ["--token", "sesame-1"],
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

  test("its configuration is edited, restored, and not lost when it changes elsewhere", async () => {
    const { page, context, problems } = await at("list?tab=configuration");
    const panel = page.getByRole("tabpanel");
    expect(await panel.getByLabel("Value of LIST_TOKEN", { exact: true }).getAttribute("type")).toBe("password");
    await panel.getByRole("button", { name: "Show the value of LIST_TOKEN" }).click();
    expect(await panel.getByLabel("Value of LIST_TOKEN", { exact: true }).getAttribute("type")).toBe("text");
    await panel.getByLabel("Description").fill("Sixty tools");
    await panel.getByLabel("Value of MODE").fill("b");
    await panel.getByLabel("Argument 2", { exact: true }).fill("7");
    await panel.getByLabel("Tags").fill("x, y");
    const { id } = await named(hub, "list");
    await hub.rest("PUT", `/api/servers/${id}`, { description: "Said elsewhere" });
    await panel.getByText("This configuration was changed elsewhere").waitFor();
    await panel.getByRole("button", { name: "Save" }).click();
    await toast(page, "list saved.");
    expect(await named(hub, "list")).toMatchObject({
      description: "Sixty tools",
      args: [expect.stringContaining("server.ts"), "7", "list"],
      env: { MODE: "b" },
      tags: ["x", "y"],
    });
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => panel.getByLabel("Argument 2", { exact: true }).inputValue(), soon).toBe("60");
    expect(await named(hub, "list")).toMatchObject({ env: { MODE: "a" }, tags: [] });
    await panel.getByLabel("Program").fill("");
    await panel.getByText("Enter the program to start.").waitFor();
    await panel.getByRole("button", { name: "Discard" }).click();
    expect(problems).toEqual([]);
    await context.close();
  });

  /** holdAnswers lets PUT requests reach the hub, and delays the responses to the page until release is called. */
  async function holdAnswers(page: Page, url: string): Promise<{ release: () => Promise<void> }> {
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(url, async (route) => {
      if (route.request().method() !== "PUT") return route.fallback();
      const response = await route.fetch();
      await released;
      await route.fulfill({ response });
    });
    return {
      async release() {
        const finished = page.waitForEvent("requestfinished", (request) => request.method() === "PUT");
        release();
        await finished;
        await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
        await page.unroute(url);
      },
    };
  }

  test("an edit survives a save and an undo whose responses arrive after the socket messages", async () => {
    const { page, context, problems } = await at("list?tab=configuration");
    const { id } = await named(hub, "list");
    const panel = page.getByRole("tabpanel");
    const field = (name: string) => panel.getByLabel(name, { exact: true });
    const saved = await holdAnswers(page, `**/api/servers/${id}`);
    await field("Tags").fill("late");
    await panel.getByRole("button", { name: "Save" }).click();
    await expect.poll(async () => (await named(hub, "list")).tags, soon).toEqual(["late"]);
    await field("Description").fill("typed during the save");
    await saved.release();
    await toast(page, "list saved.");
    expect(await field("Tags").inputValue()).toBe("late");
    expect(await field("Description").inputValue()).toBe("typed during the save");

    const undone = await holdAnswers(page, `**/api/servers/${id}`);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => field("Tags").inputValue(), soon).toBe("");
    await panel.getByLabel("Program").fill("");
    await undone.release();
    expect(await panel.getByLabel("Program").inputValue()).toBe("");
    expect(await field("Description").inputValue()).toBe("typed during the save");
    expect(await panel.getByText("This configuration was changed elsewhere").count()).toBe(0);
    await panel.getByRole("button", { name: "Discard" }).click();
    expect(await panel.getByLabel("Program").inputValue()).not.toBe("");
    expect(await field("Description").inputValue()).not.toBe("typed during the save");
    expect(problems).toEqual([]);
    await context.close();
  });

  test("an edit survives a save whose socket message arrives after the response", async () => {
    let release = () => {};
    const held: (() => void)[] = [];
    let holding = false;
    const { page, context, problems } = await at("list?tab=configuration", {
      prepare: (page) =>
        page.routeWebSocket(/\/ws\?/, (socket) => {
          const server = socket.connectToServer();
          server.onMessage((message) => (holding ? held.push(() => socket.send(message)) : socket.send(message)));
          release = () => {
            holding = false;
            for (const send of held.splice(0)) send();
          };
        }),
    });
    const { id } = await named(hub, "list");
    const panel = page.getByRole("tabpanel");
    const field = (name: string) => panel.getByLabel(name, { exact: true });
    holding = true;
    await field("Tags").fill("early");
    await panel.getByRole("button", { name: "Save" }).click();
    await toast(page, "list saved.");
    expect(await field("Tags").inputValue()).toBe("early");
    expect(await panel.getByRole("button", { name: "Discard" }).isDisabled()).toBe(true);
    await panel.getByLabel("Program").fill("");
    release();
    await hub.rest("PUT", `/api/servers/${id}`, { description: "changed by another program" });
    await expect.poll(() => field("Description").inputValue(), soon).toBe("changed by another program");
    expect(await field("Tags").inputValue()).toBe("early");
    expect(await panel.getByLabel("Program").inputValue()).toBe("");
    expect(await panel.getByText("This configuration was changed elsewhere").count()).toBe(0);
    await panel.getByRole("button", { name: "Discard" }).click();
    await hub.rest("PUT", `/api/servers/${id}`, { tags: [] });
    await expect.poll(() => field("Tags").inputValue(), soon).toBe("");
    expect(problems).toEqual([]);
    await context.close();
  });

  test("it is exported in four formats, with credentials masked until revealed", async () => {
    const { page, context, problems } = await at("list?tab=configuration");
    const shown = page.getByRole("region", { name: "Exported configuration" });
    await shown.getByText(`"mcpServers"`).waitFor();
    expect(await shown.textContent()).not.toContain("plain-as-day-1");
    await expectAccessible(page, "an export");
    for (const [name, has] of [
      ["Claude Code", `"type": "stdio"`],
      ["Cursor", `"mcpServers"`],
      ["Agent Discover", `"auto_activate"`],
      ["MCP JSON", `"mcpServers"`],
    ] as const) {
      await page.getByRole("radio", { name, exact: true }).click();
      await shown.getByText(has).waitFor();
    }
    await page.getByRole("button", { name: "Show values" }).click();
    await shown.getByText("plain-as-day-1").waitFor();
    await page.getByRole("button", { name: "Copy", exact: true }).last().click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(JSON.parse(copied)).toMatchObject({ mcpServers: { list: { env: { MODE: "a" } } } });
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download" }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe("list.mcp.json");
    expect(problems).toEqual([]);
    await context.close();
  });

  test("a credential moves to the keychain after a preview", async () => {
    const { page, context, problems } = await at("list?tab=configuration");
    await page.getByRole("button", { name: "Move to the keychain…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("will move").waitFor();
    expect(await named(hub, "list")).toMatchObject({ env: { LIST_TOKEN: "plain-as-day-1" } });
    await expectAccessible(page, "credentials to move");
    await dialog.getByRole("button", { name: "Move 1 credential" }).click();
    await toast(page, /1 credential moved/);
    await page.getByRole("button", { name: "Move to the keychain…" }).waitFor({ state: "hidden" });
    expect(JSON.stringify(await named(hub, "list"))).not.toContain("plain-as-day-1");
    expect(problems).toEqual([]);
    await context.close();
  });

  test("secrets are set, replaced, deleted, reported as missing, and linked from another server", async () => {
    const { id } = await named(hub, "everything");
    await hub.rest("PUT", `/api/servers/${id}`, { env: { LOGIN: "Bearer ${secret:LATER}" } });
    const { page, context, problems } = await at("everything?tab=secrets");
    const panel = page.getByRole("tabpanel");
    await panel.getByText("refers to secrets that are not set").waitFor();
    await panel.getByRole("button", { name: "Set LATER" }).click();
    await panel.getByLabel("Value").fill("first-value");
    await page.keyboard.press("Enter");
    await toast(page, "Secret LATER set.");
    await panel.getByText("refers to secrets that are not set").waitFor({ state: "hidden" });
    const own = panel.getByRole("list", { name: "Secrets of everything" });
    await own.getByText("********").first().waitFor();
    await panel.getByRole("button", { name: "Replace LATER" }).click();
    await panel.getByLabel("Value").fill("second-value");
    await panel.getByRole("button", { name: "Replace secret" }).click();
    await own.getByText("********").first().waitFor();
    await expectAccessible(page, "secrets");
    expect(await page.content()).not.toContain("second-value");

    await pick(panel.getByLabel("Secret of another server"), "list · LIST_TOKEN");
    await panel.getByRole("button", { name: "Link", exact: true }).click();
    await panel.getByText("linked", { exact: true }).waitFor();
    await hub.rest("PUT", `/api/servers/${id}`, { args: [...packaged("everything").slice(1), "stdio"] });
    await page.reload();
    await panel.getByText("needs relinking").waitFor();
    await panel.getByRole("button", { name: "Link again" }).click();
    await panel.getByText("linked", { exact: true }).waitFor();
    await panel.getByRole("button", { name: /^Unlink/ }).click();
    await panel.getByText("linked", { exact: true }).waitFor({ state: "hidden" });

    await panel.getByRole("button", { name: "Delete LATER" }).click();
    await expectAccessible(page, "the confirmation to delete a secret");
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
    await toast(page, "Secret LATER deleted.");
    await own.getByText("LATER").waitFor({ state: "hidden" });
    await hub.rest("PUT", `/api/servers/${id}`, { env: {} });
    expect(problems).toEqual([]);
    await context.close();
  });

  test("locked secrets are reported and unlocked by a passphrase", async () => {
    await hub.end();
    await hub.start();
    const { page, context, problems } = await at("list?tab=secrets", { expected: /status of 403/ });
    const panel = page.getByRole("tabpanel");
    await panel.getByText("Secrets are locked").waitFor();
    await expectAccessible(page, "locked secrets");
    await panel.getByLabel("Passphrase").fill("wrong");
    await panel.getByRole("button", { name: "Unlock" }).click();
    await page
      .getByRole("status")
      .getByText(/passphrase/i)
      .waitFor();
    await panel.getByLabel("Passphrase").fill("correct horse battery");
    await panel.getByRole("button", { name: "Unlock" }).click();
    await panel.getByText("under your passphrase").waitFor();
    await panel.getByText("********").first().waitFor();
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
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("row", { name: /^echo/ }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  test("an unknown server is reported", async () => {
    const { page, context } = await at("nobody");
    await page.getByText("Server not found").waitFor();
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

describe("a list of two hundred servers", () => {
  let hub: TestHub;
  beforeAll(async () => {
    hub = await new TestHub().start();
    await hub.add("live", many(4, "<b>tool</b>"), {
      description: `\u202E${"long words ".repeat(400)}<img src=x onerror="document.title='owned'">\u0000\u0007`,
      tags: ["<i>tag</i>", "x".repeat(300)],
    });
    for (let i = 0; i < 199; i++) {
      const name = `server-${String(i).padStart(3, "0")}${i === 7 ? "x".repeat(54) : ""}`;
      await hub.rest("POST", "/api/servers", {
        name,
        command: i % 2 ? "npx" : undefined,
        args: i % 2 ? ["-y", `package-${i}`] : undefined,
        transport: i % 2 ? "stdio" : "sse",
        homepage: i % 2 ? undefined : `https://127.0.0.1:1/${i}/sse`,
        tags: [`group-${i % 5}`],
        warm: false,
      });
    }
  });
  afterAll(() => hub[Symbol.asyncDispose]());

  for (const [theme, width] of [
    ["light", 1600],
    ["dark", 1280],
    ["light", 480],
  ] as const) {
    test(`is virtual, fits in ${width} pixels and is accessible in ${theme}`, async () => {
      const { page, context, problems } = await visit(browser, hub, "/servers", { theme, width });
      const grid = page.getByRole("grid");
      await grid.waitFor();
      expect(await grid.getAttribute("aria-rowcount")).toBe("201");
      expect(await page.getByRole("row").count()).toBeLessThan(60);
      expect(await fits(page)).toBe(true);
      const heights = await page.getByRole("row").evaluateAll((rows) => rows.slice(1).map((row) => row.clientHeight));
      expect(new Set(heights)).toEqual(new Set([35]));
      expect(await page.locator("main b, main i, main img").count()).toBe(0);
      await expectAccessible(page, `list, ${theme}, ${width}`);
      expect(problems).toEqual([]);
      await context.close();
    });
  }

  test("hostile texts stay text on the server's page", async () => {
    const { page, context, problems } = await visit(browser, hub, "/servers/live", { width: 480 });
    for (const name of ["Overview", "Tools", "Configuration"]) {
      await tab(page, name);
      await page.getByRole("tabpanel").locator(":not([aria-hidden])").first().waitFor();
      expect(await fits(page)).toBe(true);
    }
    expect(await page.locator("main b, main i, main img").count()).toBe(0);
    expect(await page.title()).toBe("live · Agent Discover");
    expect(problems).toEqual([]);
    await context.close();
  });

  test("is searched, filtered and sorted, and the address keeps the view", async () => {
    const { page, context, problems } = await visit(browser, hub, "/servers");
    await page.keyboard.press("/");
    await page.keyboard.type("PACKAGE-1 npx");
    await page.getByText("55 of 200").waitFor(); // 1, 11…19, 101…199, the odd ones
    await pick(page.getByLabel("Tag", { exact: true }), /^group-1\b/);
    await page.getByText("12 of 200").waitFor();
    await page.reload();
    await page.getByText("12 of 200").waitFor();
    expect(await page.getByLabel("Search servers").inputValue()).toBe("PACKAGE-1 npx");
    await pick(page.getByLabel("State", { exact: true }), /^Running/);
    await page.getByText("No server matches").waitFor();
    await expectAccessible(page, "no match");
    await page.getByRole("button", { name: "Show all servers" }).click();
    await page.getByRole("columnheader", { name: "Tools" }).getByRole("button").click();
    expect(await page.getByRole("columnheader", { name: "Tools" }).getAttribute("aria-sort")).toBe("descending");
    await page.getByRole("row").nth(1).getByRole("link", { name: "live" }).waitFor();
    await page.getByRole("columnheader", { name: "Name" }).getByRole("button").click();
    await page.getByRole("columnheader", { name: "Name" }).getByRole("button").click();
    await page.getByRole("row").nth(1).getByRole("link", { name: "server-198" }).click();
    await page.getByRole("link", { name: "All servers" }).click();
    await page.getByRole("row").nth(1).getByRole("link", { name: "server-198" }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  test("works by keyboard alone", async () => {
    const { page, context, problems } = await visit(browser, hub, "/servers");
    const focused = () => page.evaluate(() => document.activeElement?.querySelector("a")?.textContent ?? "");
    await row(page, "live").waitFor();
    await page.getByRole("columnheader", { name: "Errors" }).getByRole("button").focus();
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("live");
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toBe("server-000");
    await page.keyboard.press("End");
    await expect.poll(focused, soon).toBe("server-198");
    await page.keyboard.press("PageUp");
    await expect.poll(focused, soon).toBe("server-188");
    await page.keyboard.press("Home");
    await expect.poll(focused, soon).toBe("live");
    await page.keyboard.press("Space");
    await page.getByRole("switch", { name: "live always listed", checked: true }).waitFor();
    expect(await named(hub, "live")).toMatchObject({ active: true });
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("live always listed");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "List only when found" }).waitFor();
    await expectAccessible(page, "the menu of a server");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(/#\/servers\/live$/);
    expect(problems).toEqual([]);
    await context.close();
  });
});
