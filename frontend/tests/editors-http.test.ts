import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectAccessible, expectFits, launch, toast, tryAgain, visit } from "./support/browser.ts";
import { initialize, plain, TestHub } from "./support/hub.ts";

let browser: Browser;
beforeAll(async () => void (browser = await launch()));
afterAll(() => browser.close());

const path = "/editors?tab=http";
const dialog = (page: Page) => page.getByRole("dialog");
const open = (page: Page) => page.getByRole("button", { name: "Create token…" }).click();
const row = (page: Page, name: string) =>
  page.getByRole("row").filter({ has: page.getByRole("rowheader", { name, exact: true }) });
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

/** connect opens an MCP session with a token and returns the status of the response. */
async function connect(url: string, token: string): Promise<number> {
  const answer = await fetch(url, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    },
    body: JSON.stringify(initialize),
  });
  await answer.body?.cancel();
  return answer.status;
}

/** remembered returns everything that the page has stored, and its address. */
const remembered = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const databases = await indexedDB.databases();
    const entries = databases.map(
      ({ name = "" }) =>
        new Promise<unknown[]>((done) => {
          const opening = indexedDB.open(name);
          opening.onsuccess = () => {
            const base = opening.result;
            const stores = [...base.objectStoreNames];
            if (!stores.length) return done([]);
            const found: unknown[] = [];
            const reading = base.transaction(stores);
            for (const store of stores)
              reading.objectStore(store).getAll().onsuccess = ({ target }) =>
                found.push((target as IDBRequest<unknown>).result);
            reading.oncomplete = () => (base.close(), done(found));
          };
        }),
    );
    return [
      location.href,
      document.cookie,
      JSON.stringify([history.state, { ...localStorage }, { ...sessionStorage }, await Promise.all(entries)]),
    ].join("\n");
  });

/** filesWith returns the files below a folder that contain a text. */
const filesWith = (folder: string, text: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile() && readFileSync(file, "latin1").includes(text));

test("the addresses are marked while another program has the hub's port", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  await using hub = await new TestHub().start({ AGENT_DISCOVER_PORT: String((other.address() as AddressInfo).port) });
  const { page, context, problems } = await visit(browser, hub, path);
  await page.getByText("These addresses change when the hub restarts").waitFor();
  await expectAccessible(page, "another port");
  expect(problems).toEqual([]);
  await context.close();
  other.close();
});

test("a token is shown once, connects its client, and is revoked", async () => {
  await using hub = await new TestHub().start();
  const { page, context, problems } = await visit(browser, hub, path);
  await page.getByText("No tokens yet").waitFor();
  await expectAccessible(page, "no tokens");

  await open(page);
  const name = dialog(page).getByRole("textbox", { name: "Name" });
  expect(await name.evaluate((input) => input === document.activeElement)).toBe(true);
  expect(await dialog(page).getByRole("button", { name: "Create token" }).isDisabled()).toBe(true);
  await expectAccessible(page, "a new token");
  await name.fill("laptop");
  await dialog(page).getByRole("combobox", { name: "Client" }).selectOption("gemini-cli");
  await name.press("Enter");

  const copy = dialog(page).getByRole("button", { name: "Copy token" });
  await copy.waitFor();
  expect(await copy.evaluate((button) => button === document.activeElement)).toBe(true);
  await expectAccessible(page, "a created token");
  await page.keyboard.press("Enter");
  await dialog(page).getByRole("button", { name: "Copied" }).waitFor();
  const token = await clipboard(page);
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  await dialog(page).getByRole("button", { name: "Copy entry", exact: true }).click();
  expect(JSON.parse(await clipboard(page))).toEqual({
    mcpServers: { discover: { httpUrl: `${hub.url}/mcp`, headers: { Authorization: `Bearer ${token}` } } },
  });
  await page.mouse.click(5, 5);
  expect(await dialog(page).innerText(), "after a click outside").toContain(token);

  await dialog(page).getByRole("button", { name: "Done" }).click();
  await dialog(page).waitFor({ state: "detached" });
  const cells = row(page, "laptop").getByRole("cell");
  expect(await cells.allInnerTexts()).toEqual(["Gemini CLI", "Find and call", "just now", "never", "Revoke…"]);
  expect(await page.content()).not.toContain(token);
  expect(await remembered(page)).not.toContain(token);
  expect(filesWith(hub.folder, token)).toEqual([]);

  expect(await connect(`${hub.url}/mcp`, token)).toBe(200);
  await cells.nth(3).getByText("just now").waitFor();

  await row(page, "laptop").getByRole("button", { name: "Revoke laptop" }).click();
  const question = page.getByRole("alertdialog", { name: "Revoke token laptop?" });
  await question.waitFor();
  await expectAccessible(page, "a token to revoke");
  await question.getByRole("button", { name: "Cancel" }).click();
  expect(await connect(`${hub.url}/mcp`, token)).toBe(200);
  await row(page, "laptop").getByRole("button", { name: "Revoke laptop" }).click();
  await question.getByRole("button", { name: "Revoke" }).click();
  await toast(page, "Token laptop revoked.");
  await page.getByText("No tokens yet").waitFor();
  expect(await connect(`${hub.url}/mcp`, token)).toBe(401);
  expect(problems).toEqual([]);
  await context.close();
});

