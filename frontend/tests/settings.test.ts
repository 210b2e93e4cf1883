import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectAccessible, launch, toast, visit } from "./support/browser.ts";
import { packaged, TestHub } from "./support/hub.ts";

const commented = "# mine\nlimits:\n  call_timeout: 70s # slow servers\n";
let browser: Browser;
let hub: TestHub;
const file = () => join(hub.folder, "config.yaml");
const written = () => readFileSync(file(), "utf8");

beforeAll(async () => {
  browser = await launch();
  hub = new TestHub();
  writeFileSync(file(), commented);
  await hub.start();
  await hub.add("memory", packaged("memory"));
});
afterAll(async () => {
  await browser.close();
  await hub[Symbol.asyncDispose]();
});

test("settings are changed in the file, which keeps its comments", async () => {
  const { page, context, problems } = await visit(browser, hub, "/settings", { expected: /422 \(/ });
  const time = page.getByRole("form", { name: "Call timeout" });
  const field = time.getByRole("textbox");
  expect(await field.inputValue()).toBe("1m10s");
  await expectAccessible(page, "settings");
  await field.fill("soon");
  await time.getByRole("button", { name: "Save" }).click();
  await time.getByText("must be a time such as 30s or 5m").waitFor();
  expect(written()).toBe(commented);
  await field.fill("90s");
  await time.getByRole("button", { name: "Save" }).click();
  await expect.poll(written).toMatch(/90s/);
  expect(written()).toContain("# mine\nlimits:\n  call_timeout: ");
  expect(written()).toMatch(/90s.* # slow servers/);
  expect(await time.getByText("after a restart").count()).toBe(0);
  const unload = page.getByRole("form", { name: "Unload the model after" });
  await unload.getByRole("textbox").fill("10m");
  await unload.getByRole("button", { name: "Save" }).click();
  await unload.getByText("after a restart").waitFor();
  await page.getByRole("switch", { name: "Ask before destructive calls" }).click();
  await page.getByRole("switch", { name: "Ask before destructive calls", checked: true }).waitFor();
  await page.getByRole("combobox", { name: "Agents may add servers" }).selectOption("deny");
  await expect.poll(written).toMatch(/install: '?"?deny/);
  expect(problems).toEqual([]);
  await context.close();
});

test("a rule shows what it would do before it is added, and is removed again", async () => {
  const { page, context, problems } = await visit(browser, hub, "/settings?add=rule", { expected: /422 \(/ });
  const dialog = page.getByRole("dialog", { name: "Add rule" });
  const patterns = dialog.getByRole("textbox", { name: "Patterns of names" });
  await patterns.fill("delete_*\n!*relations");
  await dialog.getByText("Matches 2 of 9 tools: enables 0, disables 2.").waitFor();
  const effects = dialog.getByRole("list", { name: "Tools that the rule is about" });
  await effects.getByText("is excluded by !*relations").waitFor();
  await expectAccessible(page, "the effects of a rule");
  await patterns.fill("/(/");
  await dialog.getByText("not a valid regular expression").waitFor();
  expect(await dialog.getByRole("button", { name: "Add rule" }).isDisabled()).toBe(true);
  await patterns.fill("delete_*\n!*relations");
  await dialog.getByRole("textbox", { name: "Tags" }).fill("danger");
  await effects.getByText("danger").first().waitFor();
  await dialog.getByRole("button", { name: "Add rule" }).click();
  await toast(page, "The rule applies.");
  const rules = page.getByRole("list", { name: "Rules for tools" });
  await rules.getByText("delete_*, !*relations").waitFor();
  expect(written()).toContain('{pattern: ["delete_*","!*relations"], enabled: false, tags: ["danger"]}');
  expect(written()).toContain("# slow servers");
  await page.getByRole("button", { name: "Remove rule 1" }).click();
  await page.getByText("No rules: agents may use all tools").waitFor();
  expect(written()).not.toContain("delete_*");
  expect(problems).toEqual([]);
  await context.close();
});

test("an invalid file is shown with the places of its problems", async () => {
  const { page, context, problems } = await visit(browser, hub, "/settings");
  const before = written();
  writeFileSync(file(), "port: many\n");
  await page.getByText("Line 1, column 7: port must be a whole number").waitFor();
  writeFileSync(file(), before);
  await page.getByText("The file is invalid").waitFor({ state: "detached" });
  expect(problems).toEqual([]);
  await context.close();
});
