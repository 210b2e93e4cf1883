import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, visit } from "./support/browser.ts";
import { packaged, TestHub } from "./support/hub.ts";

let browser: Browser;
let hub: TestHub;

beforeAll(async () => {
  [browser, hub] = await Promise.all([launch(), new TestHub().start()]);
  await hub.add("everything", packaged("everything"));
});

afterAll(async () => {
  await browser.close();
  await hub[Symbol.asyncDispose]();
});

test("a menu works by keyboard, and its button regains the focus", async () => {
  const { page, context, problems } = await visit(browser, hub, "/servers");
  const more = page.getByRole("button", { name: "More for all servers" });
  const focused = () => page.evaluate(() => (document.activeElement as HTMLElement | null)?.innerText.trim() ?? "");
  await more.focus();
  await page.keyboard.press("ArrowUp");
  await expect.poll(focused).toBe("Move credentials to the keychain…");
  await page.keyboard.press("ArrowDown");
  expect(await focused()).toBe("Check all servers");
  await page.keyboard.press("a");
  expect(await focused()).toBe("Apply setup file…");
  await page.keyboard.press("End");
  expect(await focused()).toBe("Move credentials to the keychain…");
  await page.keyboard.press("Home");
  expect(await focused()).toBe("Check all servers");
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  expect(await more.evaluate((button) => button === document.activeElement)).toBe(true);

  await page.keyboard.press("Enter");
  await expect.poll(focused).toBe("Check all servers");
  await page.keyboard.press("Tab");
  await page.getByRole("menu").waitFor({ state: "detached" });
  expect(await focused()).toBe("Browse");
  await more.click();
  await page.getByRole("menu").waitFor();
  await page.getByRole("heading", { level: 1 }).click();
  await page.getByRole("menu").waitFor({ state: "detached" });

  await page.getByRole("button", { name: "More for everything" }).click();
  const menu = await page.getByRole("menu").boundingBox();
  expect((menu?.x ?? -1) >= 0 && (menu?.x ?? 0) + (menu?.width ?? 0) <= 1280).toBe(true);
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("tab", { name: "Configuration", selected: true }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test("a menu in a dialog is placed at its button, handles its keys, and leaves the dialog open", async () => {
  const { page, context, problems } = await visit(browser, hub, "/test/everything?tool=trigger-elicitation-request");
  await page.getByRole("button", { name: "Call", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "everything asks for input" });
  const more = dialog.getByRole("button", { name: /^More for/ }).last();
  await more.scrollIntoViewIfNeeded();
  await more.click();
  const [menu, button] = [await page.getByRole("menu").boundingBox(), await more.boundingBox()];
  expect(Math.abs((menu?.x ?? 0) + (menu?.width ?? 0) - (button?.x ?? 0) - (button?.width ?? 0))).toBeLessThan(2);
  await page.keyboard.press("ArrowDown");
  expect(
    await page
      .getByRole("menuitem")
      .first()
      .evaluate((item) => item === document.activeElement),
  ).toBe(true);
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  expect(await more.evaluate((element) => element === document.activeElement)).toBe(true);
  await more.click();
  await page.getByRole("menuitem").first().click();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "hidden" });
  expect(problems).toEqual([]);
  await context.close();
});
