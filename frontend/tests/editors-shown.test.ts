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

test("one click changes what an editor is shown, and another undoes it", async () => {
  await using hub = await new EditorHub().install("cursor", "vscode").start();
  await hub.add("stars", many(5, "stars"));
  await hub.rest("POST", "/api/editors/register", { editors: ["cursor"] });
  const before = hub.text("cursor");
  const { page, context, problems } = await visit(browser, hub, "/editors/cursor");
  const cursor = row(page, "Cursor");
  const choice = (name: RegExp) => cursor.getByRole("button", { name });
  const shows = (name: RegExp) => cursor.getByRole("button", { name, pressed: true }).waitFor();
  await shows(/^Find and call 10 tools, 5\d\d tokens$/);
  expect(await row(page, "Visual Studio Code").getByText("Shows").count()).toBe(0);
  await choice(/^Always listed tools 0 tools, 0 tokens$/).waitFor();
  await expectAccessible(page, "the choices of what an editor is shown");

  await choice(/^Tool registry 1 tool, 4\d\d tokens$/).click();
  await shows(/^Tool registry/);
  await cursor.getByText("and what it finds").waitFor();
  await expect.poll(() => hub.text("cursor")).toBe(before.replace('"meta"', '"registry"'));
  expect(await page.getByRole("dialog").count()).toBe(0);

  await toast(page, "Changed what Cursor is shown.");
  await page.locator("[data-toasts]").getByRole("button", { name: "Undo" }).click();
  await shows(/^Find and call/);
  await expect.poll(() => hub.text("cursor")).toBe(before);

  await cursor.getByRole("button", { name: "More choices for Cursor" }).click();
  const more = dialog(page, "What Cursor is shown");
  await more.getByText(/^Each addition makes the model read the whole conversation anew/).waitFor();
  await expectAccessible(page, "more about what an editor is shown");
  await more.getByRole("checkbox", { name: "Add the tools that it finds to its list" }).check();
  await cursor.getByText("and what it finds").waitFor();
  await more.getByRole("combobox", { name: "Server" }).selectOption("Only stars");
  await shows(/^Only stars 5 tools/);
  expect(problems).toEqual([]);
  await context.close();
});

test("a file that cannot be changed keeps what its editor is shown, and a toast says why", async () => {
  await using hub = await new EditorHub().install("cursor").start();
  await hub.rest("POST", "/api/editors/register", { editors: ["cursor"] });
  const { page, context, problems } = await visit(browser, hub, "/editors/cursor");
  const cursor = row(page, "Cursor");
  await cursor.getByRole("button", { name: /^Find and call/, pressed: true }).waitFor();
  await page.route("**/api/editors/register", (route) =>
    route.fulfill({
      json: { outcomes: [{ editor: "cursor", path: "mcp.json", status: "refused", problem: "the file has changed" }] },
    }),
  );
  await cursor.getByRole("button", { name: /^Tool registry/ }).click();
  await toast(page, "The file has changed.");
  await cursor.getByRole("button", { name: /^Find and call/, pressed: true }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});