test("a token for one server opens its address only, and goes with the server", async () => {
  await using hub = await new TestHub().start();
  await hub.add("alpha", plain(3, "alpha"));
  const id = await hub.add("beta", plain(3, "beta"));
  const { page, context, problems } = await visit(browser, hub, path);
  await page.getByRole("combobox", { name: "Server of the address" }).selectOption("beta");
  await page.getByRole("button", { name: `Copy ${hub.url}/mcp/beta` }).click();
  expect(await clipboard(page)).toBe(`${hub.url}/mcp/beta`);
  for (const end of ["/mcp", "/sse"]) await page.getByText(hub.url + end, { exact: true }).waitFor();

  await open(page);
  await dialog(page).getByRole("textbox", { name: "Name" }).fill("beta only");
  await dialog(page).getByRole("combobox", { name: "Shows" }).selectOption("Only beta");
  await dialog(page).getByRole("button", { name: "Create token" }).click();
  await dialog(page).getByRole("button", { name: "Copy entry", exact: true }).click();
  const { beta } = (
    JSON.parse(await clipboard(page)) as {
      mcpServers: Record<string, { url: string; headers: { Authorization: string } }>;
    }
  ).mcpServers;
  expect(beta?.url).toBe(`${hub.url}/mcp/beta`);
  await dialog(page).getByRole("button", { name: "Done" }).click();
  const token = beta?.headers.Authorization.replace("Bearer ", "") ?? "";
  expect(await connect(`${hub.url}/mcp/beta`, token)).toBe(200);
  expect(await connect(`${hub.url}/mcp/alpha`, token)).toBe(403);

  await row(page, "beta only").getByRole("link", { name: "beta" }).waitFor();
  await hub.rest("DELETE", `/api/servers/${id}`);
  await row(page, "beta only").waitFor({ state: "detached" });
  expect(await connect(`${hub.url}/mcp`, token)).toBe(401);
  expect(problems).toEqual([]);
  await context.close();
});

test("tokens of others appear by themselves, and failures say what to do", async () => {
  await using hub = await new TestHub().start();
  const { page, context, problems } = await visit(browser, hub, path, { expected: /status of (409|422|400|503)/ });
  await page.getByText("No tokens yet").waitFor();
  await hub.restAsPerson("POST", "/api/tokens", { name: "from a terminal", client: "cursor" });
  await row(page, "from a terminal").getByText("Cursor").waitFor();

  await open(page);
  const name = dialog(page).getByRole("textbox", { name: "Name" });
  await name.fill("from a terminal");
  await name.press("Enter");
  await dialog(page).getByText("revoke it or use another name.").waitFor();
  expect(await name.getAttribute("aria-invalid")).toBe("true");
  await expectAccessible(page, "a name that is taken");
  await name.fill("a/b");
  expect(await name.getAttribute("aria-invalid")).toBe(null);
  await name.press("Enter");
  await dialog(page).getByText("Invalid token name").waitFor();
  await name.fill("desktop");
  await dialog(page).getByRole("combobox", { name: "Client" }).selectOption("claude-desktop");
  await name.press("Enter");
  await dialog(page).getByText("This editor supports only local servers.").waitFor();
  await page.keyboard.press("Escape");
  await dialog(page).waitFor({ state: "detached" });

  await page.route("**/api/tokens", (route) => route.fulfill({ status: 503, json: { error: "the hub is busy" } }));
  await hub.restAsPerson("DELETE", "/api/tokens/desktop");
  await page.getByText("Could not load the latest tokens").waitFor();
  await page.getByText("The hub is busy.").waitFor();
  await page.unroute("**/api/tokens");
  await tryAgain(page);
  await page.getByText("Could not load the latest tokens").waitFor({ state: "detached" });
  expect(await row(page, "desktop").count()).toBe(0);
  expect(problems).toEqual([]);
  await context.close();
});

/** fits checks that no part of the page is wider than its container. */
const fits = (page: Page) => expectFits(page, "HTTP clients", "main, [role=tabpanel] > div, [role=tabpanel] section");

test("the list of editors leads to HTTP clients, and both fit narrow and dark windows", async () => {
  await using hub = await new TestHub().start();
  await hub.restAsPerson("POST", "/api/tokens", { name: "x".repeat(100), client: "claude-code" });
  const view = { theme: "dark", width: 480, height: 900 } as const;
  const { page, context, problems } = await visit(browser, hub, "/editors", view);
  await page.getByText("No editor found on this machine").waitFor();
  await fits(page);
  await page.getByRole("link", { name: "Connect it over HTTP" }).click();
  await page.getByText("x".repeat(100)).waitFor();
  await fits(page);
  await expectAccessible(page, "a narrow window");
  expect(problems).toEqual([]);
  await context.close();
});
