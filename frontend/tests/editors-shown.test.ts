import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectAccessible, launch, toast, visit } from "./support/browser.ts";
import { EditorHub } from "./support/editors.ts";
import { many } from "./support/hub.ts";

let browser: Browser;
beforeAll(async () => void (browser = await launch()));
afterAll(() => browser.close());

const row = (page: Page, name: string) =>
  page.getByRole("list", { name: "Editors" }).getByRole("listitem", { name, exact: true });
const dialog = (page: Page, name: string) => page.getByRole("dialog", { name });

test("what an editor is shown is changed with a preview, and undone", async () => {
  await using hub = await new EditorHub().install("cursor", "vscode").start();
  await hub.add("stars", many(5, "stars"));
  await hub.rest("POST", "/api/editors/register", { editors: ["cursor"] });
  const before = hub.text("cursor");
  const { page, context, problems } = await visit(browser, hub, "/editors/cursor");
  const cursor = row(page, "Cursor");
  await cursor.getByText(/^Shows Find and call: 4 tools, 4\d\d tokens/).waitFor();
  expect(await row(page, "Visual Studio Code").getByText("Shows").count()).toBe(0);

  const change = cursor.getByRole("button", { name: "Change what Cursor is shown" });
  await change.click();
  const choices = dialog(page, "What Cursor is shown");
  await choices.getByRole("listitem").filter({ hasText: "Find and call" }).getByText("Shown now").waitFor();
  await expectAccessible(page, "the choices of what an editor is shown");
  await choices.getByRole("button", { name: "Show Tool registry" }).click();
  const preview = dialog(page, "Change Cursor");
  await preview.getByText('"registry"').first().waitFor();
  expect(hub.text("cursor")).toBe(before);
  await preview.getByRole("button", { name: "Change Cursor" }).click();
  await cursor.getByText(/^Shows Tool registry: 1 tool, 39\d tokens, and what it finds/).waitFor();
  expect(hub.text("cursor")).toBe(before.replace('"meta"', '"registry"'));

  await toast(page, "Changed what Cursor is shown.");
  await page.locator("[data-toasts]").getByRole("button", { name: "Undo" }).click();
  await cursor.getByText(/^Shows Find and call/).waitFor();
  expect(hub.text("cursor")).toBe(before);

  await change.click();
  await choices.getByText(/^Each addition makes the model read the whole conversation anew/).waitFor();
  await choices.getByRole("checkbox", { name: "Add the tools that it finds to its list" }).check();
  await cursor.getByText("and what it finds").waitFor();
  await choices.getByRole("combobox", { name: "Server" }).selectOption("Only stars");
  await dialog(page, "Change Cursor").getByRole("button", { name: "Change Cursor" }).click();
  await cursor.getByText(/^Shows Only stars: 5 tools/).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});
