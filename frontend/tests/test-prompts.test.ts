// Tests of prompts and resources in the inspector.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { expectAccessible, launch, visit, type View } from "./support/browser.ts";
import { TestHub } from "./support/hub.ts";
import { addEverything, button, called, cancelQuestions, field, press, tab, tool } from "./support/inspector.ts";

let browser: Browser;
let hub: TestHub;
/** The file with all messages that the hub sent to the server. */
let heard: string;

beforeAll(async () => {
  [browser, hub] = await Promise.all([launch(), new TestHub().start()]);
  heard = join(hub.folder, "heard");
  await addEverything(hub, heard);
});

afterAll(async () => {
  await browser.close();
  await hub[Symbol.asyncDispose]();
});

afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
  await cancelQuestions(hub);
});

const open = (path: string, view?: View) => visit(browser, hub, path, view);

test("resources are listed, read as text and bytes, expanded from templates, and subscribed to", async () => {
  const { page, problems } = await open("/test/everything?tab=resources");
  await button(page.getByRole("group", { name: "Resources" }), "architecture.md").click();
  const shown = page.getByRole("region", { name: "Resource", exact: true });
  await shown.getByText("Everything Server – Architecture").first().waitFor();

  await page.getByRole("radio", { name: "Templates" }).click();
  await button(page.getByRole("group", { name: "Templates" }), /Text/)
    .first()
    .click();
  await field(page, "resourceId").fill("3");
  await page.getByText("Reads demo://resource/dynamic/text/3").waitFor();
  await button(page, "Read resource").click();
  await shown
    .getByText(/Resource 3/)
    .first()
    .waitFor();

  await button(page.getByRole("group", { name: "Templates" }), /Blob/)
    .first()
    .click();
  await field(page, "resourceId").fill("2");
  await button(page, "Read resource").click();
  await shown.getByText(/of binary data/).waitFor();
  const saved = page.waitForEvent("download");
  await button(shown, "Save as file").click();
  expect(readFileSync(await (await saved).path(), "utf8")).toContain("Resource 2");

  await button(shown, "Subscribe").click();
  await shown.getByText("No change yet").waitFor();
  await tab(page, "Tools");
  await tool(page, "toggle-subscriber-updates");
  await (await called(page)).getByText(/Started simulated resource updated/).waitFor();
  await tab(page, "Resources");
  await shown.getByText("This resource has changed").waitFor();
  await button(shown, "Reload").click();
  await shown.getByText("This resource has changed").waitFor({ state: "hidden" });
  await shown.getByText(/Changed at/).waitFor();
  await button(shown, "Unsubscribe").click();
  await button(shown, "Subscribe").waitFor();
  expect(problems).toEqual([]);
});

test("prompts become messages, with arguments from a form, and have their own presets", async () => {
  const { page, problems } = await open("/test/everything?tab=prompts");
  await button(page.getByRole("group", { name: "Prompts" }), "args-prompt").click();
  await button(page, "Get prompt").click();
  await page.getByText("This is required.").waitFor();
  await field(page, "city").fill("Lisbon");
  await button(page, "Get prompt").click();
  const messages = page.getByRole("list", { name: "Messages" });
  await messages.getByText("What's weather in Lisbon?").waitFor();
  await messages.getByText("user", { exact: true }).waitFor();
  await press(page, "Presets");
  await page.getByLabel("Preset name").fill("Portugal");
  await press(page, "Save preset");
  await page.getByRole("list", { name: "Presets" }).getByText("Portugal").waitFor();
  const { entries } = await hub.rest<{ entries: object[] }>("GET", "/api/presets?kind=prompt");
  expect(entries).toMatchObject([{ target_name: "args-prompt", payload: { city: "Lisbon" } }]);
  expect(problems).toEqual([]);
});

test("arguments of prompts and variables of templates are completed by the server", async () => {
  const { page, problems } = await open("/test/everything?tab=prompts&prompt=completable-prompt");
  const combobox = (name: string) => page.getByRole("combobox", { name: new RegExp(`^${name}\\b`) });
  await combobox("department").focus();
  const options = page.getByRole("listbox").getByRole("option");
  await expect.poll(() => options.allTextContents()).toEqual(["Engineering", "Sales", "Marketing", "Support"]);
  await expectAccessible(page, "suggestions");
  await page.keyboard.type("S");
  await expect.poll(() => options.allTextContents()).toEqual(["Sales", "Support"]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  expect(await combobox("department").inputValue()).toBe("Support");
  await combobox("name").focus();
  await page.getByRole("option", { name: "Kim" }).click();
  await page.keyboard.press("Enter");
  await page.getByText("Please promote Kim to the head of the Support team.").waitFor();
  await page.evaluate(() => (location.hash = "/test/everything?tab=resources&list=templates"));
  await button(page.getByRole("group", { name: "Templates" }), /Text/)
    .first()
    .click();
  await combobox("resourceId").fill("1");
  const asked = () =>
    readFileSync(heard, "utf8")
      .split("\n")
      .some((line) => ["completion/complete", '"ref/resource"', '"resourceId"'].every((part) => line.includes(part)));
  await expect.poll(asked, { timeout: 60_000 }).toBe(true);
  await button(page, "Read resource").click();
  await page
    .getByText(/Resource 1/)
    .first()
    .waitFor();
  expect(problems).toEqual([]);
});
