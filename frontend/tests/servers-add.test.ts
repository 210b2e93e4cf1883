// Tests of adding servers.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectAccessible, launch, visit } from "./support/browser.ts";
import { many, packaged, TestHub } from "./support/hub.ts";
import { named, row, servers } from "./support/servers.ts";

let browser: Browser;
const folder = mkdtempSync(join(tmpdir(), "servers-"));
const quoted = (words: string[]) => words.map((word) => `'${word}'`).join(" ");

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
    expect(memory.env).toEqual({ MODE: "very fast", API_TOKEN: "${secret:API_TOKEN}" });
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
    await hub.restAsPerson("POST", "/api/secrets/unlock", { passphrase: "correct horse battery" });
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
    await dialog.getByText(/Server "memory" already exists/).waitFor();
    expect(await dialog.getByRole("button", { name: "Add server" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Name", { exact: true }).fill("pair");
    await dialog.getByRole("button", { name: "Add variable" }).click();
    await dialog.getByLabel("Name of variable 1").fill("API_TOKEN");
    await dialog.getByLabel("Value of API_TOKEN", { exact: true }).fill("north-12345");
    const box = dialog.getByRole("checkbox", { name: "Secret", checked: true });
    expect(await box.getAttribute("title")).toMatch(/looks like a credential/);
    await dialog.getByLabel("Name of variable 1").fill("REGION");
    await dialog.getByLabel("Value of REGION", { exact: true }).fill("north");
    await dialog.getByRole("checkbox", { name: "Secret", checked: false }).click();
    await dialog.getByRole("checkbox", { name: /^Always list/ }).click();
    await dialog.getByRole("button", { name: "Add server" }).click();
    await dialog.getByText("2 tools").waitFor();
    await dialog.getByText("Its secrets (REGION) are stored.").waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    const pair = await named(hub, "pair");
    expect(pair).toMatchObject({ args, active: true, env: {} });
    expect(await hub.rest("GET", `/api/servers/${pair.id}/secrets`)).toMatchObject([{ key: "REGION" }]);
    expect(problems).toEqual([]);
    await context.close();
  });

  test("a remote server is added by its address, with a secret header", async () => {
    await using there = await remote();
    const { page, context, problems } = await visit(browser, hub, "/servers?add=remote");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Address").fill("nonsense");
    await dialog.getByText("The URL must start with http:// or https:// and name a host.").waitFor();
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
    expect(away.headers).toEqual({ "X-Api-Key": "${secret:X-Api-Key}" });
    expect(problems).toEqual([]);
    await context.close();
  });

  test("a button that is pressed while an error above it disappears still acts", async () => {
    const { page, context, problems } = await visit(browser, hub, "/servers?add=remote");
    const dialog = page.getByRole("dialog");
    const wrong = dialog.getByText("The URL must start with http:// or https:// and name a host.");
    await dialog.getByLabel("Address").fill("nonsense");
    await wrong.waitFor();
    let answer = () => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route("**/api/servers/parse", async (route) => {
      await held;
      await route.continue();
    });
    await dialog.getByLabel("Address").fill("https://example.com/mcp");
    const button = dialog.getByRole("button", { name: "Add header" });
    const place = (await button.boundingBox())!;
    await page.mouse.move(place.x + place.width / 2, place.y + place.height - 2);
    await page.mouse.down();
    answer();
    await wrong.waitFor({ state: "hidden" });
    const moved = (await button.boundingBox())!;
    expect(moved.y + moved.height).toBeLessThan(place.y + place.height - 2); // else the test shows nothing
    await page.mouse.up();
    await dialog.getByLabel("Name of header 1").waitFor();
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
    await memory.getByText("Stored as secrets: ASK_TOKEN").waitFor();
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
    expect(failed.env).toEqual({ OTHER_TOKEN: "${secret:OTHER_TOKEN}" });
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
