// Tests of the page on which servers are found and installed.

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectAccessible, expectFits, hold, launch, pick, toast, visit } from "./support/browser.ts";
import { TestHub } from "./support/hub.ts";
import { Registries } from "./support/market.ts";
import { newer } from "./support/packages.ts";
import { named, servers } from "./support/servers.ts";

let browser: Browser;
let registries: Registries;
let hub: TestHub;

const notes = "official:io.github.example/notes";
const panel = (id: string, query = "") => `/browse/${encodeURIComponent(id)}${query}`;
const results = (page: Page) => page.getByRole("list", { name: "Found servers" });
const dialogOf = (page: Page) => page.getByRole("dialog");
const install = (page: Page) => dialogOf(page).getByRole("button", { name: "Install", exact: true });

beforeAll(async () => {
  browser = await launch();
  registries = await new Registries().start();
  hub = new TestHub();
  await hub.start({ AGENT_DISCOVER_PASSPHRASE: "correct horse battery", ...registries.use(hub) });
});

afterAll(async () => {
  await browser.close();
  await hub[Symbol.asyncDispose]();
  expect(registries.strange, "addresses that nobody should request").toEqual([]);
  await registries[Symbol.asyncDispose]();
});

describe("finding servers", () => {
  for (const theme of ["light", "dark"] as const) {
    test(`the start page has twenty well-known servers and is accessible in ${theme}`, async () => {
      const { page, context, problems } = await visit(browser, hub, "/browse", { theme });
      await page.getByRole("heading", { name: "Well-known servers" }).waitFor();
      expect(await page.getByRole("main").getByRole("article").count()).toBe(20);
      await page.getByRole("heading", { name: "Official registry" }).waitFor();
      await expectAccessible(page, `start page, ${theme}`);
      await page.setViewportSize({ width: 480, height: 900 });
      await expectFits(page, "browse");
      expect(problems).toEqual([]);
      await context.close();
    });
  }

  test("first answers appear while a source is slow, and a source that fails is named with its reason", async () => {
    const { page, context, problems } = await visit(browser, hub, "/browse");
    registries.search.close();
    await page.keyboard.press("/");
    await page.keyboard.type("notes");
    await results(page).getByRole("link", { name: "Example Notes" }).waitFor();
    const npm = page.getByRole("list", { name: "Sources" }).getByRole("listitem").filter({ hasText: "npm" });
    await npm.getByText("searching…").waitFor();
    await expectAccessible(page, "a search that goes on");
    registries.search.open();
    // The hub adds npm's facts about a package to the entry of the official registry.
    await results(page)
      .getByText("48.2K downloads a month")
      .or(results(page).getByText("48.2k downloads a month"))
      .first()
      .waitFor();
    await npm.getByText("searching…").waitFor({ state: "hidden" });
    expect(new URL(page.url()).hash).toContain("q=notes");

    registries.searchStatus = 500;
    await page.getByRole("searchbox").fill("lottery");
    await page.getByRole("list", { name: "Missing sources" }).getByText(/^npm:/).waitFor();
    await npm.getByText("missing").waitFor();
    await pick(page.getByRole("combobox", { name: "Source" }), "npm");
    await page.getByText("No server found", { exact: true }).first().waitFor();
    await expectAccessible(page, "a missing source");
    registries.searchStatus = 200;
    expect(problems).toEqual([]);
    await context.close();
  });

  test("filters narrow the results, are kept in the address, and can be removed", async () => {
    const { page, context, problems } = await visit(browser, hub, "/browse?q=notes");
    await results(page).getByRole("link", { name: "Example Notes" }).waitFor();
    await pick(page.getByRole("combobox", { name: "Source" }), "Official registry");
    await pick(page.getByRole("combobox", { name: "Runs with" }), "Node.js");
    await results(page).getByRole("link", { name: "Old Notes" }).waitFor({ state: "hidden" });
    expect(await results(page).getByRole("article").count()).toBe(1);
    await pick(page.getByRole("combobox", { name: "Runs with" }), "Rust");
    await page.getByText("No server that was found passes the filters.").waitFor();
    await page.reload();
    await page.getByText("No server that was found passes the filters.").waitFor();
    await page.getByRole("button", { name: "Remove filters" }).click();
    await results(page).getByRole("link", { name: "Old Notes" }).waitFor();
    await page.getByRole("button", { name: "Clear", exact: true }).click();
    await page.getByRole("button", { name: "Databases" }).click();
    await page.getByRole("combobox", { name: "Category" }).waitFor();
    expect(await page.getByRole("combobox", { name: "Category" }).inputValue()).toBe("databases");
    expect(problems).toEqual([]);
    await context.close();
  });

  test("results are reached by keyboard, and the panel returns to them", async () => {
    const { page, context, problems } = await visit(browser, hub, "/browse?q=notes&source=official");
    await results(page).getByRole("link", { name: "Old Notes" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("End");
    const last = results(page).getByRole("link").last(); // the search by meaning may add results
    await expect.poll(() => last.evaluate((link) => link === document.activeElement)).toBe(true);
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await dialogOf(page).getByRole("heading", { name: "Example Notes" }).waitFor();
    await dialogOf(page).getByText("Publisher verified").waitFor();
    await page.keyboard.press("Escape");
    await dialogOf(page).waitFor({ state: "hidden" });
    expect(new URL(page.url()).hash).toBe("#/browse?q=notes&source=official");
    expect(problems).toEqual([]);
    await context.close();
  });

  test("the page asks the hub for nothing more once it is loaded", async () => {
    const { page, context } = await visit(browser, hub, "/browse");
    await page.getByRole("heading", { name: "Official registry" }).waitFor();
    await page.waitForLoadState("networkidle"); // no request for half a second
    await context.close();
  });

  test("a refresh that ends while the page loads the state of the copy is shown", async () => {
    const older = hold("**/api/market/mirror", (state) => ({ ...state, entries: 1 }));
    const { page, context } = await visit(browser, hub, "/browse", older);
    await hub.rest("POST", "/api/market/sync");
    await page.getByText(/^3 servers, read/).waitFor();
    await older.release(page);
    expect(await page.getByText(/^3 servers, read/).count()).toBe(1);
    await context.close();
  });

  test("the copy of the registry is refreshed on demand", async () => {
    const { page, context, problems } = await visit(browser, hub, "/browse");
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText(/^3 servers, read/).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe("a server's panel", () => {
  test("the readme is shown without its markup, images and scripts, and nothing else is requested", async () => {
    const { page, context, problems } = await visit(browser, hub, panel("npm:weather-mcp-server"));
    const readme = dialogOf(page).getByRole("region", { name: "Readme" });
    await readme.getByRole("heading", { name: "Weather", exact: true }).waitFor();
    await readme.getByText("Logo of the weather").waitFor();
    const text = await readme.innerText();
    expect(text).toContain(`<script>document.title = "broken"</script>`);
    expect(text).toContain("<b>stays</b>");
    expect(text).not.toMatch(/comment|align=/);
    expect(await readme.locator("img, script, [onerror], a[href^='javascript']").count()).toBe(0);
    expect(await readme.getByRole("link", { name: "the manual" }).getAttribute("rel")).toContain("noreferrer");
    expect(await page.title()).toContain("Browse");
    await expectAccessible(page, "details");
    expect(problems).toEqual([]);
    await context.close();
  });

  test("a hostile listing is shown as text, and warns that it is new", async () => {
    const { page, context, problems } = await visit(browser, hub, "/browse?q=evil-mcp-server");
    const found = results(page).getByRole("article").filter({ hasText: "evil-mcp-server" }).first();
    await found
      .getByText(/^New: published/)
      .or(found.getByText("Publisher not verified"))
      .first()
      .waitFor();
    await found.getByRole("link").click();
    await dialogOf(page)
      .getByText(/^New: published/)
      .waitFor();
    await dialogOf(page).getByText("The registry has no readme for this server.").waitFor();
    expect(await dialogOf(page).locator("img").count()).toBe(0);
    expect(await page.title()).toContain("Browse");
    await expectAccessible(page, "a hostile listing");
    expect(problems).toEqual([]);
    await context.close();
  });

  test("an address that did not answer is marked, in the panel and in its way to run", async () => {
    const url = "https://old.example/sse";
    const { page, context, problems } = await visit(browser, hub, "/browse", {
      prepare: (page) =>
        page.route("**/api/market/details*", async (route) => {
          const answer = await route.fetch();
          const details = (await answer.json()) as { remotes: object[]; options: object[] };
          const probe = { answer: "failed", detail: "status 502", at: new Date().toISOString() };
          const remotes = [{ ...details.remotes[0], url, probe }];
          const options = [{ ...details.options[0], name: url, ready: false, missing: "The address did not answer." }];
          await route.fulfill({ response: answer, json: { ...details, remotes, options } });
        }),
    });
    await page.goto(page.url().replace(/#.*/, `#${panel("official:com.example/old-notes")}`));
    const dialog = dialogOf(page);
    await dialog.getByRole("region", { name: "Trust" }).getByText("Did not answer", { exact: true }).waitFor();
    const ways = dialog.getByRole("region", { name: "Ways to run it" });
    await ways.getByText("Not ready").waitFor();
    await ways.getByText(/just now: status 502/).waitFor();
    await dialog.getByText("Use Example Notes").waitFor();
    await expectAccessible(page, "an address that did not answer");
    expect(problems).toEqual([]);
    await context.close();
  });

  test("links and badges for other programs are copied, without any secret", async () => {
    const { page, context, problems } = await visit(browser, hub, panel("npm:weather-mcp-server"));
    const dialog = dialogOf(page);
    await dialog.getByText("Share this server").click();
    const links = dialog.getByRole("list", { name: "Links" }).getByRole("listitem");
    const copied = async (row: string, button: string) => {
      await links.filter({ hasText: row }).getByRole("button", { name: button }).click();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    await links.filter({ hasText: "VS Code" }).waitFor();
    expect(await copied("Agent Discover", "Copy link")).toBe("agentdiscover://install?id=npm%3Aweather-mcp-server");
    expect(await copied("Agent Discover", "Copy badge")).toMatch(
      /^\[!\[Install in Agent Discover\]\(https:.*\)\]\(agentdiscover:/,
    );
    const cursor = new URL(await copied("Cursor", "Copy link"));
    expect(cursor.protocol).toBe("cursor:");
    const config = JSON.parse(Buffer.from(cursor.searchParams.get("config") ?? "", "base64").toString()) as object;
    expect(config).toEqual({ command: "npx", args: ["-y", "weather-mcp-server@1.2.0"] });
    const code = await copied("VS Code", "Copy link");
    expect(JSON.parse(decodeURIComponent(code.slice(code.indexOf("?") + 1)))).toEqual({
      name: "weather-mcp-server",
      ...config,
    });
    expect(await copied("agent-discover market", "Copy command")).toBe(
      "agent-discover market install npm:weather-mcp-server",
    );
    await expectAccessible(page, "links");
    expect(problems).toEqual([]);
    await context.close();
  });

  test("a server that no source has, and a link that names none, are explained", async () => {
    const { page, context, problems } = await visit(browser, hub, panel("npm:no-such-server", "?step=install&link=1"), {
      expected: /status of 404/,
    });
    await dialogOf(page).getByText("Server not found").waitFor();
    await dialogOf(page)
      .getByText(/no package named no-such-server/)
      .waitFor();
    await dialogOf(page).getByRole("button", { name: "Back to the list" }).click();
    await page.goto(page.url().replace(/#.*/, "#/browse?link=invalid"));
    await page.getByText("This link does not name a server to install").waitFor();
    await expectAccessible(page, "a bad link");
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe("installing", () => {
  test("answers complete the plan, the secret never comes back, and the server's page opens", async () => {
    const { page, context, problems } = await visit(browser, hub, "/browse?q=notes");
    const answers: string[] = [];
    page.on("response", async (response) => {
      if (response.url().includes("/api/")) answers.push(await response.text().catch(() => ""));
    });
    await results(page).getByRole("link", { name: "Example Notes" }).click();
    const dialog = dialogOf(page);
    await dialog.getByRole("button", { name: "Install…" }).click();
    await dialog.getByRole("radio", { name: /^Node\.js/ }).check();
    const token = dialog.getByLabel("NOTES_TOKEN");
    await token.waitFor();
    await dialog.getByText("One answer is missing.").waitFor();
    expect(await install(page).isDisabled()).toBe(true);
    expect(await token.getAttribute("type")).toBe("password");
    await token.fill("tok-unheard-of-1");
    await dialog.getByText(/optional settings/).click();
    await pick(dialog.getByRole("combobox", { name: "--mode" }), "write");
    await dialog.getByLabel("NOTES_FOLDER").fill("relative/folder");
    await dialog.getByText("The answer must be the whole path of a file or folder.").waitFor();
    await expectAccessible(page, "a form with a wrong answer");
    await dialog.getByLabel("NOTES_FOLDER").fill("/tmp");
    const plan = dialog.getByRole("region", { name: "Plan" });
    await plan.getByLabel("Command line of notes").getByText("write").waitFor();
    await plan.getByText("${secret:NOTES_TOKEN}").waitFor();
    await plan.getByText("@example/notes-mcp").first().waitFor();
    await plan.getByText(/@example\/notes-mcp 1\.2\.0 was published on 2025-02-03/).waitFor();
    await dialog.getByText("Installs exactly what is shown here.").waitFor();
    await expectAccessible(page, "a whole plan");
    await install(page).click();
    await dialog.getByText("notes is installed, with 3 tools").waitFor();
    await dialog.getByText(/^Output/).click();
    await dialog
      .getByRole("log")
      .getByText(/notes-mcp/)
      .first()
      .waitFor();
    await expectAccessible(page, "an installed server");
    expect(answers.join("\n")).not.toContain("tok-unheard-of-1");
    await dialog.getByRole("link", { name: "Open server" }).click();
    await page.getByRole("heading", { level: 1, name: "notes" }).waitFor();
    const server = await named(hub, "notes");
    expect(server).toMatchObject({ tool_count: 3 });
    expect(JSON.stringify(await servers(hub))).not.toContain("tok-unheard-of-1");

    await page.goto(page.url().replace(/#.*/, "#/browse?q=notes"));
    await results(page).getByRole("article").filter({ hasText: "Example Notes" }).getByText("Installed").waitFor();
    await results(page).getByRole("link", { name: "Example Notes" }).click();
    await dialog.getByRole("link", { name: "Open notes" }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  test("a remote server asks for the variables of its address, and the first field has the focus", async () => {
    const { page, context, problems } = await visit(browser, hub, panel(notes, "?step=install&option=streamable-http"));
    const dialog = dialogOf(page);
    const region = dialog.getByRole("combobox", { name: "region" });
    await expect.poll(() => region.evaluate((field) => field === document.activeElement)).toBe(true);
    await pick(region, "eu");
    await dialog
      .getByLabel(/^Address of/)
      .getByText("https://eu.notes.example/mcp")
      .waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  test("a bundle is downloaded before its plan is complete, and asks for what it needs", async () => {
    const { page, context, problems } = await visit(
      browser,
      hub,
      panel("official:com.example/station", "?step=install"),
    );
    const dialog = dialogOf(page);
    await dialog.getByText("The bundle has to be downloaded first").waitFor();
    expect(await install(page).isDisabled()).toBe(true);
    await expectAccessible(page, "a bundle");
    await dialog.getByRole("button", { name: "Download" }).click();
    await dialog.getByRole("textbox", { name: "Station" }).fill("station-7");
    await dialog.getByRole("region", { name: "Plan" }).getByText("station-7").first().waitFor();
    await install(page).click();
    await dialog.getByText("station is installed, with 1 tool").waitFor();
    expect(await named(hub, "station")).toMatchObject({ tool_count: 1 });
    expect(problems).toEqual([]);
    await context.close();
  });

  test("a panel that is closed and at once opened again is shown", async () => {
    const { page, context, problems } = await visit(browser, hub, panel(notes));
    const dialog = dialogOf(page);
    await dialog.getByRole("heading", { name: "Example Notes" }).waitFor();
    // Change the address twice before the page handles the first change.
    await dialog.evaluate((panel) => {
      const place = location.hash;
      panel.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }));
      if (location.hash === place) throw new Error("the panel did not close");
      location.hash = place;
      location.hash = `${place}?step=install`;
    });
    await dialog.getByRole("region", { name: "Plan" }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  test("a missing program is named with the way to get it", async () => {
    const { page, context, problems } = await visit(browser, hub, panel(notes, "?step=install&option=nuget"));
    const dialog = dialogOf(page);
    await dialog.getByText(/is needed$/).waitFor();
    await dialog.getByRole("link", { name: "Its website" }).waitFor();
    expect(await install(page).isDisabled()).toBe(true);
    await expectAccessible(page, "a missing program");
    await dialog.getByRole("button", { name: "Check again" }).click();
    await dialog.getByText(/is needed$/).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  for (const theme of ["light", "dark"] as const) {
    test(`a server that does not start is explained in its own words and leaves nothing behind, in ${theme}`, async () => {
      const { page, context, problems } = await visit(browser, hub, panel("npm:broken-mcp-server", "?step=install"), {
        theme,
      });
      const dialog = dialogOf(page);
      await dialog.getByText("Installs exactly what is shown here.").waitFor();
      await install(page).click();
      await dialog.getByText("broken-mcp-server was not installed").waitFor();
      await dialog
        .getByRole("alert")
        .getByText(/no licence was found in \/etc\/lottery/)
        .waitFor();
      await expectAccessible(page, `a failed installation, ${theme}`);
      expect((await servers(hub)).map(({ name }) => name)).not.toContain("broken-mcp-server");
      await dialog.getByRole("button", { name: "Change and try again" }).click();
      await dialog.getByText("Installs exactly what is shown here.").waitFor();
      expect(problems).toEqual([]);
      await context.close();
    });
  }

  test("an installation that ends while the page loads the list of installations is shown", async () => {
    const older = hold("**/api/market/jobs");
    const { page, context } = await visit(browser, hub, panel("npm:broken-mcp-server", "?step=install"), older);
    await dialogOf(page).getByText("Installs exactly what is shown here.").waitFor();
    await install(page).click();
    await dialogOf(page).getByText("broken-mcp-server was not installed").waitFor();
    await older.release(page); // an answer without the installation
    expect(await dialogOf(page).getByText("broken-mcp-server was not installed").count()).toBe(1);
    await context.close();
  });

  test("an installation shows its steps, goes on while the panel is closed, and is cancelled", async () => {
    const { page, context, problems } = await visit(browser, hub, panel("npm:weather-mcp-server", "?step=install"));
    const dialog = dialogOf(page);
    registries.downloads.close();
    await dialog.getByText("Installs exactly what is shown here.").waitFor();
    await install(page).click();
    await dialog.getByText("Installing weather-mcp-server…").waitFor();
    await dialog.getByRole("listitem").filter({ hasText: "Download" }).getByText("in progress").waitFor();
    await expectAccessible(page, "an installation");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await expect.poll(() => new URL(page.url()).hash).toBe("#/browse");
    await page.goBack();
    await dialog.getByText("Installing weather-mcp-server…").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.getByText("weather-mcp-server was cancelled").waitFor();
    registries.downloads.open();
    expect((await servers(hub)).map(({ name }) => name)).not.toContain("weather-mcp-server");
    expect(problems).toEqual([]);
    await context.close();
  });

  test("a link shows the plan and installs nothing; the button works only after a moment", async () => {
    const { page, context, problems } = await visit(browser, hub, "/browse");
    await page.goto(page.url().replace(/#.*/, `#${panel("npm:weather-mcp-server", "?step=install&link=1")}`));
    const dialog = dialogOf(page);
    await dialog.getByText("A link opened this page").waitFor();
    await dialog.getByRole("region", { name: "Plan" }).getByText("weather-mcp-server@1.2.0", { exact: true }).waitFor();
    expect(await install(page).isDisabled()).toBe(true);
    await dialog.getByText("Installs exactly what is shown here.").waitFor();
    expect(await hub.rest<{ jobs: { listing: string; state: string }[] }>("GET", "/api/market/jobs")).not.toMatchObject(
      {
        jobs: [{ listing: "npm:weather-mcp-server", state: "running" }],
      },
    );
    await install(page).click();
    await page.keyboard.press("Escape");
    await toast(page, "weather-mcp-server is installed and has 2 tools.");
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe("updating", () => {
  test("an update shows the difference of tools before it is made, and is rolled back", async () => {
    const { page, context, problems } = await visit(browser, hub, "/browse");
    if (!(await servers(hub)).some(({ name }) => name === "weather-mcp-server")) throw new Error("nothing to update");
    registries.newer["weather-mcp-server"] = newer;
    await page.getByRole("button", { name: "Check for updates" }).click();
    await page.getByRole("link", { name: "Review update of weather-mcp-server" }).click();
    const dialog = dialogOf(page);
    await dialog.getByText("Version 1.3.0 is available.").waitFor();
    await expectAccessible(page, "an update");
    await dialog.getByRole("button", { name: "Compare versions" }).click();
    await dialog.getByText("1 tool added, 1 removed, 0 changed.").waitFor();
    const tools = dialog.getByRole("list", { name: "Tools that differ" });
    await tools.getByRole("listitem").filter({ hasText: "radar" }).getByText("added").waitFor();
    await tools.getByRole("listitem").filter({ hasText: "warnings" }).getByText("removed").waitFor();
    await expectAccessible(page, "a comparison");
    expect(await named(hub, "weather-mcp-server")).toMatchObject({ args: ["-y", "weather-mcp-server@1.2.0"] });

    await dialog.getByRole("button", { name: "Update to 1.3.0" }).click();
    await dialog.getByText("weather-mcp-server runs version 1.3.0 now.").waitFor();
    expect(await named(hub, "weather-mcp-server")).toMatchObject({ args: ["-y", "weather-mcp-server@1.3.0"] });
    await dialog.getByRole("button", { name: "Roll back to 1.2.0…" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Roll back" }).click();
    await dialog.getByText("weather-mcp-server runs version 1.2.0 now.").waitFor();
    expect(await named(hub, "weather-mcp-server")).toMatchObject({ args: ["-y", "weather-mcp-server@1.2.0"] });
    await expectAccessible(page, "a rollback");
    expect(problems).toEqual([]);
    await context.close();
  });
});
