// The measures of the pages: one width for all, nothing wider than the window, and digits of equal width only in numbers.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectFits, launch, visit } from "./support/browser.ts";
import { packaged, TestHub } from "./support/hub.ts";

let browser: Browser;
let hub: TestHub;

beforeAll(async () => {
  [browser, hub] = await Promise.all([launch(), new TestHub().start()]);
  await hub.add("memory-of-a-server", packaged("memory"));
});

afterAll(async () => {
  await browser.close();
  await hub[Symbol.asyncDispose]();
});

test("all pages have one width and fit into every window", async () => {
  const { page, context } = await visit(browser, hub, "/overview");
  const links = page.getByRole("navigation").getByRole("link");
  const pages = await links.evaluateAll((all) =>
    all.map((link) => ({
      address: link.getAttribute("href") ?? "",
      name: (link.textContent ?? "").replace(/\d+/g, "").trim(),
    })),
  );
  expect(pages.length).toBeGreaterThan(5);
  for (const width of [1600, 1024, 480]) {
    await page.setViewportSize({ width, height: 900 });
    const widths = new Map<string, number>();
    for (const { address, name } of pages) {
      await page.evaluate((to) => (location.hash = to), address);
      const heading = page.getByRole("heading", { level: 1, name });
      await heading.waitFor();
      await expectFits(page, `${address} at ${width}`);
      widths.set(address, (await heading.boundingBox())?.x ?? -1);
    }
    expect([...new Set(widths.values())], `left edges at ${width}: ${JSON.stringify([...widths])}`).toHaveLength(1);
  }
  await context.close();
});

test("names have no digits of equal width, which would also widen their hyphens", async () => {
  const { page, context } = await visit(browser, hub, "/servers");
  const name = page.getByText("memory-of-a-server", { exact: true }).first();
  await name.waitFor();
  expect(await name.evaluate((one) => getComputedStyle(one).fontVariantNumeric)).toBe("normal");
  expect(await page.evaluate(() => getComputedStyle(document.body).fontVariantNumeric)).toBe("normal");
  await context.close();
});
