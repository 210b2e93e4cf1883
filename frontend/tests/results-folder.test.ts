import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectAccessible, launch, toast, visit } from "./support/browser.ts";
import { TestHub } from "./support/hub.ts";

let browser: Browser;
beforeAll(async () => void (browser = await launch()));
afterAll(() => browser.close());

test("the folder for files of long results is entered, refused with a reason, and cleared", async () => {
  await using hub = await new TestHub().start();
  const config = join(hub.folder, "config.yaml");
  const { page, context, problems } = await visit(browser, hub, "/editors", { expected: /422 \(/ });
  const field = page.getByLabel("Folder for files of long results", { exact: true }).and(page.locator("input"));
  await page.getByText("if empty, they may save none").waitFor();
  await expectAccessible(page, "no folder for files of long results");
  const save = page.getByRole("button", { name: "Save", exact: true });
  expect(await save.count()).toBe(0);

  await field.fill("files");
  await save.click();
  await page.getByText("Enter the whole path of the folder").waitFor();
  expect(existsSync(config) && readFileSync(config, "utf8")).not.toContain("files");
  const file = join(hub.folder, "file");
  writeFileSync(file, "");
  await field.fill(file);
  await page.keyboard.press("Enter");
  await page.getByText("is a file; enter a folder").waitFor();
  await expectAccessible(page, "a folder that is refused");

  const folder = join(hub.folder, "files");
  await field.fill(folder);
  await save.click();
  await toast(page, "Agents may save files there.");
  await page.getByRole("button", { name: "Clear", exact: true }).waitFor();
  expect(readFileSync(config, "utf8")).toContain(folder);
  await page.reload();
  await page.getByRole("button", { name: "Clear", exact: true }).waitFor();
  expect(await field.inputValue()).toBe(folder);

  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await toast(page, "Agents cannot save files.");
  await page.getByRole("button", { name: "Clear", exact: true }).waitFor({ state: "detached" });
  expect(await field.inputValue()).toBe("");
  expect(readFileSync(config, "utf8")).not.toContain(folder);
  expect(problems).toEqual([]);
  await context.close();
});

test("the window asks for the folder for files of long results", async () => {
  await using hub = await new TestHub().start();
  const { page, context, problems } = await visit(browser, hub, "/editors");
  // Add the bindings of the window only when the page has connected: otherwise, the page would use them to connect.
  await page.getByText("if empty, they may save none").waitFor();
  await page.evaluate((chosen) => {
    window.go = { app: { Window: { ChooseFolder: () => Promise.resolve(chosen) } as never } };
  }, hub.folder);
  await page.getByRole("tab", { name: "History" }).click();
  await page.getByRole("tab", { name: "Editors" }).click();
  await page.getByRole("button", { name: "Choose…" }).click();
  await toast(page, "Agents may save files there.");
  expect(readFileSync(join(hub.folder, "config.yaml"), "utf8")).toContain(hub.folder);
  expect(problems).toEqual([]);
  await context.close();
});
