// Tests of a server's configuration and secrets.

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectAccessible, launch, pick, toast, type View, visit } from "./support/browser.ts";
import { many, packaged, TestHub } from "./support/hub.ts";
import { named, soon } from "./support/servers.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

describe("one server", () => {
  let hub: TestHub;
  const at = (where: string, view?: View) => visit(browser, hub, `/servers/${where}`, view);
  beforeAll(async () => {
    hub = await new TestHub().start();
    // The credential of this server stays readable, because the hub cannot store secrets yet.
    await hub.add("list", many(60, "list"), { env: { LIST_TOKEN: "plain-as-day-1", MODE: "a" } });
    await hub.restAsPerson("POST", "/api/secrets/unlock", { passphrase: "correct horse battery" });
    await hub.add("everything", packaged("everything"));
  });
  afterAll(() => hub[Symbol.asyncDispose]());

  test("its configuration is edited, restored, and not lost when it changes elsewhere", async () => {
    const { page, context, problems } = await at("list?tab=configuration");
    const panel = page.getByRole("tabpanel");
    expect(await panel.getByLabel("Value of LIST_TOKEN", { exact: true }).getAttribute("type")).toBe("password");
    await panel.getByRole("button", { name: "Show the value of LIST_TOKEN" }).click();
    expect(await panel.getByLabel("Value of LIST_TOKEN", { exact: true }).getAttribute("type")).toBe("text");
    await panel.getByLabel("Description").fill("Sixty tools");
    await panel.getByLabel("Value of MODE").fill("b");
    await panel.getByLabel("Argument 2", { exact: true }).fill("7");
    await panel.getByLabel("Working folder").fill("~/");
    await panel.getByLabel("Call timeout").fill("90s");
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
      cwd: "~/",
      call_timeout: "1m30s",
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

    await hub.rest("PUT", `/api/servers/${id}`, { env: { LOGIN: "Bearer ${secret:LATER} ${secret:list/LIST_TOKEN}" } });
    await page.reload();
    await panel.getByText("The server cannot start without LIST_TOKEN of list (link it below).").waitFor();
    await pick(panel.getByLabel("Secret of another server"), "list · LIST_TOKEN");
    await panel.getByRole("button", { name: "Link", exact: true }).click();
    await panel.getByText("linked", { exact: true }).waitFor();
    await panel.getByText("refers to secrets that are not set").waitFor({ state: "hidden" });
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
});
